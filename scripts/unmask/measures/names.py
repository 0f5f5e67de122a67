"""What measures are called."""

from functools import cache
from typing import Any

from unmask.configuration import read_config
from unmask.installation import workflow_root
from unmask.measures.formulas import is_free


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
