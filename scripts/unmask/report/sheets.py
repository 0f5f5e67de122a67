"""A table as it is shown: tidy rows laid out as a sheet of text cells."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

DASH = "\N{EN DASH}"
"""In a cell that has no number."""

MINUS = "\N{MINUS SIGN}"
"""Before negative numbers, in sentences, tables and charts alike."""


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


NO_SHEET = Sheet("", (), (), ())

TableAndSheet = tuple[pd.DataFrame, Sheet]
"""The numbers of a table, and the table as it is read."""


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows of a frame with its columns as attributes."""
    return list(frame.itertuples(index=False))


def number(value: Any, decimals: int = 2, signed: bool = False) -> str:
    """A number as text, a dash for null."""
    if value is None or pd.isna(value):
        return DASH
    text = f"{float(value):{'+' if signed else ''}.{decimals}f}"
    # no negative zero
    return text[1:] if text.startswith("-") and not text.strip("-0.") else with_minus(text)


def with_minus(text: str) -> str:
    """A number as Python writes it, with a minus sign in place of the hyphen at its start."""
    return f"{MINUS}{text[1:]}" if text.startswith("-") else text


def counted(count: int, thing: str = "pair") -> str:
    """So many of a thing, such as `1 pair` or `1,508 pairs`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def interval(low: Any, high: Any, decimals: int = 1, apart: float | None = None) -> str:
    """`low to high`, a dash for null. apart: a number; an end that would read like it has a decimal more."""
    texts = [number(end, decimals) for end in (low, high)]
    if DASH in texts:
        return DASH
    for place, end in enumerate((low, high)):
        if apart is not None and end != apart and texts[place] == number(apart, decimals):
            texts[place] = number(end, decimals + 1)
    return " to ".join(texts)


def p_value(p: Any) -> str:
    """A p-value with two significant digits."""
    if p is None or pd.isna(p):
        return DASH
    value = float(p)
    return "< 1e-16" if value < 1e-16 else f"{value:.2g}"


DAGGER = "†"
"""The mark of what is significant after correction."""

UNTESTABLE = "∘"
"""The mark of what differs and cannot be tested: it rests on too few different words."""
