"""The tables of all encoders and suites of a study in one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.associations.schema import STIMULI
from unmask.associations.terms import X, Y
from unmask.errors import InputError
from unmask.statistics.schema import BIAS, OVERALL
from unmask.tables import read_metadata, read_table
from unmask.terms import CORRECTED, ORIGINAL

MEANS = ["encoder", "suite", "test", "pooling", "level", "x1", "x2", "y1", "y2"]
"""Columns of the 2×2 of grounded tests."""

SCORES = ["model", "benchmark", "measure", "score", "low", "high"]
"""Columns of bias scores with their intervals, in percent; nan without one."""

STRENGTHS = ["suite", "test", "series", "strength", "whole"]
"""Columns of what was planted in the tests of a suite: tests that hold the same against each other are a
series, and one that has all words of another of them (`whole`) is no step of it."""


def by_encoder(paths: Iterable[str | Path]) -> dict[tuple[str, str], str]:
    """The path of the table of each encoder and suite.

    Raises InputError where two are of the same, or one says not which it is of.
    """
    found: dict[tuple[str, str], str] = {}
    for path in paths:
        facts = read_metadata(path)
        if not {"encoder", "suite"} <= set(facts):
            raise InputError(
                f"{path}: does not say which encoder and suite it is of; delete it and run again"
            )
        key = str(facts["encoder"]), str(facts["suite"])
        if key in found:
            raise InputError(
                f"{path}: a second table of encoder {key[0]} and suite {key[1]}, besides {found[key]}"
            )
        found[key] = str(path)
    return found


def collected(encoders: Sequence[str], paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
    """Tables of one encoder and suite each as one, with the columns encoder and suite first.

    In the order of `encoders`, and then of the paths; those of other encoders are left out. Raises InputError
    as `by_encoder` does, and where a table has another schema.
    """
    known = by_encoder(paths)
    parts = []
    for encoder in encoders:
        for (of, suite), path in known.items():
            rows = read_table(path, schema) if of == encoder else pd.DataFrame()
            if len(rows):
                rows.insert(0, "encoder", encoder)
                rows.insert(1, "suite", suite)
                parts.append(rows)
    if not parts:
        return pd.DataFrame(columns=["encoder", "suite", *schema.names])
    return pd.concat(parts, ignore_index=True)


def collected_means(encoders: Sequence[str], paths: Iterable[str | Path]) -> pd.DataFrame:
    """The 2×2 of all grounded tests, with MEANS, in the order of `collected`."""
    known = by_encoder(paths)
    rows = [
        {"encoder": encoder, "suite": suite, **four}
        for encoder in encoders
        for (of, suite), path in known.items()
        if of == encoder
        for four in read_metadata(path).get("means") or []
    ]
    return pd.DataFrame(rows, columns=MEANS)


def shared_options(paths: Iterable[str | Path]) -> Mapping[str, Any]:
    """How the tests of all tables were made; nothing where there is no table.

    Raises InputError where two tables were made in different ways.
    """
    found: Mapping[str, Any] | None = None
    for path in paths:
        options = read_metadata(path).get("options") or {}
        if found is not None and options != found:
            raise InputError(f"{path}: made with the options {options}, others with {found}; run again")
        found = options
    return found or {}


def remarks_of(suites: Iterable[str | Path], paths: Iterable[str | Path]) -> list[str]:
    """What was left out, each with its suite: of the tests as they were read, then of what encoders made of
    them; once where several say it.

    suites: tables STIMULI; paths: tables ASSOCIATIONS.
    """
    found: dict[str, None] = {}
    for path in suites:
        facts = read_metadata(path)
        for test in facts.get("tests") or []:
            for remark in test.get("remarks") or []:
                found[f"{facts['suite']}: {test['name']}: {remark}"] = None
    for path in paths:
        facts = read_metadata(path)
        for remark in facts.get("remarks") or []:
            found[f"{facts['suite']}: {remark}"] = None
    return list(found)


def collected_scores(paths: Iterable[str | Path], measures: Sequence[str]) -> pd.DataFrame:
    """The bias scores over all pairs of each model and benchmark, with SCORES: of the original sentences,
    corrected, by these measures. paths: tables BIAS, whose metadata name model and benchmark."""
    rows: list[tuple[object, ...]] = []
    for path in paths:
        facts = read_metadata(path)
        table = read_table(path, BIAS)
        own = table[
            (table["variant"] == ORIGINAL)
            & (table["protocol"] == CORRECTED)
            & (table["grouping"] == OVERALL)
            & table["measure"].isin(list(measures))
            & table["score"].notna()
        ]
        rows += [
            (str(facts["model"]), str(facts["benchmark"]), str(measure), *map(float, numbers))
            for measure, *numbers in own[["measure", "score", "low", "high"]].itertuples(index=False)
        ]
    return pd.DataFrame(rows, columns=SCORES)


def strengths_of(paths: Iterable[str | Path]) -> pd.DataFrame:
    """What was planted in each test whose truth is known, with STRENGTHS. paths: tables STIMULI."""
    rows: list[tuple[str, str, str, float, bool]] = []
    for path in paths:
        facts = read_metadata(path)
        tests = [test for test in facts.get("tests") or [] if "strength" in (test.get("truth") or {})]
        if not tests:
            continue
        stimuli = read_table(path, STIMULI)
        targets = stimuli[stimuli["set"].isin([X, Y])]
        words = {str(name): set(own["word"]) for name, own in targets.groupby("test", sort=False)}
        series = {str(test["name"]): _against(test.get("categories") or {}) for test in tests}
        rows += [
            (
                str(facts["suite"]),
                str(test["name"]),
                series[str(test["name"])],
                float(test["truth"]["strength"]),
                any(
                    words[str(test["name"])] > words[other]
                    for other, own in series.items()
                    if own == series[str(test["name"])]
                ),
            )
            for test in tests
        ]
    return pd.DataFrame(rows, columns=STRENGTHS)


def _against(categories: Mapping[str, str]) -> str:
    """Which targets a test holds against each other."""
    return f"{categories.get(X, X)} against {categories.get(Y, Y)}"


def pictures_of(paths: Iterable[str | Path]) -> dict[tuple[str, str], Mapping[str, int]]:
    """How many pictures each cell of a grounded test has, by suite and test. paths: tables STIMULI."""
    return {
        (str(facts["suite"]), str(test["name"])): test["pictures"]
        for facts in map(read_metadata, paths)
        for test in facts.get("tests") or []
        if test.get("pictures")
    }


def categories_of(paths: Iterable[str | Path]) -> dict[tuple[str, str], Mapping[str, str]]:
    """What files call the sets of their tests, by suite and test."""
    return {
        (str(facts["suite"]), str(test["name"])): test["categories"]
        for facts in map(read_metadata, paths)
        for test in facts.get("tests") or []
        if test.get("categories")
    }
