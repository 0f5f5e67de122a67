"""The vectors of a model's regions in few dimensions, and what they vary by most."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, spearmanr

from unmask.regional.pairs import Floats, unit

SAME = 1e-6
"""Coordinates of vectors of length one, and likelihoods in single precision, that are no farther apart are
the same."""

FEWEST = 3
"""Fewer vectors have no two dimensions."""


class RegionVectors(NamedTuple):
    """What a model makes of the regions of Figure 3."""

    model: str
    regions: Sequence[str]
    # regions x words, equation 1
    f: Floats
    # of the names alone
    names: Floats


class FirstDirection(NamedTuple):
    """The first principal component of a model's vectors of regions."""

    model: str
    regions: int
    # of the variance
    share: float
    # |Spearman's rho| with the mean log-probability of a region's sentences
    sentences: float
    # the same with that of its name alone; nan where these are all alike
    name: float


def principal_components(vectors: Floats) -> tuple[Floats, tuple[float, float]]:
    """The first two principal components (rows x 2) and the shares of the variance that they hold.

    The sign of a component is such that its largest coordinate is positive; one that is not there is 0.
    """
    left, sizes, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    sizes = np.pad(sizes, (0, 2))
    points = np.pad(left, ((0, 0), (0, 2)))[:, :2] * sizes[:2]
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    variances = sizes**2
    first, second = variances[:2] / (variances.sum() or 1)
    return points * np.where(signs == 0, 1, signs), (float(first), float(second))


def first_directions(models: Iterable[RegionVectors]) -> Iterator[FirstDirection]:
    """For each model with three regions or more, unless all have the same vector or likelihood."""
    for model, regions, f, names in models:
        if len(regions) < FEWEST:
            continue
        points, (share, _) = principal_components(unit(f))
        first, sentences = points[:, 0], f.mean(axis=1)
        if np.ptp(first) < SAME or np.ptp(sentences) < SAME:
            continue
        of_sentences, of_names = (
            abs(float(spearmanr(first, values).statistic)) for values in (sentences, names)
        )
        yield FirstDirection(model, len(regions), share, of_sentences, of_names)


def rho_by_chance(regions: int, confidence: float) -> float:
    """|rho| that unrelated rankings of so many regions stay below in a share `confidence` of all cases.

    By the normal approximation: rho has variance 1 / (n - 1).
    """
    return float(min(1.0, norm.ppf((1 + confidence) / 2) / np.sqrt(regions - 1)))
