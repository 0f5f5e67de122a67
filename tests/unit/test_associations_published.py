"""Published values of association tests."""

from typing import Any

import pandas as pd
import pytest

from association_files import PUBLISHED
from real_data import real_data
from unmask.associations.published import COLUMNS
from unmask.report.published import read_published


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return read_published(PUBLISHED, COLUMNS)


def one(rows: pd.DataFrame, source: str, tests: str) -> "pd.Series[Any]":
    chosen = rows[(rows["source"] == source) & (rows["tests"] == tests)]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_all_values(published: pd.DataFrame) -> None:
    counts = {"meade": 7, "may": 14, "may-corrected": 14, "caliskan": 1, "wefe": 1}
    assert published["source"].value_counts().to_dict() == counts
    assert published["value"].notna().all()


def test_values_and_how_they_are_made(published: pd.DataFrame) -> None:
    value = one(published, "meade", "sent-weat6")
    assert value["value"] == 0.931 and pd.isna(value["p"]) and pd.isna(value["statistic"])
    assert (value["model"], value["pooling"], value["level"]) == ("bert-base-uncased", "mean", "item")
    assert value["ddof"] == "1" and pd.isna(value["why"])
    value = one(published, "caliskan", "weat7")
    assert (value["model"], value["value"], value["p"]) == ("glove-840b", 1.06, 0.018)
    assert (value["pooling"], value["level"]) == ("vectors", "word")
    value = one(published, "wefe", "weat6b")
    assert (value["value"], value["statistic"], value["ddof"]) == (0.45076532, 0.46343882, "0")
    assert set(published.loc[published["ddof"] == "0", "source"]) == {"wefe"}


def test_values_of_two_sources(published: pd.DataFrame) -> None:
    before, after = one(published, "may", "sent-weat1"), one(published, "may-corrected", "sent-weat1")
    assert (before["value"], before["pooling"]) == (0.62, "bare-first")
    assert (after["value"], after["pooling"]) == (1.07, "cls")
    assert before["model"] == after["model"] == "bert-large-cased"


def test_the_mean_is_that_of_the_values(published: pd.DataFrame) -> None:
    meade = published[published["source"] == "meade"]
    several = meade["tests"].str.contains(" ")
    (mean,) = meade.loc[several, "value"]
    (tests,) = meade.loc[several, "tests"]
    assert sorted(tests.split()) == sorted(meade.loc[~several, "tests"])
    assert meade.loc[~several, "value"].abs().mean() == pytest.approx(mean, abs=0.0005)


def test_each_test_is_a_released_one(published: pd.DataFrame) -> None:
    names = {path.stem for path in real_data("seat").glob("*.jsonl")}
    assert {test for tests in published["tests"] for test in tests.split()} <= names
