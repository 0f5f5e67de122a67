"""Charts that leave the page: each says what it shows, of how many pairs, of which study and what made it."""

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from unmask.report.captions import with_parts_of
from unmask.report.panels import GAP

_WIDTH = 400
"""Pixels of a chart that says none."""

_LETTER, _BOLD = 5.5, 7.0
"""Pixels of a letter of the text and of the title, on average."""

_LEAST, _LEAST_BOLD = 60, 50
"""Letters of a line at the least: a narrow chart has a broad text above it."""

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
    if heading:
        title = ": ".join(heading)
    else:
        title, *rest = _SENTENCE.split(text)
        text = " ".join(rest)
    across = _across(spec)
    lines = _wrapped(text, max(_LEAST, int(across / _LETTER)))
    unit: Mapping[str, Any] = spec.get("title", {})
    lines += [unit["text"], *unit.get("subtitle", [])] if unit else []
    pairs = [row["pairs"] for row in rows if isinstance(row.get("pairs"), int | float)]
    if pairs:
        few, many = min(pairs), max(pairs)
        lines.append(f"n = {many:g} pairs" if few == many else f"n = {few:g} to {many:g} pairs")
    lines.append(f"Study {study}. Source: {source}.")
    return {
        "text": _wrapped(title, max(_LEAST_BOLD, int(across / _BOLD))),
        "subtitle": lines,
        "fontWeight": "bold",
    }


def _across(spec: Mapping[str, Any]) -> float:
    """Pixels of a chart as it is saved, about."""
    names = {row.get(spec.get("facet", {}).get("field")) for row in spec["data"]["values"]}
    panels = min(spec.get("columns", 1), len(names))
    width: float = spec.get("spec", {}).get("width", _WIDTH)
    margin: float = spec.get("usermeta", {}).get("margin", 0)
    across: float = panels * (width + GAP) + margin
    return across


def _wrapped(text: str, most: int) -> list[str]:
    """A text in lines of so many letters at most, which end between words."""
    return wrap(text, most, break_long_words=False, break_on_hyphens=False)
