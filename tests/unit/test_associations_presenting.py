"""Published values of association tests stand beside ours, in their pooling, unit and deviation."""

import math
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from association_files import PUBLISHED, suite, words
from library import ASSOCIATIONS, AssociationResults, Topic, association_tests, read_published, write_table
from library import ASSOCIATIONS_PRESENTS as PRESENTS
from real_data import real_data

SETTINGS: dict[str, Any] = {
    "encoders": [{"name": "ours", "source": "hub"}],
    "alpha": 0.05,
    "confidence": 0.9,
    "poolings": ["mean", "cls"],
    "published": {"ours": "bert-large-cased"},
    "released": ["words", "seen"],
}


def sets(start: str, **sizes: int) -> dict[str, list[str]]:
    return {name: [f"{start}{name}{i}" for i in range(n)] for name, n in sizes.items()}


@pytest.mark.parametrize("ddof", [0, 1])
def test_published_values_are_beside_ours(tmp_path: Path, ddof: int) -> None:
    stimuli = suite(
        *words("weat6", **sets("w", X=6, Y=6, A=3, B=3)), *words("small", **sets("t", X=2, Y=2, A=2, B=2))
    )
    vectors = {
        pooling: np.random.default_rng(seed).normal(size=(stimuli["stimulus"].max() + 1, 8))
        for seed, pooling in enumerate(("cls", "mean"))
    }
    rows = association_tests(stimuli, vectors, 0, 0.9)
    facts = {"encoder": "ours", "suite": "words", "cells": []}
    write_table(tmp_path / "words.parquet", rows, ASSOCIATIONS, facts)
    # nobody has published values of tests with pictures, whatever they are called
    seen = pd.concat([rows.assign(experiment=experiment) for experiment in ("E1", "E2")])
    write_table(tmp_path / "seen.parquet", seen, ASSOCIATIONS, facts | {"suite": "seen"})
    head = "source,table,model,tests,pooling,unit,ddof,p,statistic,value,doubtful,why\n"
    values = [
        f"one,,bert-large-cased,weat6,cls,text,{ddof},.5,,1.5,,",
        f"two,,bert-large-cased,weat6 small,cls,word,{ddof},,,1,,",
        "three,,bert-large-cased,small,bare-first,text,1,,,1,,",
    ]
    (tmp_path / "published.csv").write_text(head + "\n".join(values) + "\n")
    paths = [tmp_path / f"{name}.parquet" for name in ("words", "seen")]
    files = {"associations": paths, "published": tmp_path / "published.csv"}
    captions = PUBLISHED.with_name("captions.yaml")
    results = AssociationResults({**files, "suites": [], "captions": captions}, SETTINGS)
    ours: Any = rows[rows["pooling"] == "cls"].set_index(["unit", "test"])
    # an effect size over the deviation of a population is larger
    factor = {test: 1.0 if ddof else math.sqrt(n / (n - 1)) for test, n in (("weat6", 12), ("small", 4))}
    single, none, several = PRESENTS.table("published", results)[0].to_dict("records")
    assert single["d"] == pytest.approx(ours.loc[("text", "weat6"), "d"] * factor["weat6"])
    assert single["difference"] == single["d"] - 1.5 and np.isnan(none["d"])
    assert (single["published_p"], single["p"]) == (0.5, ours.loc[("text", "weat6"), "p"])
    assert several["test"] == "mean |d| of weat6, small"
    both = [abs(ours.loc[("word", test), "d"]) * factor[test] for test in factor]
    assert several["d"] == pytest.approx(sum(both) / 2)


def test_a_set_of_one_unit_is_too_small_for_a_claim(tmp_path: Path) -> None:
    tests = [("one", 1, 6), ("three", 3, 3), ("six", 6, 6)]
    stimuli = suite(*(row for name, x, y in tests for row in words(name, **sets(name, X=x, Y=y, A=3, B=3))))
    vectors = {"cls": np.random.default_rng(0).normal(size=(stimuli["stimulus"].max() + 1, 8))}
    rows = association_tests(stimuli, vectors, 0, 0.9)
    write_table(tmp_path / "a", rows, ASSOCIATIONS, {"encoder": "ours", "suite": "words", "cells": []})
    captions = PUBLISHED.with_name("captions.yaml")
    results = AssociationResults({"associations": [tmp_path / "a"], "captions": captions}, SETTINGS)
    (drawn, _), topic = PRESENTS.figure("tests", results), PRESENTS.topics[0]
    assert isinstance(drawn, alt.FacetChart) and isinstance(topic, Topic)
    (marks,) = drawn.to_dict()["datasets"].values()
    claims = {mark["label"]: mark["claim"] for mark in marks}
    small = "sets too small for such a p"
    assert claims == {"one": small, "three": small, "six": "explainable by chance"}
    assert "2 tests cannot have p < 0.05, as the sets are too small." in [*topic.says(results)]


def test_the_published_values_of_the_project() -> None:
    printed = read_published(PUBLISHED)
    assert printed["value"].notna().all()
    meade = printed[printed["source"] == "meade"]
    several = meade["tests"].str.contains(" ")
    of_all = meade.loc[several, "value"].iloc[0]
    assert meade.loc[~several, "value"].abs().mean() == pytest.approx(of_all, abs=5e-4)
    names = {path.stem for path in real_data("seat").glob("*.jsonl")}
    assert {test for tests in printed["tests"] for test in tests.split()} <= names
