"""Correction for many tests."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests


def holm(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`frame` with a column p_holm: `p` after Holm's step-down correction within each family of equal `by`.

    The raw `p` stays. A null p is in no family and stays null; null is a value of its own in `by`.
    """
    corrected = pd.Series(np.nan, index=frame.index, dtype=float)
    for _, family in frame.groupby(list(by), dropna=False, sort=False):
        raw = family["p"].dropna()
        if len(raw):
            corrected[raw.index] = multipletests(raw.to_numpy(float), method="holm")[1]
    return frame.assign(p_holm=corrected)
