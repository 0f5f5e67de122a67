"""Worlds for tests: the default one, as the schema has it, and others by what differs in them."""

from typing import Any

from library import World, complete

UNEVEN: dict[str, Any] = {
    "seed": 2,
    "associations": [0.3, 0.95],
    "ratios": [1.5, 12],
    "both": {"association": 0.65, "ratios": [2.5]},
}
"""Settings of a world that differs from the default in everything."""

DOSED: dict[str, Any] = {
    "seed": 1,
    "associations": [0.5, 0.5, 0.5, 0.6, 0.6, 0.75, 0.75, 0.75, 0.85, 0.9, 0.9, 0.95],
    "ratios": [1, 1, 1, 1, 4, 4, 4, 4, 16, 16, 16, 16],
    "both": {"association": 0.8, "ratios": [1, 4, 16]},
    "lengths": 5,
    "pairs": {"per_occupation": 9, "per_trait": 3},
}
"""Settings of a world that has every factor, at levels that repeat."""

NAMED: dict[str, Any] = {
    "seed": 4,
    "names": 7,
    "associations": [0.5, 0.9],
    "ratios": [4, 4, 4],
    "both": {"association": 0.8, "ratios": [4, 4]},
    "lengths": 1,
    "pairs": {"per_occupation": 9, "per_trait": 2, "stereo_share": 0.85},
}
"""Settings of a world with names, whose benchmarks are one-sided."""


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of a world as a study has them, with defaults where they are not given."""
    completed: dict[str, Any] = complete({"study": "x", "worlds": {"w": changes}})["worlds"]["w"]
    return completed


def make_world(seed: int = 0, **changes: Any) -> World:
    """A world with the default settings but for those given."""
    return World.from_config("w", settings(seed=seed, **changes))
