"""Tables as CSV that spreadsheets take for text and numbers, never for formulas."""

import re
from typing import Any

import pandas as pd

_FORMULA = re.compile(r"[=+\-@\t\r]")
"""What a cell begins with that spreadsheets would run as a formula."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def csv_text(rows: pd.DataFrame) -> str:
    """The table as CSV, without its index.

    Text that a spreadsheet would run as a formula stands behind an apostrophe, as OWASP advises against CSV
    injection. Numbers are written as they are, even where they are text.
    """
    safe = rows.rename(columns=_inert)
    for place in range(rows.shape[1]):
        column: Any = rows.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(place, column.map(_inert, na_action="ignore"))
    return safe.to_csv(index=False)


def _inert(cell: Any) -> Any:
    risky = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky else cell
