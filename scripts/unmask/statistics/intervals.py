"""Wilson intervals of a proportion: of independent pairs, and of pairs that vary together."""

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def wilson(count: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson score interval of count/n in percent, (nan, nan) where n is 0.

    `count` may be fractional: a tie enters as half a success in one trial. A tie varies less than a decision,
    so the interval is then slightly wider than it need be.
    """
    if not n > 0:
        return float("nan"), float("nan")
    low, high = proportion_confint(count, n, alpha=1 - confidence, method="wilson")
    # rounding may leave the interval a hair outside 0..1
    return 100 * max(0.0, float(low)), 100 * min(1.0, float(high))


def effective_wilson(
    count: float, n: float, design_effect: float, df: float, confidence: float
) -> tuple[float, float]:
    """Wilson's interval in percent of count/n from pairs that vary together.

    In place of n stands n / design_effect · (z / t)², with the quantiles of the normal distribution and of
    Student's t (Korn & Graubard 1998). (nan, nan) where n is 0, or df unknown or below 1.
    """
    if not n > 0 or not df >= 1 or np.isnan(design_effect):
        return float("nan"), float("nan")
    tail = (1 + confidence) / 2
    effective = n / design_effect * float(norm.ppf(tail) / student.ppf(tail, df)) ** 2
    return wilson(count / n * effective, effective, confidence)
