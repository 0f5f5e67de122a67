"""Intervals of a proportion, of independent pairs and of pairs that vary together; p and sizes from these."""

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import beta, norm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from unmask.statistics.tolerance import TOLERANCE, at_least

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ENOUGH = 20
"""From this effective size of the rarer decision on, the design effect is taken as it is estimated."""


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
    if not n > 0 or not at_least(df, 1) or np.isnan(design_effect):
        return float("nan"), float("nan")
    df = max(df, 1.0)
    tail = (1 + confidence) / 2
    effective = n / design_effect * float(norm.ppf(tail) / student.ppf(tail, df)) ** 2
    return wilson(count / n * effective, effective, confidence)


def clustered_interval(
    score: Floats,
    n: float,
    effect: Floats,
    largest: float,
    rarer: Floats,
    df: float,
    confidence: float,
    neutral: float = 0.5,
) -> tuple[Floats, Floats]:
    """Ends in percent of the intervals of k scores, each over n pairs that vary together.

    score: shares of 1, shape (k,), like effect and rarer. effect: the estimated design effects, nan where
    decisions are all alike. largest: the design effect if all that share something decided alike. rarer:
    effective size of the rarer decision (Dependence.effective_size). neutral: the score of no preference.

    Away from 0 and 1 an interval is `effective_wilson`. Near them the few deviating decisions say little of
    how pairs vary together, and nothing where there are none. So there each end moves outwards to that with
    the largest effect: of Wilson's interval the end that faces `neutral`, of Clopper & Pearson's the other,
    both with t (Korn & Graubard 1998, Survey Methodology 24:193). With p the score, m that effective size and
    c the smaller of ENOUGH and n / largest, it goes

        edge = (1 - 4 p (1 - p)) · (1 - (m - 1) / (c - 1))²

    of the way: none of it where m ≥ c, and where m is 1 as far as where it is 0. nan where n is 0, or df
    unknown or below 1.
    """
    if not n > 0 or not at_least(df, 1) or np.isnan(largest):
        return np.full(score.shape, np.nan), np.full(score.shape, np.nan)
    tail = (1 + confidence) / 2
    size = n * float(norm.ppf(tail) / student.ppf(tail, max(df, 1.0))) ** 2
    effect = np.where(np.isnan(effect), largest, effect)
    low, high = _wilson(score, size / effect, confidence)
    edge = _edge(score, n, largest, rarer)
    fewest = size / np.maximum(effect, largest)
    least, most = _wilson(score, fewest, confidence)
    upper, lower = score >= neutral, score <= neutral
    count, other = score * fewest, (1 - score) * fewest
    most[upper] = np.where(score == 1, 1.0, beta.ppf(tail, count + 1, np.where(score == 1, 1.0, other)))[
        upper
    ]
    least[lower] = np.where(score == 0, 0.0, beta.ppf(1 - tail, np.where(score == 0, 1.0, count), other + 1))[
        lower
    ]
    return 100 * (low + edge * np.minimum(least - low, 0)), 100 * (high + edge * np.maximum(most - high, 0))


def clustered_p(
    score: float, n: float, effect: float, largest: float, rarer: float, df: float, neutral: float = 0.5
) -> float:
    """The two-sided p of no preference, of a score over n pairs that vary together.

    It is 1 less the confidence at which the end of `clustered_interval` that faces `neutral` is there.

    Its arguments are those of `clustered_interval`, of one score. nan where there is no interval.
    """
    if not n > 0 or not at_least(df, 1) or np.isnan(largest):
        return float("nan")
    if abs(score - neutral) <= TOLERANCE:
        return 1.0
    if score < neutral:
        score, neutral = 1 - score, 1 - neutral
    effect = largest if np.isnan(effect) else effect
    # the end is a mean of two of Wilson's, each of which is at neutral where t is away · √(n / effect)
    away = (score - neutral) / math.sqrt(neutral * (1 - neutral))
    lesser, greater = (away * math.sqrt(n / of) for of in (max(effect, largest), effect))
    edge = float(_edge(np.array(score), n, largest, np.array(rarer)))

    def facing(quantile: float) -> float:
        """The lower end above neutral, of a score that lies above or is mirrored."""
        ends = [_lower_end(score, quantile**2 * of / n) for of in (effect, max(effect, largest))]
        return (1 - edge) * ends[0] + edge * ends[1] - neutral

    # a little wider, as rounding may leave either end on the wrong side
    lesser, greater = lesser * (1 - TOLERANCE), greater * (1 + TOLERANCE)
    quantile = brentq(facing, lesser, greater, xtol=1e-12, rtol=1e-14)
    return float(2 * student.sf(quantile, max(df, 1.0)))


def _lower_end(share: float, squared: float) -> float:
    """Wilson's lower end. squared: the square of the quantile over the effective number of pairs."""
    spread = math.sqrt(squared * share * (1 - share) + squared**2 / 4)
    return (share + squared / 2 - spread) / (1 + squared)


def _edge(score: Floats, n: float, largest: float, rarer: Floats) -> Floats:
    """How far the ends of scores near 0 and 1 go towards those with the largest design effect."""
    few = min(ENOUGH, n / largest)
    share = np.clip((few - rarer) / max(few - 1, TOLERANCE), 0, 1)
    edge: Floats = (1 - 4 * score * (1 - score)) * share**2
    return edge


def _wilson(share: Floats, size: Floats, confidence: float) -> tuple[Floats, Floats]:
    low, high = proportion_confint(share * size, size, alpha=1 - confidence, method="wilson")
    # rounding may leave the interval a hair outside 0..1
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def contains(low: float, high: float, value: float) -> bool:
    """Is a value within the ends of an interval, or outside by rounding alone? nan contains nothing."""
    return at_least(value, low) and at_least(high, value)


def leaves_out(low: float, high: float, value: float) -> bool:
    """Is a value outside of an interval by more than rounding? An unknown interval leaves nothing out."""
    return low <= high and not contains(low, high, value)
