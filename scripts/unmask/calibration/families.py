"""One value for several models: those of one family have learnt from the same world, and count once."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student


class OverFamilies(NamedTuple):
    """The mean of the families' means with its interval, null (nan) with fewer than two families."""

    value: float
    low: float
    high: float
    families: int


def family_means(values: Mapping[str, float], families: Mapping[str, str]) -> dict[str, float]:
    """The mean of the models of each family, both given by model."""
    own: dict[str, list[float]] = {}
    for model, value in values.items():
        own.setdefault(families[model], []).append(value)
    return {family: float(np.mean(some)) for family, some in own.items()}


def over_families(
    values: Mapping[str, float], families: Mapping[str, str], confidence: float
) -> OverFamilies:
    """The mean of the means of families, and Student's t interval over families.

    values: by model; nan in one of them makes all nan. families: the family of each model.
    Raises ValueError where there is no model.
    """
    if not values:
        raise ValueError("no model has a value")
    means = np.array(list(family_means(values, families).values()))
    count, value = len(means), float(means.mean())
    if count < 2 or np.isnan(value):
        return OverFamilies(value, float("nan"), float("nan"), count)
    reach = float(student.ppf((1 + confidence) / 2, count - 1)) * float(means.std(ddof=1)) / np.sqrt(count)
    return OverFamilies(value, value - reach, value + reach, count)
