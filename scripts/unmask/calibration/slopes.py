"""How a measure's margin follows what is planted: least squares through means of units."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import linregress
from scipy.stats import t as student

from unmask.calibration.population import Observed
from unmask.statistics.intervals import Floats
from unmask.terms import STEREO
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY

NO_SLOPE = 1e-4
"""A slope no steeper than this is none: so large the float error of a network's margins may be."""


class Slope(NamedTuple):
    """A slope with its interval, which is nan with fewer than three points."""

    value: float
    low: float
    high: float

    def is_none(self) -> bool:
        """Whether it may be 0: its interval holds 0, or it is itself no steeper than NO_SLOPE."""
        return abs(self.value) <= NO_SLOPE or self.low <= 0 <= self.high


def least_squares(x: Floats, y: Floats, confidence: float = 0.95) -> Slope | None:
    """The slope of y on x, with an intercept; None where x does not vary. Points with y nan are left out."""
    known = ~np.isnan(y)
    x, y = x[known], y[known]
    if len(np.unique(x)) < 2:
        return None
    fit = linregress(x, y)
    value = float(fit.slope)
    if len(x) < 3:
        return Slope(value, float("nan"), float("nan"))
    reach = float(student.ppf((1 + confidence) / 2, len(x) - 2)) * float(fit.stderr)
    return Slope(value, value - reach, value + reach)


def association_slopes(observed: Observed, confidence: float) -> dict[str, Slope]:
    """By measure, how much margin a unit of log-odds makes: means of occupations on logit p.

    A measure has none where no two levels of p have a margin.
    """
    _, log_odds, means = association_means(observed)
    return _slopes(observed.measures, log_odds, means, confidence)


def association_means(observed: Observed) -> tuple[list[str], Floats, Floats]:
    """The occupations, sorted; the log-odds of each, logit p; and the mean margins of its pairs, shape
    (occupations, measures), nan where a measure is defined for none of them."""
    keys, means = _means(observed.of_factor(ASSOCIATION), ["unit", "p"])
    return list(keys["unit"]), np.asarray(logit(keys["p"].to_numpy())), means


def frequency_slopes(observed: Observed, confidence: float) -> dict[str, Slope]:
    """By measure, how much margin a unit of log frequency ratio makes, towards the group of the stereotypical
    sentence: means of pairs of groups by direction, where nothing is associated.

    A measure has none where no two ratios have a margin.
    """
    of_factor = observed.of_factor(FREQUENCY)
    keys, means = _means(of_factor, ["unit", "direction", "ratio"])
    towards = np.where(keys["direction"] == STEREO, -1.0, 1.0)
    return _slopes(of_factor.measures, towards * np.log(keys["ratio"].to_numpy()), means, confidence)


def _slopes(measures: tuple[str, ...], x: Floats, means: Floats, confidence: float) -> dict[str, Slope]:
    slopes = {
        measure: least_squares(x, means[:, column], confidence) for column, measure in enumerate(measures)
    }
    return {measure: slope for measure, slope in slopes.items() if slope is not None}


def _means(observed: Observed, by: list[str]) -> tuple[pd.DataFrame, Floats]:
    """The groups of pairs that are alike in these columns, sorted, and the mean margins, shape (groups,
    measures), nan where a measure is defined for no pair of a group."""
    grouped = observed.pairs.groupby(by, sort=True)
    codes = grouped.ngroup().to_numpy()
    keys = pd.DataFrame(list(grouped.groups), columns=by)
    sums, counts = (np.zeros((len(keys), len(observed.measures))) for _ in range(2))
    np.add.at(sums, codes, np.nan_to_num(observed.margin, nan=0.0))
    np.add.at(counts, codes, observed.trial)
    return keys, np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
