"""What the page of a study of all families shows was computed: its charts have the numbers of its tables."""

import pandas as pd

from library import read_sections
from shown import Computed, check_charts, check_first_sentence
from small_study import Workflow

DERIVED = {
    # ends of a change laid at the number before it, and Holm's correction over what is shown
    "debiasing": "low high change least most p_holm",
    "downstream": "before after least most p_holm",
    "associations": "without",
    # quartiles of the words of a group
    "frequency": "from to low median high",
    # the band of no change
    "trust": "chance_low chance_high",
    "regional": "epoch p_holm",
}
"""By section, the columns of charts that are worked out where they are drawn."""


def test_every_chart_has_the_numbers_of_a_table(whole: Workflow) -> None:
    results = whole.folder / "results/small"
    tables = [pd.read_csv(path) for path in sorted(results.glob("tables/*.csv"))]
    tables += [pd.read_parquet(path) for path in sorted(results.glob("**/*.parquet"))]
    # texts, predictions and evidence are large, and no chart is of them
    computed = Computed(table for table in tables if len(table) < 3000)
    sections = [
        each for path in sorted(results.glob("report/sections/*.json")) for each in read_sections(path)
    ]
    assert check_charts(sections, computed, DERIVED) > 12
    for section in sections:
        if section.sentences:
            check_first_sentence(section)
