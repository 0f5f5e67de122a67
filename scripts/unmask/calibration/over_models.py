"""Numbers of several models as one, with the interval that worlds give."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unmask.calibration.families import OverFamilies, over_families

CELL = ["factor", "p", "ratio", "direction", "longer_side"]
"""What was planted in pairs: these columns of DOSES."""

_ENDS = {"score": ("low", "high"), "margin": ("margin_low", "margin_high")}
"""The columns of the intervals of numbers; a number of no other name has one."""

_UNKNOWN = OverFamilies(np.nan, np.nan, np.nan, 0)


def over_models(
    rows: pd.DataFrame, keys: Sequence[str], values: Sequence[str], confidence: float
) -> pd.DataFrame:
    """The mean of family means of each of `values`, for each of `keys` in order of appearance.

    rows: one per key and model, with model and family. The columns are keys, models, families, and each
    value, `score` and `margin` with the ends of Student's t over families (nan with fewer than two).
    """
    found = []
    for key, part in rows.groupby(list(keys), sort=False, dropna=False):
        row = dict(zip(keys, key, strict=True))
        row |= {"models": part["model"].nunique(), "families": part["family"].nunique()}
        for name in values:
            known = part[part[name].notna()]
            models = list(map(str, known["model"]))
            of_models = dict(zip(models, map(float, known[name]), strict=True))
            families = dict(zip(models, map(str, known["family"]), strict=True))
            mean = over_families(of_models, families, confidence) if models else _UNKNOWN
            row[name] = mean.value
            row |= dict(zip(_ENDS.get(name, ()), (mean.low, mean.high), strict=False))
        found.append(row)
    columns = [*keys, "models", "families"]
    columns += [column for name in values for column in (name, *_ENDS.get(name, ()))]
    return pd.DataFrame(found, columns=columns)


def doses_by_role(doses: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """DOSES with all models of a role as one: measure, role, CELL, models, families, then score, low, high,
    margin, margin_low, margin_high and theory."""
    return over_models(doses, ["measure", "role", *CELL], ["score", "margin", "theory"], confidence)


def margins_of_models(doses: pd.DataFrame, over: Sequence[str]) -> pd.DataFrame:
    """The mean margin of each model, measure and value of `over`, cells weighted by their pairs."""
    keys = ["measure", "role", "architecture", "family", "model", *over]
    rows = doses[doses["margin"].notna()]
    sums = rows.assign(margin=rows["margin"] * rows["pairs"])
    found = sums.groupby(keys, sort=False, dropna=False, as_index=False)[["margin", "pairs"]].sum()
    return found.assign(margin=found["margin"] / found["pairs"])
