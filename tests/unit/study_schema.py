"""The keys of a study, and what they say of measures and of the options of the statistics."""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from library import (
    ALL_MEASURES,
    CAUSAL_LM,
    CAUSAL_MASKINGS,
    MASKED_LM,
    MASKINGS,
    choose_study,
    complete,
    kind_for,
)

ROOT = Path(__file__).resolve().parents[2]
MEASURES = tuple(name for name in ALL_MEASURES if kind_for(name) == MASKED_LM)
"""All measures of masked language models."""

CAUSAL_MEASURES = tuple(name for name in ALL_MEASURES if kind_for(name) == CAUSAL_LM)
"""All of causal language models."""

MASKED_MASKINGS = tuple(masking for masking in MASKINGS if masking not in CAUSAL_MASKINGS)
"""Those of masked language models."""


STATISTICS = complete({"study": "x", "benchmarks": ["crows-pairs"]})["statistics"]


def statistics_with(**changes: object) -> dict[str, Any]:
    """The key `statistics` of a study that chooses nothing but these."""
    return {**copy.deepcopy(STATISTICS), **changes}


def options_with(**changes: object) -> dict[str, Any]:
    """The options of a study that chooses nothing but these, by the names of their own keys."""
    options = statistics_with()
    for name, value in changes.items():
        part = options["chance"] if name in options["chance"] else options
        part[name] = value
    return options


def completed_study(name: str, data: str = "DIR") -> dict[str, Any]:
    """A study that comes with Unmask, with the defaults of its keys; data: the user's folder."""
    return dict(complete({**choose_study({"study": name}, ROOT, []), "data": data}, ROOT))


def hub_sources(config: Any) -> Iterator[tuple[str, str]]:
    """What a study fetches of the hub: repositories with their revisions, of models, tokenizers and data."""
    for value in mappings(config):
        if isinstance(value.get("repo"), str):
            yield value["repo"], str(value.get("revision"))


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """All mappings in nested ones and in lists."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from mappings(each)
