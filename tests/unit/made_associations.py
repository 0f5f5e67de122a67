"""Made-up studies of association tests: random embeddings, some with an association, and all else."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from literal_associations import suite, words
from unmask.associations.schema import ASSOCIATIONS, STIMULI
from unmask.associations.terms import JOINT, WORD
from unmask.associations.testing import Options, Outcome, association_tests
from unmask.statistics.schema import BIAS
from unmask.tables import framed, write_table
from unmask.terms import CORRECTED, PUBLISHED

RESOURCES = Path(__file__).parents[2] / "resources" / "associations"
AWKWARD = "a<b>&$x_1$"
"""A name that would be markup somewhere."""

OPTIONS = Options(permutations=500, bootstrap=60)
ENCODERS: list[dict[str, Any]] = [
    {"name": AWKWARD, "published": None, "source": "hub", "world": None, "format": None},
    {"name": "blank", "published": None, "source": "random", "world": None, "format": None},
]
SETTINGS: dict[str, Any] = {
    "encoders": ENCODERS,
    "alpha": 0.05,
    "confidence": 0.9,
    "poolings": ["mean", "cls"],
    "published": {AWKWARD: "bert-large-cased"},
    "released": ["words"],
    "pairs": ["AULA"],
}
SIZES = {"X": 6, "Y": 6, "A": 3, "B": 3}


def sets(sizes: Mapping[str, int], start: str = "") -> dict[str, list[str]]:
    return {name: [f"{start}{name.lower()}{i}" for i in range(n)] for name, n in sizes.items()}


def sentences(
    test: str, sizes: Mapping[str, int]
) -> list[tuple[str, str, str | None, str | None, str, None]]:
    """Two sentences for each word."""
    return [
        (test, name, None, word, f"{start} {word}.", None)
        for name, members in sets(sizes, "s").items()
        for word in members
        for start in ("This is", "There is")
    ]


def unworded() -> list[tuple[str, str, str | None, str | None, str, str | None]]:
    """A test whose words nobody told."""
    return [
        ("unworded", name, None, None, text, None)
        for name, members in sets(dict.fromkeys("XYAB", 5), "u").items()
        for text in members
    ]


def pictures(test: str) -> list[tuple[str, str, str | None, str | None, str, str | None]]:
    rows: list[tuple[str, str, str | None, str | None, str, str | None]] = [
        (test, name, None, word, word, f"{word}.png")
        for name, members in sets({"X": 6, "Y": 6}, "p").items()
        for word in members
    ]
    for attribute in "AB":
        for owner in "XY":
            rows += [
                (test, attribute, f"{attribute}_{owner}", word, word, f"{word}-{owner}.png")
                for word in sets({attribute: 8}, "p")[attribute]
            ]
    # targets with attributes, and attributes alone but for B
    for cell in ("X_A", "X_B", "Y_A", "Y_B", "A"):
        rows += [
            (test, cell[0], cell, word, word, f"{word} in {cell}.png")
            for word in sets({cell[0]: 3}, "p")[cell[0]]
        ]
    return rows


# "weat6" and "sent-weat6" are names that others have published values of
WORDS = suite(
    *words("weat6", **sets(SIZES)),
    *words("small", **sets(dict.fromkeys("XYAB", 2), "t")),
    *sentences("sent-weat6", SIZES),
    *unworded(),
)
PICTURES = suite(*pictures("seen"))
WHOLE = {name: [*sets(SIZES, "v")[name], *sets(SIZES, "w")[name]] for name in "XYAB"}
WORLD = suite(
    *words("weak", **sets(SIZES, "v")),
    *words("strong", **sets(SIZES, "w")),
    *words("both", **WHOLE),
)
SUITES = {"words": WORDS, "pics": PICTURES, "world": WORLD}


def embeddings(stimuli: pd.DataFrame, seed: int, pull: Mapping[str, float]) -> npt.NDArray[np.float32]:
    """Random vectors; of tests that are pulled, X and A, and Y and B, have so much of one axis in common."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(stimuli["stimulus"].max() + 1, 8))
    # a text of several tests is as its first one has it
    first = stimuli.drop_duplicates("stimulus")
    for test, set_, number in zip(first["test"], first["set"], first["stimulus"], strict=True):
        vectors[number, 0] = pull.get(test, 0.0) * (1 if set_ in "XA" else -1) + 0.3 * vectors[number, 0]
    return vectors.astype(np.float32)


PULL = {"weat6": 2.0, "seen": 3.0, "strong": 3.0}


@functools.cache
def outcome(name: str, seed: int, pulled: bool) -> Outcome:
    """The tests of a suite, which may have associations."""
    stimuli, pull = SUITES[name], PULL if pulled else {}
    if name != "pics":
        vectors = {"cls": embeddings(stimuli, seed, pull), "mean": embeddings(stimuli, seed + 1, pull)}
        return association_tests(stimuli, vectors, OPTIONS)
    vectors = {JOINT: embeddings(stimuli, seed, pull)}
    vectors[WORD] = embeddings(stimuli, seed + 20, {})
    return association_tests(stimuli, vectors, OPTIONS)


def bias_table(scores: Mapping[str, float]) -> pd.DataFrame:
    """BIAS of measures by score; with rows that are not asked for."""
    common: dict[str, Any] = {
        "n": 10,
        "stereotype": 5,
        "antistereotype": 5,
        "tie": 0,
        "undefined": 0,
        "near_ties": 0,
    }
    common |= {"confidence": 0.9, "neutral": 50.0}
    rows: list[dict[str, Any]] = []
    for measure, score in scores.items():
        base: dict[str, Any] = {
            "variant": "original",
            "measure": measure,
            "protocol": CORRECTED,
            "grouping": "overall",
        }
        base |= {"group": "all", "clusters": "none", "score": score, "low": score - 4, "high": score + 6}
        base |= common
        rows.append(base)
        rows += [
            base | {key: other, "score": -1.0}
            for key, other in (
                ("variant", "shuffled"),
                ("protocol", PUBLISHED),
                ("grouping", "direction"),
            )
        ]
    return framed(rows, BIAS)


@dataclass
class Study:
    folder: Path
    files: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    rows: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict)
    means: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    cells: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, encoder: str, name: str, outcome: Outcome) -> None:
        """Tables of an encoder on a suite."""
        facts = {"encoder": encoder, "suite": name, "options": OPTIONS._asdict()}
        listed = {"means": outcome.means, "cells": outcome.cells, "remarks": [f"of {name}"]}
        path = str(self.folder / f"{len(self.files['associations'])}.associations.parquet")
        write_table(path, outcome.rows, ASSOCIATIONS, facts | listed)
        self.files["associations"].append(path)
        key = encoder, name
        self.rows[key] = outcome.rows
        self.means[key], self.cells[key] = outcome.means, outcome.cells


def make_study(
    folder: Path, encoders: Sequence[dict[str, Any]] = ENCODERS, suites: Sequence[str] = tuple(SUITES)
) -> Study:
    """A study of these encoders, the first of which has associations, and suites, with all else there is."""
    study = Study(folder, {"associations": [], "bias": [], "truths": []})
    study.settings = SETTINGS | {"encoders": list(encoders)}
    for place, entry in enumerate(encoders):
        for name in suites:
            seed = 1000 * place + 100 * list(SUITES).index(name)
            study.add(entry["name"], name, outcome(name, seed, place == 0))
        path = str(folder / f"bias{place}.parquet")
        scores = {"AULA": 60.0 - place, "AUL": 99.0}
        write_table(path, bias_table(scores), BIAS, {"model": entry["name"], "benchmark": "cp"})
        study.files["bias"].append(path)
    for name in suites:
        tests: list[dict[str, Any]] = [
            {
                "name": test,
                "categories": {key: f"{key} of {AWKWARD}" for key in "XYAB"},
                "remarks": [f"read {test}"],
            }
            | ({"pictures": {"A_X": 3, "X": 2}} if SUITES[name]["cell"].notna().any() else {})
            for test in SUITES[name]["test"].drop_duplicates()
        ]
        path = str(folder / f"{name}.parquet")
        facts = {"suite": name, "format": "sent-bias", "source": "made", "tests": tests}
        write_table(path, SUITES[name], STIMULI, facts)
        study.files["truths"].append(path)
    study.files |= {
        "captions": str(RESOURCES / "captions.yaml"),
        "published": str(RESOURCES / "published.csv"),
    }
    return study
