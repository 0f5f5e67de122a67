"""Token accuracy: how often the right token is a model's first choice, and the tests between accuracies."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import number, rows_of
from unmask.report.topics import Topic
from unmask.statistics.accuracy import CLUSTERED, PAIR
from unmask.terms import (
    ALL_TOKENS,
    CANDIDATES,
    CONTENT_TOKENS,
    MODIFIED_TOKENS,
    ORIGINAL,
    SHARED_TOKENS,
)

READINGS = {
    ALL_TOKENS: "all tokens, special too",
    CONTENT_TOKENS: "all but special tokens",
    SHARED_TOKENS: "shared tokens",
    MODIFIED_TOKENS: "modified tokens",
    CANDIDATES: "whole candidates",
}

_TIPS = (
    ("panel", "what counts"),
    ("kind", "measure"),
    ("name", "model"),
    ("value", "right of 100", ".1f"),
    *ends_of(".1f"),
    ("tokens", "how many", "d"),
)

ACCURACIES = Table(
    "accuracy",
    ["model", "benchmark", "title", "variant", "roles"],
    [
        Column(
            "accuracy, tokens", "<{accuracy:.2f}> (n = {n})", "Percent of tokens that are the first choice."
        )
    ],
    across=["reading"],
    label_first=True,
    heads={"title": "measure", "roles": "sentences"},
)
TESTS = Table(
    "tests",
    ["model", "benchmark", "comparison", "reading", "unit"],
    [
        Column("n", "{n}", "Number of units."),
        Column("first", "{b}", "Units that only the first has right.", "right"),
        Column("second", "{c}", "Units that only the second has right.", "right"),
        Column("raw", "{p:p}", "p of McNemar's test.", "p"),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction.", "p"),
        Column("test", "{test}", "Which distribution p is of."),
    ],
    heads={"reading": "tokens"},
)


def rows(results: PairResults) -> pd.DataFrame:
    """Token accuracy under all readings."""
    accuracy = results.accuracy
    return accuracy.assign(title=accuracy["measure"].map(title_of))


def tests(results: PairResults) -> pd.DataFrame:
    """McNemar tests of accuracies, by token and clustered."""
    of = results.tests
    kinds = [_kind_of_test(row) for row in rows_of(of)]
    return of.assign(comparison=of["first"].astype(str) + " vs " + of["second"].astype(str), test=kinds)


def _kind_of_test(row: Any) -> str:
    """How a row of TESTS was tested, or that it could not be."""
    if row.unit == CLUSTERED:
        return f"t, df {number(row.df, 1)}" if pd.notna(row.df) else "not testable"
    return "exact" if row.exact else "chi-square"


def chart(accuracy: pd.DataFrame) -> alt.FacetChart | None:
    """Token accuracy of all models on one benchmark, on the pairs as they are written; a panel for each
    reading of which tokens count. None where there is nothing to draw."""
    of = accuracy[(accuracy["variant"] == ORIGINAL) & (accuracy["roles"] == PAIR)]
    measures = Kinds("kind", "measure", list(of["title"].drop_duplicates()))
    of = by_value(of, "reading", READINGS)
    named = {"name": "model", "value": "accuracy", "tokens": "n", "kind": "title"}
    frame = columns_of(of, "benchmark", "low", "high", panel=of["reading"].map(READINGS), **named)
    return forest(frame, Axis("right token first, of 100", span=(0, 100), step=10), _TIPS, kinds=measures)


TOPICS = (
    Topic[PairResults](
        "accuracy", "Token accuracy: which tokens count", rows, ACCURACIES, chart, ("benchmark",)
    ),
    Topic[PairResults]("tests", "McNemar tests of accuracies", tests, TESTS),
)
