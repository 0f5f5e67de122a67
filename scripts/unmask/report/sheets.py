"""A table as it is shown: tidy rows laid out as a sheet of text cells."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

DASH = "\N{EN DASH}"
"""In a cell that has no number."""


@dataclass(frozen=True)
class Sheet:
    """A table of text.

    stubs: heads of the first columns; columns: (group, label) of the others; rows: as long as both together.
    """

    caption: str
    stubs: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]

    def groups(self) -> list[tuple[str, int]]:
        """Neighbouring columns of one group: (group, number of columns)."""
        spans: list[tuple[str, int]] = []
        for group, _ in self.columns:
            if spans and spans[-1][0] == group:
                spans[-1] = (group, spans[-1][1] + 1)
            else:
                spans.append((group, 1))
        return spans


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows of a frame with its columns as attributes."""
    return list(frame.itertuples(index=False))


def number(value: Any, decimals: int = 2, signed: bool = False) -> str:
    """A number as text, a dash for null."""
    if value is None or pd.isna(value):
        return DASH
    text = f"{float(value):{'+' if signed else ''}.{decimals}f}"
    # no negative zero
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def interval(low: Any, high: Any, decimals: int = 1, signed: bool = False) -> str:
    """`low to high`, a dash for null."""
    ends = number(low, decimals, signed), number(high, decimals, signed)
    return DASH if DASH in ends else " to ".join(ends)


def p_value(p: Any) -> str:
    """A p-value with two significant digits."""
    if p is None or pd.isna(p):
        return DASH
    value = float(p)
    return "< 1e-16" if value < 1e-16 else f"{value:.2g}"


def lay_out(frame: pd.DataFrame, caption: str, empty: str) -> Sheet:
    """A paper table (unmask.report.paper_tables.COLUMNS) as a sheet.

    A model has one row per row label, and where there is any published value also the paper's values and the
    difference (ours minus the paper's, from the rows that carry a published value).
    """
    columns = tuple(
        (str(benchmark), str(column))
        for benchmark in frame["benchmark"].drop_duplicates()
        for column in frame.loc[frame["benchmark"] == benchmark, "column"].drop_duplicates()
    )
    rows: list[tuple[str, ...]] = []
    for model in frame["model"].drop_duplicates():
        of_model = frame[frame["model"] == model]
        for label in of_model["row"].drop_duplicates():
            cells = of_model[of_model["row"] == label].set_index(["benchmark", "column"])
            rows.append(
                (
                    str(model),
                    str(label),
                    *(
                        number(cells.loc[key, "value"]) + cells.loc[key, "mark"]
                        if key in cells.index
                        else DASH
                        for key in columns
                    ),
                )
            )
        known = of_model[of_model["published"].notna()].set_index(["benchmark", "column"])
        if len(known):
            for label, column, signed in (("paper", "published", False), ("difference", "difference", True)):
                cells_of = (
                    number(known.loc[key, column], signed=signed) if key in known.index else DASH
                    for key in columns
                )
                rows.append((str(model), label, *cells_of))
    return Sheet(caption if columns else f"{caption} {empty}", ("model", ""), columns, tuple(rows))
