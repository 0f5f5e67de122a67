"""Captions, which say what protocol and what reading a number has; each family has a file of them.

A caption has at most 40 words. What a reader needs only to check a number is under `computed` in the same
file: for each section, by what it is about.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from unmask.report.sections import Facts, Fold

COMPUTED = "computed"
"""The key of a file of captions that has no caption."""

HOW_COMPUTED = "How this is computed"


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
