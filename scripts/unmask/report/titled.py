"""Charts that leave the page: each says what it shows, of how many pairs, of which study and what made it."""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from unmask.report.captions import with_parts_of

BROAD = 60
"""Letters of a line at the most: as broad as a chart of one panel."""

_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


def title_of(
    spec: Mapping[str, Any], heading: Sequence[str], caption: str, study: str, source: str
) -> dict[str, Any]:
    """The title of a chart as Vega-Lite has it, for a picture that is saved.

    spec: the chart, with its rows in it; heading: titles of what it is in, the outermost first, and where
    there is none the first sentence of its caption; study: its name; source: what made it, with the version.
    The text below the title is the caption, the unit, the number of pairs where rows have one (`pairs`),
    study and source.
    """
    rows: Sequence[Mapping[str, Any]] = spec["data"]["values"]
    text = with_parts_of(caption, rows)
    title, *rest = [": ".join(heading), text] if heading else _SENTENCE.split(text)
    unit: Mapping[str, Any] = spec.get("title", {})
    lines = [*_wrapped(" ".join(rest)), *([unit["text"], *unit.get("subtitle", [])] if unit else [])]
    pairs = [row["pairs"] for row in rows if isinstance(row.get("pairs"), int | float)]
    if pairs:
        few, many = min(pairs), max(pairs)
        lines.append(f"n = {many:g} pairs" if few == many else f"n = {few:g} to {many:g} pairs")
    lines.append(f"Study {study}. Source: {source}.")
    return {"text": _wrapped(title), "subtitle": lines, "fontWeight": "bold"}


def _wrapped(text: str) -> list[str]:
    """A text in lines that end between words."""
    return wrap(text, BROAD, break_long_words=False, break_on_hyphens=False)
