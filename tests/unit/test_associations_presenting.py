"""What the report shows of association tests, of a study of two encoders on words, sentences and pictures."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import PUBLISHED
from library import (
    ASSOCIATIONS,
    STIMULI,
    AssociationResults,
    association_tests,
    cell_means,
    read_published,
    weat,
    write_table,
)
from library import ASSOCIATIONS_PRESENTS as PRESENTS
from literal_associations import suite, words
from real_data import real_data
from shown import check_first_sentence, check_shown, rows_drawn
from study_schema import ROOT

AWKWARD = "a<b>&$x_1$"
"""A name that would be markup somewhere."""

SETTINGS: dict[str, Any] = {
    "encoders": [{"name": AWKWARD, "source": "hub"}, {"name": "blank", "source": "random"}],
    "alpha": 0.05,
    "confidence": 0.9,
    "poolings": ["mean", "cls"],
    "published": {AWKWARD: "bert-large-cased"},
    "released": ["words"],
}


def sets(start: str, **sizes: int) -> dict[str, list[str]]:
    return {name: [f"{start}{name}{i}" for i in range(n)] for name, n in sizes.items()}


def sentences(test: str, **sizes: int) -> list[Any]:
    return [
        (test, name, None, word, f"{start} {word}.", None)
        for name, members in sets("s", **sizes).items()
        for word in members
        for start in ("This is", "There is")
    ]


def pictures(test: str, *cells: str) -> list[Any]:
    return [
        (test, cell[0], cell, f"p{cell[0]}{i}", f"p{cell[0]}{i}", f"{cell}-{i}.png")
        for cell in cells
        for i in range(6)
    ]


SUITES = {
    "words": suite(
        *words("weat6", **sets("w", X=6, Y=6, A=3, B=3)),
        *words("small", **sets("t", X=2, Y=2, A=2, B=2)),
        *sentences("sent-weat6", X=6, Y=6, A=3, B=3),
    ),
    "seen": suite(*pictures("cats", "X", "Y", "A_X", "A_Y", "B_X", "B_Y", "X_A", "A")),
}
POOLINGS = {"words": ("cls", "mean"), "seen": ("joint", "word")}


def embeddings(name: str, seed: int, pull: float) -> dict[str, Any]:
    """Random vectors, in which X and A, and Y and B, have something in common."""
    stimuli, vectors = SUITES[name], {}
    for place, pooling in enumerate(POOLINGS[name]):
        drawn = np.random.default_rng([seed, place]).normal(size=(stimuli["stimulus"].max() + 1, 8))
        drawn[stimuli["stimulus"], 0] += pull * np.where(stimuli["set"].isin(["X", "A"]), 1, -1)
        vectors[pooling] = drawn
    return vectors


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("study")
    files: dict[str, Any] = {"associations": [], "suites": []}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weat, "PERMUTATIONS", 999)
        for name, stimuli in SUITES.items():
            path = folder / f"{name}.parquet"
            tests: list[dict[str, Any]] = [
                {"name": test, "categories": dict.fromkeys("XYAB", AWKWARD), "remarks": []}
                for test in stimuli["test"].unique()
            ]
            tests[0] |= {"remarks": ["one text left out", "another"]} | (
                {"pictures": {"X": 6}} if name == "seen" else {}
            )
            write_table(path, stimuli, STIMULI, {"suite": name, "tests": tests})
            files["suites"].append(path)
            for seed, encoder in enumerate(SETTINGS["encoders"]):
                vectors = embeddings(name, seed, 0 if seed else 2)
                facts = {"encoder": encoder["name"], "suite": name, "cells": cell_means(stimuli, vectors)}
                path = folder / f"{name}{seed}.parquet"
                write_table(path, association_tests(stimuli, vectors, 0, 0.9), ASSOCIATIONS, facts)
                files["associations"].append(path)
    captions = {"captions": ROOT / "resources/associations/captions.yaml", "published": PUBLISHED}
    return files | captions


@pytest.fixture
def results(files: dict[str, Any]) -> AssociationResults:
    return AssociationResults(files, SETTINGS)


def shown(results: AssociationResults, name: str) -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """The numbers of a table, and the rows of its sheet by their heads."""
    frame, sheet = PRESENTS.table(name, results)
    heads = [*sheet.stubs, *(f"{group}: {label}" if group else label for group, label in sheet.columns)]
    return frame, [dict(zip(heads, row, strict=True)) for row in sheet.rows]


def test_every_test_has_both_units_and_the_smallest_p(results: AssociationResults) -> None:
    frame, rows = shown(results, "tests")
    assert len(frame) == 3 * 2 * 2 * 2 and set(frame["unit"]) == {"text", "word"}
    assert [row["test"] for row in rows] == ["weat6", "small", "sent-weat6"] * 2
    assert [row["pooling"] for row in rows] == ["mean"] * 3 + ["cls"] * 3
    of_one = frame.query("encoder == @AWKWARD and pooling == 'mean' and test == 'sent-weat6'")
    of_text, of_word = (of_one[of_one["unit"] == unit].iloc[0] for unit in ("text", "word"))
    row, expected = rows[2], f"{math.sqrt(24 / (math.pi * 36)):.2f}"
    assert (row["|d| without bias"], row["smallest p"]) == (expected, "0.0022")
    assert row[f"{AWKWARD}: d"] == f"+{of_word['d']:.2f}†" and of_word["p_holm"] < 0.05
    assert row[f"{AWKWARD}: d by text"] == f"+{of_text['d']:.2f}"
    # of two against two words none of six partitions is rare
    assert rows[1]["smallest p"] == "0.33"


def test_experiments_and_cells(results: AssociationResults) -> None:
    frame, rows = shown(results, "experiments")
    assert len(frame) == 2 * 2 * 2 * 4
    assert [row["experiment"] for row in rows[:4]] == ["E1", "E2", "E3x", "E3y"]
    assert rows[1]["p"] == "–" and rows[1]["why not"].startswith("exchanging targets leaves the pictures")
    # X with X's pictures, of which there are six words: both E1 and E3 are over 924 partitions
    assert {row["smallest p"] for row in rows if row["experiment"] != "E2"} == {"0.0022"}
    frame, rows = shown(results, "cells")
    joint = [row for row in rows if (row["encoder"], row["pooling"]) == (AWKWARD, "joint")]
    assert [(row["words of"], row["with"]) for row in joint] == [("X", "alone"), ("X", "A"), ("Y", "alone")]
    of_words = frame.query("encoder == @AWKWARD and pooling == 'joint' and unit == 'word'")
    assert joint[0]["pictures of A and B: with X"] == f"+{of_words['with_x'].iloc[0]:.3f}"
    assert joint[0]["pictures of A and B: alone"] == "–"


def test_published_values_are_beside_ours(results: AssociationResults, tmp_path: Path) -> None:
    ours: Any = results.rows.query("encoder == @AWKWARD and pooling == 'cls' and unit == 'text'")
    ours = ours.set_index("test")
    head = "source,table,model,tests,pooling,unit,ddof,p,statistic,value,doubtful,why\n"
    values = [
        "one,,bert-large-cased,weat6,cls,text,0,.5,,1.5,,",
        "two,,bert-large-cased,weat6 small,cls,word,1,,,1,,",
        "three,,bert-large-cased,small,bare-first,text,1,,,1,,",
    ]
    (tmp_path / "published.csv").write_text(head + "\n".join(values) + "\n")
    other = AssociationResults(dict(results.files) | {"published": tmp_path / "published.csv"}, SETTINGS)
    single, none, several = shown(other, "published")[0].to_dict("records")
    assert single["difference"] == single["d"] - 1.5 and np.isnan(none["d"])
    assert single["d"] == pytest.approx(ours.loc["weat6", "d"] * math.sqrt(12 / 11))
    assert (single["published_p"], single["p"]) == (0.5, ours.loc["weat6", "p"])
    assert several["test"] == "mean |d| of weat6, small"
    assert several["d"] == pytest.approx(ours.loc[["weat6", "small"], "d"].abs().mean())


def test_the_section_says_what_its_tables_say(results: AssociationResults) -> None:
    (section,) = PRESENTS.sections(results)
    check_first_sentence(section)
    main = results.tests
    _, sheet = shown(results, "sets")
    assert sheet[0]["remarks"] == "one text left out; another" and sheet[3]["pictures"] == "X 6"
    beyond, few, sizes = section.sentences
    assert beyond.startswith(f"Of {len(main)} association tests, {(main['p_holm'] < 0.05).sum()} are clear")
    # the small test of both encoders and poolings
    assert few.startswith("4 tests cannot have p < 0.05")
    mean_d = main[main["encoder"].eq(AWKWARD) & main["pooling"].eq("mean")]["d"].abs().mean()
    assert f"{AWKWARD} mean {mean_d:.2f}" in sizes and "blank (never trained)" in sizes
    keys = {name: name for name in ("encoder", "suite", "test", "pooling")}
    columns = {"d": "d", "low": "d_low", "high": "d_high", "expected_d": "expected_d", "p_holm": "p_holm"}
    rows = rows_drawn(PRESENTS.figure("tests", results)[0])
    check_shown(rows, PRESENTS.table("tests", results)[0].query("unit == 'word'"), keys, columns)
    assert {row["claim"] for row in rows if row["test"] == "small"} == {"sets too small for such a p"}


def test_the_published_values_of_the_project() -> None:
    printed = read_published(PUBLISHED)
    counts = {"meade": 7, "may": 14, "may-corrected": 14, "caliskan": 1, "wefe": 1}
    assert printed["source"].value_counts().to_dict() == counts and printed["value"].notna().all()
    meade = printed[printed["source"] == "meade"]
    several = meade["tests"].str.contains(" ")
    of_all = meade.loc[several, "value"].iloc[0]
    assert meade.loc[~several, "value"].abs().mean() == pytest.approx(of_all, abs=5e-4)
    names = {path.stem for path in real_data("seat").glob("*.jsonl")}
    assert {test for tests in printed["tests"] for test in tests.split()} <= names
