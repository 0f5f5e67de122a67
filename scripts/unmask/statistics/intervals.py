"""Intervals: Wilson's for a proportion, and the bootstrap's weights."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from statsmodels.stats.proportion import proportion_confint

Floats = npt.NDArray[np.float64]

WEIGHTS_AT_ONCE = 2**24
"""How many bootstrap weights are in memory at once: 128 MiB of them."""


def wilson(count: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson score interval of count/n in percent, (nan, nan) where n is 0.

    `count` may be fractional: a tie enters as half a success in one trial. A tie varies less than a decision,
    so the interval is then slightly wider than it need be.
    """
    if n == 0:
        return float("nan"), float("nan")
    low, high = proportion_confint(count, n, alpha=1 - confidence, method="wilson")
    # rounding may leave the interval a hair outside 0..1
    return 100 * max(0.0, float(low)), 100 * min(1.0, float(high))


def bootstrap_weights(units: npt.NDArray[np.int64], resamples: int, seed: int) -> Iterator[Floats]:
    """How often each row is in each bootstrap resample, some resamples at a time: shapes (some, rows).

    `units` numbers what is drawn, from 0, for each row: rows of one unit are drawn together, and as many
    units are drawn as there are. One call's weights serve every measure, so that measures are compared on
    the same resamples. The weights do not depend on WEIGHTS_AT_ONCE.
    """
    count = int(units.max()) + 1 if len(units) else 0
    if count == 0:
        yield np.zeros((resamples, 0))
        return
    rng, chances = np.random.default_rng(seed), np.full(count, 1 / count)
    at_once = max(1, WEIGHTS_AT_ONCE // len(units))
    for start in range(0, resamples, at_once):
        draws = rng.multinomial(count, chances, size=min(at_once, resamples - start))
        yield draws[:, units].astype(np.float64)


def percentile_interval(samples: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Percentile interval over the first axis of `samples`, shape (resamples, k).

    nan (a resample with nothing of the group in it) is left out, and all nan gives nan.
    """
    tail = (1 - confidence) / 2
    low, high = np.full(samples.shape[1], np.nan), np.full(samples.shape[1], np.nan)
    some = ~np.isnan(samples).all(axis=0)
    if some.any():
        low[some], high[some] = np.nanquantile(samples[:, some], [tail, 1 - tail], axis=0)
    return low, high
