"""What a study asks of synthetic worlds that its schema cannot check: said before there is any work."""

from collections.abc import Mapping
from typing import Any

from unmask.errors import InputError
from unmask.worlds.grammar import World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption

Entries = Mapping[str, Mapping[str, Any]]


def check_worlds(worlds: Entries, models: Entries) -> None:
    """Check the worlds of a completed study, and the models that are trained on them.

    Raises InputError naming the key at fault.
    """
    try:
        for name, entry in worlds.items():
            World.from_config(name, entry)
            Corruption.from_config(name, entry)
            Counts.from_config(name, entry)
    except InputError as error:
        raise InputError(f"config key {error}") from None
    for name, entry in models.items():
        if entry["source"] == "train" and entry.get("steps") == 0 and entry.get("gate", True):
            raise InputError(
                f"config key models.{name}.steps: 0 leaves a network untrained, which wants gate: false"
            )
