"""Correction for many tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


def holm(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`frame` with a column p_holm: `p` after Holm's step-down correction within each family of equal `by`.

    The raw `p` stays. A null p is in no family and stays null; null is a value of its own in `by`.
    """
    corrected = pd.Series(np.nan, index=frame.index, dtype=float)
    for _, family in frame.groupby(list(by), dropna=False, sort=False):
        corrected[family.index] = step_down(family["p"].to_numpy(float, na_value=np.nan))
    return frame.assign(p_holm=corrected)


def step_down(p: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """p of one family (n,) after Holm's step-down correction over all that is not nan; nan stays.

    statsmodels' collects garbage at each call, which for many small families takes longer than all else.
    """
    corrected = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    steps = p[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
