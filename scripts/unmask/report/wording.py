"""What sentences have in common: lists, plurals, spans, and rows as they read them."""

from collections.abc import Iterable, Mapping, Sized
from typing import Any, SupportsInt

import pandas as pd

from unmask.report.sheets import number

Row = Mapping[str, Any]


def listed(names: Iterable[object], most: int | None = None, end: str = "and") -> str:
    """`a, b and c`, or `a, b and 3 more` of more than `most`; no names are `none`."""
    texts = [str(name) for name in names]
    if most is not None and len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    if not texts:
        return "none"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {end} {texts[-1]}"


def many(count: SupportsInt | Sized, one: str, several: str) -> str:
    """The word that goes with so many; what has a length counts as that."""
    return one if (len(count) if isinstance(count, Sized) else int(count)) == 1 else several


def span(least: Any, most: Any, decimals: int = 2, signed: bool = False) -> str:
    """`least to most`, or one number where both read alike."""
    ends = dict.fromkeys(number(end, decimals, signed) for end in (least, most))
    return " to ".join(ends)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame for sentences: null is None."""
    nulls = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in nulls.to_dict("records")]
