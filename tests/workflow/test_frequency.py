"""The study of word frequency in the workflow: Table 2 without any model."""

from typing import Any

import pandas as pd

from small_study import Workflow


def test_table2_needs_no_model(fresh: Workflow) -> None:
    text = "the rich man and his poor friend\nmen want to drive and women want to cook\nhe drives\n"
    (fresh.folder / "text.txt").write_text(text)
    config = fresh.config | {"corpora": {"text": {"format": "text", "path": "text.txt"}}}
    # every pair twice, as a word of one pair is no group word
    pairs = fresh.folder / "crows.csv"
    pairs.write_text(pairs.read_text() + "".join(f"1{row}\n" for row in pairs.read_text().splitlines()[1:]))
    fresh.run("results/small/tables/group_words.csv", config=config)
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
