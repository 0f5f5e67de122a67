"""Intervals and tests of a share of pairs that vary together."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize.elementwise import find_root
from scipy.special import betaincinv, ndtri, stdtr, stdtrit

from unmask.statistics.sharing import TOLERANCE, Floats

ENOUGH = 20
"""From this effective size of the rarer decision on, the design effect is taken as it is estimated."""


def normal_quantile(confidence: float) -> float:
    """What an interval of this confidence reaches in standard errors."""
    return float(ndtri((1 + confidence) / 2))


def wilson(share: npt.ArrayLike, size: npt.ArrayLike, quantile: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends, from 0 to 1, of Wilson's intervals of shares of `size` independent decisions; nan of none.

    quantile: what the interval reaches in standard errors. A tie enters as half a success in one trial. It
    varies less than a decision, so the interval is then slightly wider than it need be.
    """
    share, size, z = (np.asarray(each, float) for each in (share, size, quantile))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = share + z**2 / (2 * size)
        reach = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
        low, high = ((centre + sign * reach) / (1 + z**2 / size) for sign in (-1, 1))
    # rounding may leave the interval a hair outside
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def proportion(
    scores: pd.DataFrame, confidence: float, neutral: npt.ArrayLike = 0.5, decided: npt.ArrayLike = True
) -> pd.DataFrame:
    """low and high in percent, p and design_effect of scores: a frame of `contrast` of decisions.

    Away from 0 and 1 an interval is Wilson's with n / design effect in place of n, and Student's t (Korn &
    Graubard 1998, Survey Methodology 24:193). Near them the few deviating decisions say little of how pairs
    vary together, and nothing where there are none. So there each end moves outwards to that with the
    largest design effect: of Wilson's interval the end that faces `neutral`, the share of no preference; of
    Clopper & Pearson's the other. With s the share, m the effective size of the rarer decision and c the
    smaller of ENOUGH and n / largest effect, it goes

        edge = (1 - 4 s (1 - s)) · (1 - (m - 1) / (c - 1))²

    of the way: none of it where m ≥ c, and where m is 1 as far as where it is 0. p is 1 less the confidence
    at which the end that faces `neutral` is there. nan where no pair counts, where df is unknown or below 1,
    and where no pair is decided, so that nothing can vary. residual_low and residual_high: the ends of which
    none of the way is gone, and the score itself where residuals say nothing.
    """
    share, n, df, largest, rarer = (
        scores[name].to_numpy(float) for name in ("estimate", "n", "df", "largest", "rarer")
    )
    neutral = np.broadcast_to(np.asarray(neutral, float), share.shape)
    known = (n > 0) & (df >= 1 - TOLERANCE) & ~np.isnan(largest) & np.asarray(decided)
    df, tail = np.where(known, np.maximum(df, 1), np.nan), (1 + confidence) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        # decisions that are all alike tell nothing of how they vary together
        effect = np.where(scores["independent"] > 0, scores["clustered"] / scores["independent"], largest)
        most = np.fmax(effect, largest)
        few = np.minimum(ENOUGH, n / largest)
        edge = np.clip((few - rarer) / np.maximum(few - 1, TOLERANCE), 0, 1) ** 2
        edge = edge * (1 - 4 * share * (1 - share))
        t = stdtrit(df, tail)
        alone = low, high = wilson(share, n / effect, t)
        least, greatest = wilson(share, n / most, t)
        size = n / most * (normal_quantile(confidence) / t) ** 2
        count, other = np.maximum(share * size, TOLERANCE), np.maximum((1 - share) * size, TOLERANCE)
        exact_low = np.where(share == 0, 0.0, betaincinv(count, other + 1, 1 - tail))
        exact_high = np.where(share == 1, 1.0, betaincinv(count + 1, other, tail))
        least = np.where(share <= neutral, exact_low, least)
        greatest = np.where(share >= neutral, exact_high, greatest)
        low, high = low + edge * np.minimum(least - low, 0), high + edge * np.maximum(greatest - high, 0)
        # the end that faces neutral is the lower one of a share above it, or of what mirrors one below
        upper, half = (np.where(share < neutral, 1 - each, each) for each in (share, neutral))
        # a mean of two of Wilson's, each of which is at neutral where t is distance · √(n / effect)
        distance = (upper - half) / np.sqrt(half * (1 - half))
        bracket = [distance * np.sqrt(n / each) for each in (most, effect)]

        def beyond(
            t: Floats, share: Floats, half: Floats, size: Floats, least: Floats, edge: Floats
        ) -> Floats:
            return (1 - edge) * wilson(share, size, t)[0] + edge * wilson(share, least, t)[0] - half

        # a little wider, as rounding may leave either end on the wrong side
        wider = bracket[0] * (1 - TOLERANCE), bracket[1] * (1 + TOLERANCE)
        quantile = find_root(beyond, wider, args=(upper, half, n / effect, n / most, edge)).x
        p = np.where(distance > TOLERANCE, 2 * stdtr(df, -quantile), 1.0)
    ends = {"low": 100 * low, "high": 100 * high}
    for name, end in zip(("residual_low", "residual_high"), alone, strict=True):
        ends[name] = 100 * np.where(scores["independent"] > 0, end, share)
    effect = np.where(n > 0, effect, np.nan)
    return pd.DataFrame({**ends, "p": np.where(known, p, np.nan), "design_effect": effect})


def contains(low: float, high: float, value: float) -> bool:
    """Is a value within the ends of an interval, or outside by rounding alone? nan contains nothing."""
    return value >= low - TOLERANCE * max(1.0, abs(low)) and value <= high + TOLERANCE * max(1.0, abs(value))


def leaves_out(low: float, high: float, value: float) -> bool:
    """Is a value outside of an interval by more than rounding? An unknown interval leaves nothing out."""
    return low <= high and not contains(low, high, value)
