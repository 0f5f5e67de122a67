"""Captions, which say what protocol and what reading a number has; each family has a file of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Captions:
    """Captions by name. facts: what they name in braces."""

    templates: Mapping[str, str]
    facts: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """The caption of that name, filled in. Raises KeyError where it, or a fact it names, is unknown."""
        return self.templates[name].format(**self.facts).strip()


def load_captions(path: str | Path, **facts: str) -> Captions:
    """The captions of a file, to be filled in with facts when they are looked up."""
    return Captions(yaml.safe_load(Path(path).read_text(encoding="utf-8")), facts)
