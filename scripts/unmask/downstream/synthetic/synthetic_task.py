"""What synthetic tasks share: every text with every label that it may have, and how likely each is."""

import random
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.worlds.grammar import World


@dataclass(frozen=True)
class SyntheticTask:
    """A synthetic task before anything is drawn from it."""

    cases: pd.DataFrame
    """The columns text, second, label, gender, occupation; `train` and `test` are the probabilities of the
    case among examples and among items of the test, and each sums to one."""
    bias: pd.DataFrame
    """The items of bias, each once; as ITEMS but for what is numbered. Empty for occupations."""
    labels: tuple[str, ...] | None
    truth: dict[str, dict[str, float]]


def sampled(cases: pd.DataFrame, law: str, count: int, seed: str) -> pd.DataFrame:
    """So many cases by their probabilities in the column `law`, in random order.

    By systematic sampling: every case, and every run of adjacent cases, is there as often as expected, give
    or take one. So the sample has the bias of the law.
    """
    rng = random.Random(seed)
    ends = np.cumsum(cases[law].to_numpy(np.float64))
    points = (np.arange(count) + rng.random()) / count * ends[-1]
    places = np.minimum(np.searchsorted(ends, points, side="right"), len(cases) - 1).tolist()
    rng.shuffle(places)
    sample: pd.DataFrame = cases.iloc[places].reset_index(drop=True)
    return sample


def female_share(world: World, strength: float) -> dict[str, float]:
    """P(female | occupation), from 0 to 1: one half at strength 0, the world's own at 1."""
    return {
        occupation.word: 0.5
        + strength * ((occupation.p if occupation.gender == "female" else 1 - occupation.p) - 0.5)
        for occupation in world.occupations
    }


def correlation(one: list[float], other: list[float]) -> float | None:
    """Pearson's r; None where one of them does not vary."""
    if np.ptp(one) < 1e-12 or np.ptp(other) < 1e-12:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def defined(metrics: dict[str, float | None]) -> dict[str, float]:
    """The metrics that there are."""
    return {name: value for name, value in metrics.items() if value is not None}
