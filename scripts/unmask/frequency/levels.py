"""Which counts of words are equal: differences of their logarithms that a sample of text can tell."""

import numpy as np
import numpy.typing as npt

from unmask.statistics.sharing import Floats, Ints

SMOOTHING = 0.5
"""Added to every count, so that a word that no corpus has gets a finite logarithm."""

DECIMALS = 2
"""Differences of log counts are rounded so before anything is ranked: less than half a percent is none, being
the noise of a sample of text."""


def log_counts(counts: npt.ArrayLike) -> Floats:
    """log(count + SMOOTHING), natural."""
    return np.log(np.asarray(counts, dtype=np.float64) + SMOOTHING)


def rounded(differences: npt.ArrayLike) -> Floats:
    """Differences of log counts, rounded to DECIMALS; nan stays nan."""
    return np.asarray(differences, dtype=np.float64).round(DECIMALS)


def levels(counts: npt.ArrayLike) -> Ints:
    """The level of each count among `counts`, from 0 for the lowest; counts of one level are equal.

    A level begins where the next lower count is so far below that the rounded difference of their logarithms
    is not 0.
    """
    logs = log_counts(counts)
    order = np.argsort(logs, kind="stable")
    level: Ints = np.zeros(len(logs), dtype=np.int64)
    level[order[1:]] = np.cumsum(rounded(np.diff(logs[order])) > 0)
    return level
