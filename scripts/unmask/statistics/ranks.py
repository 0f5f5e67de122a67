"""Statistics of ranks and of many tests: Spearman and Holm."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from unmask.statistics.sharing import Floats


class Correlation(NamedTuple):
    rho: float = np.nan
    low: float = np.nan
    high: float = np.nan


def spearman(first: Floats, second: Floats, confidence: float) -> Correlation:
    """Spearman's rank correlation with its interval.

    The interval is tanh(atanh rho ± z sqrt((1 + rho²/2) / (n - 3))), Fisher's transformation with the
    standard error of Bonett & Wright 2000. Ties get mean ranks. All nan where a sample is constant or has
    fewer than two values; the interval alone is nan where n < 4 or |rho| = 1.
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation()
    rho = float(pd.DataFrame({"first": first, "second": second}).rank().corr().to_numpy()[0, 1])
    # rounding may leave a perfect correlation a hair beside 1
    if abs(rho) > 1 - 1e-12:
        return Correlation(round(rho))
    if len(first) < 4:
        return Correlation(rho)
    reach = ndtri((1 + confidence) / 2) * np.sqrt((1 + rho**2 / 2) / (len(first) - 3))
    low, high = np.tanh(np.arctanh(rho) + reach * np.array([-1, 1]))
    return Correlation(rho, float(low), float(high))


def step_down(p: npt.ArrayLike) -> Floats:
    """p of one family (n,) after Holm's step-down correction over all that is not nan; nan stays."""
    raw = pd.Series(p, dtype=float).dropna().sort_values(kind="stable")
    corrected = (raw * np.arange(len(raw), 0, -1)).cummax().clip(upper=1)
    return np.asarray(corrected.reindex(range(np.size(p))), np.float64)


def holm(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`frame` with a column p_holm: `p` after Holm's correction within each family of equal `by`.

    The raw `p` stays. A null p is in no family and stays null; null is a value of its own in `by`.
    """
    families = frame["p"].astype(float).groupby([frame[name] for name in by], dropna=False, sort=False)
    return frame.assign(p_holm=families.transform(lambda p: step_down(p.to_numpy())))
