"""What measures are called, and by which a study, and each of its models, is summed up."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from unmask.configuration import read_config
from unmask.installation import workflow_root
from unmask.measures.formulas import is_free

MAIN = "AUL"
"""The headline measure of a study that names none, if it has it."""


def title_of(name: str) -> str:
    """A measure's name as people read it."""
    return name if is_free(name) else str(_described()[name]["title"])


def explained(name: str) -> str:
    """What a measure's name stands for and what its score of a sentence is, in a sentence."""
    stands_for, score = "made elsewhere", "the number that the file gives for a sentence"
    if not is_free(name):
        stands_for, score = _described()[name]["stands_for"], _described()[name]["score"]
    return f"{title_of(name)} ({stands_for}): {score}."


@cache
def _described() -> dict[str, Any]:
    return dict(read_config(workflow_root() / "resources/pairs/measures.yaml"))


def headline(measures: Sequence[str], named: str | None = None) -> str:
    """The headline measure of a study with these measures: that which it names, or MAIN, or its first."""
    return named or (MAIN if MAIN in measures else measures[0])


def headline_among(measured: Collection[str], measures: Sequence[str], named: str | None = None) -> str:
    """That of a model with its `measured` ones: the study's, or the first of the study that the model has."""
    of_study = headline(measures, named)
    return next((name for name in (of_study, *measures) if name in measured), of_study)
