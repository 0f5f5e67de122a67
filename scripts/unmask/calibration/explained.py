"""What word frequency explains of the bias scores of a real benchmark, and of their differences.

With x_i the log frequency ratio of pair i (PAIR_RATIOS: above 0 where the stereotypical sentence has the
more frequent words) and y_i its credit in percent (100, 50 for a tie, 0), or the credit of one measure less
that of another, least squares give y_i = rest + slope x_i + residual_i, and so

    mean y  =  slope · mean x  +  rest
    value   =  explained       +  rest

in which `rest` is what the line says of pairs whose words are equally frequent.

Limits. The line is straight, but decisions are not: far from the mean of x it is a summary. Counts are
those of the study's corpora, not of the text that a model has learnt. And what goes with frequency need not
come from it: groups that are named less often are also those that stereotypes are about.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from unmask.calibration.schema import EXPLAINED
from unmask.errors import InputError
from unmask.statistics.count_levels import rounded
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence, Variance
from unmask.statistics.intervals import Floats, clustered_interval
from unmask.statistics.nodes import dependence_of
from unmask.statistics.student import student
from unmask.tables import framed
from unmask.terms import CORRECTED


def explained_table(
    pairs: pd.DataFrame,
    scores: pd.DataFrame,
    ratios: pd.DataFrame,
    clusters: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """What frequency explains of each measure and of every two, protocol `corrected`, as EXPLAINED.

    pairs, scores: PAIRS and SCORES of one model; ratios: PAIR_RATIOS, of which `rounded` is taken. clusters:
    what makes two pairs vary together (unmask.statistics.nodes). Pairs without a ratio, or undefined for a
    measure, are left out; so is a measure, or two, without any pair.

    Intervals take the pairs as drawn, with their words and ratios, and those that share a node as varying
    together. That of a score is Wilson's, as in unmask.statistics.bias; the others are the estimate ± t ·
    standard error. Explained, rest and slope are null where all ratios are equal; `towards_frequent` says
    when its share is.
    Raises InputError where scores or ratios are of other pairs.
    """
    if list(ratios["pair_id"]) != list(pairs["pair_id"]):
        raise InputError(
            "log frequency ratios: they are not those of this benchmark; delete them and run again"
        )
    decided = decisions(pairs, scores[scores["protocol"] == CORRECTED])
    credit = np.where(decided.trials() > 0, 100 * decided.credit(), np.nan)
    ratio, dependence = rounded(ratios["log_ratio"]), dependence_of(pairs, clusters)
    measures = [measure for measure, _ in decided.series]
    rows: list[dict[str, object]] = []
    for first, measure in enumerate(measures):
        row = score_explained(credit[:, first], ratio, dependence, confidence)
        rows.append({"first": measure, **row})
    for first, second in combinations(range(len(measures)), 2):
        row = difference_explained(credit[:, first] - credit[:, second], ratio, dependence, confidence)
        rows.append({"first": measures[first], "second": measures[second], **row})
    return framed([row | {"confidence": confidence} for row in rows if row["n"]], EXPLAINED)


def score_explained(
    credit: Floats, ratio: Floats, dependence: Dependence, confidence: float
) -> dict[str, object]:
    """A row of EXPLAINED of one measure, without its name.

    credit: in percent, nan where undefined; ratio: log frequency ratios, nan where unknown; shape (pairs,)
    each. Of no pair, n alone.
    """
    members = np.flatnonzero(~np.isnan(credit) & ~np.isnan(ratio))
    n = len(members)
    if not n:
        return {"n": 0}
    scores, among = credit[members], dependence.among(members)
    spread = _variance_of_mean(scores - scores.mean(), among)
    share = scores[:, None] / 100
    (low,), (high,) = clustered_interval(
        share.mean(axis=0),
        n,
        spread.effect(),
        among.largest_effect(),
        among.effective_size(share),
        spread.df,
        confidence,
    )
    return {
        "n": n,
        "value": scores.mean(),
        "low": low,
        "high": high,
        **_parts(scores, ratio[members], among, np.inf, confidence),
    }


def difference_explained(
    difference: Floats, ratio: Floats, dependence: Dependence, confidence: float
) -> dict[str, object]:
    """The same of two measures; difference: of their credits, in points, nan where either is undefined."""
    members = np.flatnonzero(~np.isnan(difference) & ~np.isnan(ratio))
    n = len(members)
    if not n:
        return {"n": 0}
    differences, among = difference[members], dependence.among(members)
    spread = _variance_of_mean(differences - differences.mean(), among)
    # no larger than the number of pairs that tell the two apart
    most_df = np.count_nonzero(differences) - 1.0
    return {
        "n": n,
        **_with_interval("value", differences.mean(), spread, most_df, confidence),
        **_parts(differences, ratio[members], among, most_df, confidence),
        **towards_frequent(differences, ratio[members], among, confidence),
    }


def _parts(
    values: Floats, ratio: Floats, dependence: Dependence, most_df: float, confidence: float
) -> dict[str, object]:
    """Explained, rest and slope with intervals, as a part of a row; nothing where all ratios are equal."""
    if np.ptp(ratio) == 0:
        return {}
    n, mean = len(ratio), ratio.mean()
    centred = ratio - mean
    squares = centred @ centred
    of_slope = centred / squares
    of_rest = 1 / n - mean * of_slope
    slope, rest = float(of_slope @ values), float(of_rest @ values)
    residual = values - rest - slope * ratio
    # what a pair moves slope · mean by: the slope as its residual does, the mean by its ratio
    influence = mean * n * of_slope * residual + slope * centred
    basis = np.stack([np.full(n, 1 / np.sqrt(n)), centred / np.sqrt(squares)], axis=1)
    variances = {
        "explained": (slope * mean, _variance_of_mean(influence, dependence)),
        "rest": (rest, dependence.moments_of_fit(of_rest, basis).variance(residual[:, None])),
        "slope": (slope, dependence.moments_of_fit(of_slope, basis).variance(residual[:, None])),
    }
    row: dict[str, object] = {}
    for name, (estimate, variance) in variances.items():
        row |= _with_interval(name, estimate, variance, most_df, confidence)
    return row


def _variance_of_mean(residuals: Floats, dependence: Dependence) -> Variance:
    n = len(residuals)
    return dependence.variance(residuals[:, None], np.full(n, 1 / n), np.zeros(n, np.int64))


def _with_interval(
    name: str, estimate: float, variance: Variance, most_df: float, confidence: float
) -> dict[str, object]:
    df = np.minimum([variance.df], most_df)
    interval = student(np.array([estimate]), variance.clustered, df, confidence)
    prefix = "" if name == "value" else f"{name}_"
    return {name: estimate, f"{prefix}low": interval.low[0], f"{prefix}high": interval.high[0]}


def towards_frequent(
    difference: Floats, ratio: Floats, dependence: Dependence, confidence: float
) -> dict[str, object]:
    """How often the first of two measures goes with the more frequent words where they disagree, in percent.

    difference: credit of the first less that of the second, in points; ratio: log frequency ratios; shape
    (pairs,) each. Disagreements are pairs that the two decide in opposite ways (a tie is no decision) and
    whose words are not equally frequent.

    The share is the mean of two: that among pairs in which the first prefers the stereotype, and that among
    those in which the second does. So it is 50 where the way of disagreeing has nothing to do with frequency,
    even if the first prefers stereotypes more often and these have the rarer words more often; the share of
    all together would not be. Null where either kind has no pair.
    """
    members = np.flatnonzero((np.abs(difference) == 100) & (ratio != 0))
    row: dict[str, object] = {"disagreements": len(members)}
    of_second = (difference[members] < 0).astype(np.int64)
    sizes = np.bincount(of_second, minlength=2)
    if not sizes.all():
        return row
    towards = 100.0 * (np.sign(difference[members]) == np.sign(ratio[members]))
    means = np.bincount(of_second, weights=towards) / sizes
    spread = dependence.among(members).variance(
        (towards - means[of_second])[:, None], 0.5 / sizes[of_second], of_second
    )
    share = means.mean(keepdims=True)
    interval = student(share, spread.clustered, np.array([spread.df]), confidence)
    return row | {
        "towards_frequent": share[0],
        "towards_low": np.clip(interval.low[0], 0, 100),
        "towards_high": np.clip(interval.high[0], 0, 100),
    }
