"""The columns of resources/regional/published.csv: the numbers that the paper prints."""

import pandas as pd

from unmask.user_tables import Column, key

OVERALL = "overall"
"""The column of the root."""

ORDERS = {"headed": "as headed", "likely": "likely order"}
"""Readings of the order of columns, and what they are called in a table."""

QUANTITIES = {
    "accuracy": "accuracy",
    "macro F1": "macro_f1",
    "rises": "up",
    "mean rise": "mean_up",
    "falls": "down",
    "mean fall": "mean_down",
    "to positive": "to_positive",
    "to negative": "to_negative",
}
"""The column of PREFIXES that a printed quantity of Tables 4 and 5 is of."""

_CONTINENTS = ("AF", "AS", "EU", "OC", "SA", "NA")

COLUMNS = (
    key("model"),
    key("measure"),
    key("words"),
    key("headed", choices=(*_CONTINENTS, OVERALL)),
    Column("likely", choices=(*_CONTINENTS, OVERALL)),
    key("dataset"),
    key("prefix"),
    key("quantity", choices=tuple(QUANTITIES)),
)
"""Models go by their published names. headed, likely: the region of a value of Tables 1, 2, 3 and 6 in each
of ORDERS. dataset, prefix, quantity: of Tables 4 and 5, whose datasets are labelled tables."""


def by_region(published: pd.DataFrame, table: str) -> pd.DataFrame:
    """The values of one of Tables 1, 2, 3 and 6, each as headed, then in the likely order: with the columns
    order and region."""
    rows = published[(published["table"] == table) & published["value"].notna()]
    in_both = pd.concat([rows.assign(order=order, region=rows[order]) for order in ORDERS])
    return in_both.sort_index(kind="stable")
