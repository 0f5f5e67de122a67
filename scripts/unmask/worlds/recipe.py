"""How a model of a world is trained, without torch, so that exact models can use it, too."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from unmask.errors import InputError
from unmask.worlds.grammar import FREE_SLOTS, World


@dataclass(frozen=True)
class Recipe:
    """How a model is trained: what was measured to be enough, and cheap."""

    steps: int = 2600
    batch: int = 128
    learning_rate: float = 5e-3
    warm_up: float = 0.05
    """Share of the steps."""
    factor_rate: float = 0.35
    factor_rate_with_names: float = 0.4
    free_rate: float = 0.1
    template_rate: float = 0.05
    """How often a word is chosen for prediction: one that carries a factor (in worlds with names, too, which
    have more such words to learn), one of a free slot, one of a template. All words that can stand in a slot
    have one rate: else frequencies would be distorted."""

    def rates(self, world: World) -> dict[str, float]:
        """How often each word of a world is chosen for prediction; of a word that is split, each piece is."""
        rates = dict.fromkeys(world.words, self.template_rate)
        free_words = {word for words in FREE_SLOTS.values() for word in words}
        rates |= dict.fromkeys(free_words.intersection(rates), self.free_rate)
        factor_rate = self.factor_rate_with_names if world.names else self.factor_rate
        return rates | dict.fromkeys(world.factor_words, factor_rate)


class Corruption(NamedTuple):
    """What training does to the tokens that it chooses for prediction: shares of them.

    AUL and AULA need the kept and random ones: they hide nothing.
    """

    masked: float
    kept: float
    random: float

    @classmethod
    def from_config(cls, name: str, entry: Mapping[str, Any]) -> "Corruption":
        """From the settings of the world `name`. Raises InputError where the shares do not sum to one."""
        shares = cls(**entry["corruption"])
        if not math.isclose(sum(shares), 1, abs_tol=1e-9):
            total = " + ".join(f"{share:g}" for share in shares)
            raise InputError(
                f"worlds.{name}.corruption: masked, kept and random are shares that sum to 1, not {total}"
            )
        return shares
