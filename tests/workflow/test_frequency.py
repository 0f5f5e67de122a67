"""The study of word frequency in the workflow: what it plans, and Table 2 without any model."""

from typing import Any

import pandas as pd
import pytest

from small_study import Workflow

FREQUENCY = (
    "group_words/crows/words.parquet",
    "group_words/crows/ratios.parquet",
    "tables/table2.csv",
    "tables/group_words.csv",
    "tables/frequency_link.csv",
    "figures/frequency.svg",
    "figures/frequency_link.svg",
    "statistics/bert/stereo/frequency.parquet",
)


def with_corpus(workflow: Workflow) -> dict[str, Any]:
    text = "the rich man and his poor friend\nmen want to drive and women want to cook\nhe drives\n"
    (workflow.folder / "text.txt").write_text(text)
    corpora = {"text": {"format": "text", "path": "text.txt"}}
    return {**workflow.config, "corpora": corpora}


@pytest.mark.thorough
def test_corpora_are_added_without_scoring_again(copied: Workflow) -> None:
    assert copied.planned() == set()
    config = with_corpus(copied)
    planned = copied.planned(config)
    assert set(FREQUENCY) <= planned
    assert "report/index.html" in planned
    assert not [path for path in planned if path.startswith(("evidence", "models", "benchmarks"))]
    copied.run(config)
    assert copied.planned(config) == set()
    page = copied.read("report", "index.html")
    assert '<section id="frequency">' in page and "Corpus text" in page


def test_table2_needs_no_model(fresh: Workflow) -> None:
    config = with_corpus(fresh)
    # every pair twice, as a word of one pair is no group word
    pairs = fresh.folder / "crows.csv"
    pairs.write_text(pairs.read_text() + "".join(f"1{row}\n" for row in pairs.read_text().splitlines()[1:]))
    done = fresh.snakemake("results/small/tables/group_words.csv", config=config)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (fresh.folder / "results/small/models").exists()
    table = pd.read_csv(fresh.folder / "results/small/tables/group_words.csv")
    words: Any = table.set_index(["bias_type", "word"])
    # number 3 of the examples is an antistereo pair: its stereotypical sentence names the advantaged group
    assert words.loc[("race-color", "women"), "group"] == "advantaged"
    assert words.loc[("race-color", "men"), "group"] == "disadvantaged"
    # number 4 is a stereo pair
    assert words.loc[("gender", "poor"), "group"] == "disadvantaged"
    assert words.loc[("gender", "rich"), "group"] == "advantaged"
    assert words.loc[("race-color", "women"), "count"] == 1
