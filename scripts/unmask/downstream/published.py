"""The columns of resources/downstream/published.csv: the numbers that the paper prints."""

from typing import Any

import pandas as pd

from unmask.downstream.terms import AFTER, BEFORE
from unmask.report.sheets import rows_of
from unmask.user_tables import Column, key

FEMININE, MASCULINE, ILPS, TAU = "feminine", "masculine", "ilps", "tau"

COLUMNS = (
    key("task", required=True),
    key("quantity", required=True, choices=(FEMININE, MASCULINE, ILPS, TAU)),
    key("measure"),
    key("benchmark"),
    key("when", choices=(BEFORE, AFTER)),
    Column("models", float),
    Column("alpha", float),
    Column("dagger", bool),
    Column("larger", bool),
)
"""Tasks go by the paper's names. TAU (Table 2): of so many models; benchmark: by its published name, empty
where it is not known which one; dagger: p is below alpha; larger: in bold, larger than before. The others are
of Table 1."""


def printed_words(published: pd.DataFrame, task: str | None) -> dict[str, Any]:
    """The rows of Table 1 for a task by quantity; none for None."""
    rows = published[(published["task"] == task) & (published["quantity"] != TAU)]
    return {row.quantity: row for row in rows_of(rows)}


def printed_taus(published: pd.DataFrame) -> dict[tuple[str | None, str, str, str | None], Any]:
    """The rows of Table 2 by task, measure, when and benchmark, which is None where it is not known."""
    return {
        (row.task, row.measure, row.when, None if pd.isna(row.benchmark) else row.benchmark): row
        for row in rows_of(published[published["quantity"] == TAU])
    }
