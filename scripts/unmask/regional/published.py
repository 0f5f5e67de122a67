"""The columns of resources/regional/published.csv: the numbers that the paper prints."""

import pandas as pd

from unmask.user_tables import Column, key

OVERALL = "overall"
"""The column of the root."""

ORDERS = {"headed": "as headed", "likely": "likely order"}
"""Readings of the order of columns, and what they are called in a table."""

CHANGES = {"rises": 0, "mean rise": 4, "falls": 0, "mean fall": 4}
"""How many probabilities rise and fall, and by how much; and the decimals that each is shown with."""

ACCURACY, MACRO_F1 = "accuracy", "macro F1"
TO_POSITIVE, TO_NEGATIVE = "to positive", "to negative"

_CONTINENTS = ("AF", "AS", "EU", "OC", "SA", "NA")

COLUMNS = (
    key("model"),
    key("measure"),
    key("words"),
    key("headed", choices=(*_CONTINENTS, OVERALL)),
    Column("likely", choices=(*_CONTINENTS, OVERALL)),
    key("dataset"),
    key("prefix"),
    key("quantity", choices=(ACCURACY, MACRO_F1, *CHANGES, TO_POSITIVE, TO_NEGATIVE)),
)
"""Models go by their published names. headed, likely: the region of a value of Tables 1, 2, 3 and 6 in each
of ORDERS. dataset, prefix, quantity: of Tables 4 and 5, whose datasets are labelled tables."""


def by_region(published: pd.DataFrame, table: str) -> pd.DataFrame:
    """The values of one of Tables 1, 2, 3 and 6, each as headed, then in the likely order: with the columns
    order and region."""
    rows = published[(published["table"] == table) & published["value"].notna()]
    in_both = pd.concat([rows.assign(order=order, region=rows[order]) for order in ORDERS])
    return in_both.sort_index(kind="stable")
