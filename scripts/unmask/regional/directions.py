"""What the direction is in which a model's vectors of regions vary most."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, spearmanr

from unmask.regional.picked import in_two_dimensions, unit_vectors

SAME = 1e-6
"""Coordinates of vectors of length one, and likelihoods in single precision, that are no farther apart are
the same."""


class LaidOut(NamedTuple):
    """The regions of Figure 3, with what a model makes of them."""

    model: str
    regions: Sequence[str]
    # regions x words, equation 1
    f: npt.NDArray[Any]
    # of the names alone; nan where the table has none
    names: npt.NDArray[Any]


class FirstDirection(NamedTuple):
    """The first principal component of a model's vectors of regions."""

    model: str
    regions: int
    # of the variance
    share: float
    # |Spearman's rho| with the mean log-probability of a region's sentences
    sentences: float
    # the same with that of its name alone; nan where it is not known
    name: float


def first_directions(models: Iterable[LaidOut]) -> Iterator[FirstDirection]:
    """For each model with three regions or more, unless all have the same vector or likelihood."""
    for model, regions, f, names in models:
        if len(regions) < 3:
            continue
        points, (share, _) = in_two_dimensions(unit_vectors(f))
        first, sentences = points[:, 0], f.mean(axis=1)
        if np.ptp(first) < SAME or np.ptp(sentences) < SAME:
            continue
        of_sentences, of_names = (
            abs(float(spearmanr(first, values).statistic)) for values in (sentences, names)
        )
        yield FirstDirection(model, len(regions), share, of_sentences, of_names)


def by_chance(regions: int, confidence: float) -> float:
    """|rho| that unrelated rankings of so many regions stay below in a share `confidence` of all cases.

    By the normal approximation: rho has variance 1 / (n - 1).
    """
    return float(min(1.0, norm.ppf((1 + confidence) / 2) / np.sqrt(regions - 1)))
