"""Captions, which say what protocol and what reading a number has; each family has a file of them.

A caption has at most 40 words. A `[field: part]` of a chart's caption stands only where the chart has values
of that field, so that it speaks of no interval or band that is not drawn. What a reader needs only to check a
number is under `computed` in the same file: for each section, by what it is about.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from unmask.report.sections import Facts, Fold

COMPUTED = "computed"
"""The key of a file of captions that has no caption."""

HOW_COMPUTED = "How this is computed"

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

    def computed(self, section: str) -> Fold:
        """How the numbers of a section are computed, in a fold. Raises KeyError as `[]` does."""
        texts: Mapping[str, str] = self.templates[COMPUTED][section]
        return Fold(HOW_COMPUTED, (Facts(tuple((what, self._filled(text)) for what, text in texts.items())),))

    def _filled(self, template: str) -> str:
        return template.format(**self.facts).strip()


def load_captions(path: str | Path, **facts: str) -> Captions:
    """The captions of a file, to be filled in with facts when they are looked up."""
    return Captions(yaml.safe_load(Path(path).read_text(encoding="utf-8")), facts)
