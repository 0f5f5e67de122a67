"""One value for several models: those of one family have learnt from the same world, and count once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

_ENDS = {"score": ("low", "high"), "margin": ("margin_low", "margin_high")}
"""The columns of the intervals of values, by name; others have none."""


class OverFamilies(NamedTuple):
    """The mean of the families' means with its interval, null (nan) with fewer than two families."""

    value: float
    low: float
    high: float
    families: int


def family_means(values: Mapping[str, float], families: Mapping[str, str]) -> dict[str, float]:
    """The mean of the models of each family, both given by model."""
    by_family: dict[str, list[float]] = {}
    for model, value in values.items():
        by_family.setdefault(families[model], []).append(value)
    return {family: float(np.mean(of_family)) for family, of_family in by_family.items()}


def over_families(
    values: Mapping[str, float], families: Mapping[str, str], confidence: float
) -> OverFamilies:
    """The mean of the means of families, and Student's t interval over families.

    values: by model; all is nan where one of them is, and where there is none. families: that of each model.
    """
    if not values:
        return OverFamilies(float("nan"), float("nan"), float("nan"), 0)
    means = np.array(list(family_means(values, families).values()))
    count, value = len(means), float(means.mean())
    if count < 2 or np.isnan(value):
        return OverFamilies(value, float("nan"), float("nan"), count)
    reach = float(student.ppf((1 + confidence) / 2, count - 1)) * float(means.std(ddof=1)) / np.sqrt(count)
    return OverFamilies(value, value - reach, value + reach, count)


def over_models(
    rows: pd.DataFrame, keys: Sequence[str], values: Sequence[str], confidence: float
) -> pd.DataFrame:
    """The mean of family means of each of `values`, for each of `keys` in order of appearance.

    rows: one per key and model, with model and family. The columns are keys, models, families, and each
    value, `score` and `margin` with the ends of Student's t over families (nan with fewer than two).
    """
    means = []
    for key, part in rows.groupby(list(keys), sort=False, dropna=False):
        row = dict(zip(keys, key, strict=True))
        row |= {"models": part["model"].nunique(), "families": part["family"].nunique()}
        for name in values:
            known = part[part[name].notna()]
            models = list(map(str, known["model"]))
            of_models = dict(zip(models, map(float, known[name]), strict=True))
            families = dict(zip(models, map(str, known["family"]), strict=True))
            mean = over_families(of_models, families, confidence)
            row[name] = mean.value
            row |= dict(zip(_ENDS.get(name, ()), (mean.low, mean.high), strict=False))
        means.append(row)
    columns = [*keys, "models", "families"]
    columns += [column for name in values for column in (name, *_ENDS.get(name, ()))]
    return pd.DataFrame(means, columns=columns)


def margins_of_models(doses: pd.DataFrame, over: Sequence[str]) -> pd.DataFrame:
    """The mean margin of each model, measure and value of `over`, cells weighted by their pairs."""
    keys = ["measure", "role", "architecture", "family", "model", *over]
    rows = doses[doses["margin"].notna()]
    sums = rows.assign(margin=rows["margin"] * rows["pairs"])
    of_models = sums.groupby(keys, sort=False, dropna=False, as_index=False)[["margin", "pairs"]].sum()
    return of_models.assign(margin=of_models["margin"] / of_models["pairs"])
