"""Intervals and tests of estimates with a standard error and few degrees of freedom."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t

from unmask.statistics.intervals import Floats
from unmask.statistics.tolerance import TOLERANCE

LEAST_ERROR = TOLERANCE
"""An error below this share of its estimate is rounding: nothing has varied."""


class Student(NamedTuple):
    """error: standard errors of k estimates; low, high: their intervals; p: two-sided, of an estimate of 0.

    All nan where the variance is unknown, where the degrees of freedom are unknown or below 1, and where
    nothing has varied: then there is nothing to test.
    """

    error: Floats
    low: Floats
    high: Floats
    p: Floats


def student(estimate: Floats, variance: Floats, df: Floats, confidence: float) -> Student:
    """Student's t of k estimates with these variances and degrees of freedom, shapes (k,) each."""
    error = np.sqrt(variance)
    known = (error > LEAST_ERROR * np.abs(estimate)) & (df >= 1 - TOLERANCE)
    error, df = np.where(known, error, np.nan), np.where(known, np.maximum(df, 1), np.nan)
    reach = t.ppf((1 + confidence) / 2, df) * error
    p = 2 * t.sf(np.abs(estimate / error), df)
    return Student(error, estimate - reach, estimate + reach, p)
