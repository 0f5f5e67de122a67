"""What training does to the tokens that it chooses for prediction."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from unmask.errors import InputError


class Corruption(NamedTuple):
    """Shares of the chosen tokens. AUL and AULA need the kept and random ones: they hide nothing."""

    masked: float
    kept: float
    random: float

    @classmethod
    def from_config(cls, name: str, entry: Mapping[str, Any]) -> "Corruption":
        """From the settings of the world `name` of a study. Raises InputError as `checked` does."""
        return cls.checked(f"worlds.{name}.corruption", entry["corruption"])

    @classmethod
    def checked(cls, place: str, given: Mapping[str, float]) -> "Corruption":
        """From shares by name, as the key `place` of a study has them.

        Raises InputError naming the key where the shares are no shares or do not sum to one, and where none
        is masked: such a model could read no mask.
        """
        shares = cls(**given)
        if min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=1e-9):
            told = " + ".join(f"{share:g}" for share in shares)
            raise InputError(f"{place}: masked, kept and random are shares that sum to 1, not {told}")
        if shares.masked == 0:
            raise InputError(f"{place}.masked: 0 leaves nothing from which to learn what a mask is")
        return shares
