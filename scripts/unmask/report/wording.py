"""What the report says in words: numbers, lists, plurals and spans in sentences and cells; and captions.

A caption says what protocol and what reading a number has; each family has a file of them. It has at most 40
words. A `[field: part]` of a chart's caption stands only where the chart has values of that field, so that it
speaks of no interval or band that is not drawn. What a reader needs only to check a number is under
`computed` in the same file: for each section, by what it is about.
"""

import re
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsInt

import pandas as pd
import yaml

DASH = "\N{EN DASH}"
"""In place of a number that is not there."""

MINUS = "\N{MINUS SIGN}"
"""Before negative numbers, in sentences, tables and charts alike."""

DAGGER = "†"
"""The mark of what is significant after correction."""

UNTESTABLE = "∘"
"""The mark of what differs and cannot be tested: it rests on too few different words."""


def number(value: Any, decimals: int = 2, signed: bool = False) -> str:
    """A number as text, a dash for null."""
    return DASH if pd.isna(value) else with_minus(f"{float(value):{'+' if signed else ''}.{decimals}f}")


def with_minus(text: str) -> str:
    """A number as Python writes it, with a minus sign in place of the hyphen at its start, and no negative
    zero."""
    if re.fullmatch(r"-[0.]+", text):
        return text[1:]
    return f"{MINUS}{text[1:]}" if text.startswith("-") else text


def p_value(p: Any) -> str:
    """A p-value with two significant digits, a dash for null."""
    if pd.isna(p):
        return DASH
    return "< 1e-16" if p < 1e-16 else f"{p:.2g}"


def interval(low: Any, high: Any, decimals: int = 1, apart: float | None = None) -> str:
    """`low to high`, a dash for null. apart: a number; an end that would read like it has a decimal more."""
    texts = [number(end, decimals) for end in (low, high)]
    if DASH in texts:
        return DASH
    for place, end in enumerate((low, high)):
        if apart is not None and end != apart and texts[place] == number(apart, decimals):
            texts[place] = number(end, decimals + 1)
    return " to ".join(texts)


def span(least: Any, most: Any, decimals: int = 2, signed: bool = False) -> str:
    """`least to most`, or one number where both read alike."""
    ends = dict.fromkeys(number(end, decimals, signed) for end in (least, most))
    return " to ".join(ends)


def counted(count: int, thing: str = "pair") -> str:
    """So many of a thing, such as `1 pair` or `1,508 pairs`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def many(count: SupportsInt | Sized, one: str, several: str) -> str:
    """The word that goes with so many; what has a length counts as that."""
    return one if (len(count) if isinstance(count, Sized) else int(count)) == 1 else several


def listed(names: Iterable[object], most: int | None = None) -> str:
    """`a, b and c`, or `a, b and 3 more` of more than `most`; no names are `none`."""
    texts = [str(name) for name in names]
    if most is not None and len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    if not texts:
        return "none"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


COMPUTED = "computed"
"""The key of a file of captions that has no caption."""

_PART = re.compile(r"\[(\w+): ([^\[\]]*)\]")


def with_parts_of(caption: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """A chart's caption with those of its parts whose field has a value in some row of the chart."""
    named = {field for field, _ in _PART.findall(caption)}
    there = {field for row in rows for field in named if row.get(field) is not None}
    text = _PART.sub(lambda part: part[2] if part[1] in there else "", caption)
    return re.sub(r" (?=[,.;])", "", " ".join(text.split()))


@dataclass(frozen=True)
class Captions:
    """Captions by name. facts: what they name in braces."""

    templates: Mapping[str, Any]
    facts: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """The caption of that name, filled in. Raises KeyError where it, or a fact it names, is unknown."""
        return self._filled(self.templates[name])

    def computed(self, section: str) -> tuple[tuple[str, str], ...]:
        """How the numbers of a section are computed: what, and how; nothing where it is not said."""
        texts: Mapping[str, str] = self.templates.get(COMPUTED, {}).get(section, {})
        return tuple((what, self._filled(text)) for what, text in texts.items())

    def _filled(self, template: str) -> str:
        return template.format(**self.facts).strip()


def load_captions(path: str | Path, **facts: str) -> Captions:
    """The captions of a file, to be filled in with facts when they are looked up."""
    return Captions(yaml.safe_load(Path(path).read_text(encoding="utf-8")), facts)
