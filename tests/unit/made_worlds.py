"""Worlds for tests: the default one, as the schema has it, and others by what differs in them."""

from typing import Any

from study_schema import FAMILIES
from unmask.schemas import complete
from unmask.worlds.grammar import World
from unmask.worlds.recipe import Corruption

OTHERS: dict[str, dict[str, Any]] = {
    "uneven": {
        "seed": 2,
        "associations": [0.3, 0.95],
        "ratios": [1.5, 12],
        "both": {"association": 0.65, "ratios": [2.5]},
    },
    "finest": {
        "seed": 3,
        "associations": [round(0.1 + 0.07 * i, 2) for i in range(12)],
        "ratios": [4, 1, 4],
        "both": {"association": 0.4, "ratios": [3, 1]},
    },
}
"""Settings of worlds that differ from the default in everything."""

DOSED: dict[str, Any] = {
    "seed": 1,
    "associations": [0.5, 0.5, 0.5, 0.6, 0.6, 0.75, 0.75, 0.75, 0.85, 0.9, 0.9, 0.95],
    "ratios": [1, 1, 1, 1, 4, 4, 4, 4, 16, 16, 16, 16],
    "both": {"association": 0.8, "ratios": [1, 4, 16]},
    "lengths": 5,
    "longer": 3,
    "pairs": {"per_occupation": 9, "per_trait": 3},
}
"""Settings of a world that has every factor, at levels that repeat."""


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of a world as a study has them, with defaults where they are not given."""
    completed: dict[str, Any] = complete({"study": "x", "worlds": {"w": changes}}, FAMILIES)["worlds"]["w"]
    return completed


def make_world(seed: int = 0, **changes: Any) -> World:
    """A world with the default settings but for those given."""
    return World.from_config("w", settings(seed=seed, **changes))


CORRUPTION = Corruption.from_config("w", settings())
