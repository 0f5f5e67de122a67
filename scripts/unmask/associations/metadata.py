"""What tables say in their metadata of suites and tests, and the bias scores that tests stand beside."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from unmask.associations.schema import STIMULI
from unmask.associations.terms import X, Y
from unmask.loading import facts_by, load_tables
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


def means_of(encoders: Sequence[str], paths: Iterable[str | Path]) -> pd.DataFrame:
    """The 2×2 of all grounded tests, with MEANS, in the order of `encoders` and then of the paths."""
    known = facts_by(paths, "encoder", "suite")
    rows = [
        {"encoder": encoder, "suite": suite, **cells}
        for encoder in encoders
        for (of, suite), facts in known.items()
        if of == encoder
        for cells in facts.get("means") or []
    ]
    return pd.DataFrame(rows, columns=MEANS)


def remarks_of(suites: Iterable[str | Path], paths: Iterable[str | Path]) -> list[str]:
    """What was left out, each with its suite: of the tests as they were read, then of what encoders made of
    them; once where several say it.

    suites: tables STIMULI; paths: tables ASSOCIATIONS.
    """
    remarks: dict[str, None] = {}
    for (suite,), facts in facts_by(suites, "suite").items():
        for test in facts.get("tests") or []:
            for remark in test.get("remarks") or []:
                remarks[f"{suite}: {test['name']}: {remark}"] = None
    for (_, suite), facts in facts_by(paths, "encoder", "suite").items():
        for remark in facts.get("remarks") or []:
            remarks[f"{suite}: {remark}"] = None
    return list(remarks)


def bias_scores(paths: Iterable[str | Path], measures: Sequence[str]) -> pd.DataFrame:
    """The bias scores over all pairs of each model and benchmark, with SCORES: of the original sentences,
    corrected, by these measures. paths: tables BIAS, whose metadata name model and benchmark."""
    rows = load_tables(paths, BIAS, "model", "benchmark")
    chosen = (
        (rows["variant"] == ORIGINAL)
        & (rows["protocol"] == CORRECTED)
        & (rows["grouping"] == OVERALL)
        & rows["measure"].isin(list(measures))
        & rows["score"].notna()
    )
    return rows.loc[chosen, SCORES].reset_index(drop=True)


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
        words = {str(name): set(rows["word"]) for name, rows in targets.groupby("test", sort=False)}
        series = {str(test["name"]): _against(test.get("categories") or {}) for test in tests}
        rows += [
            (
                str(facts["suite"]),
                str(test["name"]),
                series[str(test["name"])],
                float(test["truth"]["strength"]),
                any(
                    words[str(test["name"])] > words[other]
                    for other, against in series.items()
                    if against == series[str(test["name"])]
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
        (suite, str(test["name"])): test["pictures"]
        for (suite,), facts in facts_by(paths, "suite").items()
        for test in facts.get("tests") or []
        if test.get("pictures")
    }


def categories_of(paths: Iterable[str | Path]) -> dict[tuple[str, str], Mapping[str, str]]:
    """What files call the sets of their tests, by suite and test."""
    return {
        (suite, str(test["name"])): test["categories"]
        for (suite,), facts in facts_by(paths, "suite").items()
        for test in facts.get("tests") or []
        if test.get("categories")
    }
