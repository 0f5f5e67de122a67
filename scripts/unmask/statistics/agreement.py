"""Agreement with human raters: ROC curves and areas of pair scores against ratings.

A pair's direction is used only to choose pairs by it: the stereotype is the stereotypical side in either
direction, so a margin or a label is never turned round.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from unmask.statistics.decisions import Decisions, decisions
from unmask.statistics.intervals import Floats
from unmask.statistics.options import ABSOLUTE_MARGIN, ANY, MARGIN, OWN, PAIR_SCORES, Options
from unmask.statistics.schema import AGREEMENT, ROC
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, DIRECTIONS, STEREOTYPE, TIE

THRESHOLDS = (3, 4, 5)
"""At least three votes; more than three; five."""

ALL_DIRECTIONS = "all"


def vote_counts(pairs: pd.DataFrame, votes: str) -> Floats:
    """How many raters chose some bias type (votes `any`) or the pair's own (`own`); nan without ratings."""
    counts = np.full(len(pairs), np.nan)
    for row, (ratings, own) in enumerate(zip(pairs["ratings"], pairs["bias_type"], strict=True)):
        if ratings is not None:
            counts[row] = sum(vote is not None if votes == ANY else vote == own for vote in ratings)
    return counts


def pair_scores(found: Decisions, score: str) -> Floats:
    """The score of each pair, shape (pairs, series); nan where the measure is undefined.

    margin: stereotype - antistereotype. absolute margin: its size. decision: 1 for the stereotype, ½ for a
    tie, 0 for the antistereotype, in either protocol.
    """
    if score == MARGIN:
        return found.margin
    if score == ABSOLUTE_MARGIN:
        return np.abs(found.margin)
    value = np.full(found.outcome.shape, np.nan)
    for outcome, worth in ((STEREOTYPE, 1.0), (TIE, 0.5), (ANTISTEREOTYPE, 0.0)):
        value[found.outcome == outcome] = worth
    return value


def area(positive: Floats, negative: Floats, confidence: float) -> tuple[float, float, float]:
    """Area under the ROC curve and its DeLong interval: (auc, low, high), clipped to 0..1.

    auc = P(positive > negative) + ½ P(equal), the Mann-Whitney statistic. The variance is that of DeLong,
    DeLong & Clarke-Pearson 1988, from midranks (Sun & Xu 2014). Both classes must have members; with only one
    member in a class the variance is unknown and the interval (nan, nan).
    """
    m, n = len(positive), len(negative)
    joint = rankdata(np.concatenate([positive, negative]))
    # for each positive the share of negatives below it, and for each negative that of positives above it
    of_positive = (joint[:m] - rankdata(positive)) / n
    of_negative = 1 - (joint[m:] - rankdata(negative)) / m
    auc = float(of_positive.mean())
    if min(m, n) < 2:
        return auc, float("nan"), float("nan")
    error = np.sqrt(of_positive.var(ddof=1) / m + of_negative.var(ddof=1) / n)
    reach = float(norm.ppf((1 + confidence) / 2) * error)
    return auc, max(0.0, auc - reach), min(1.0, auc + reach)


def curve(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """Points (false positive rate, true positive rate) of the ROC curve, from (0, 0) to (1, 1).

    Equal scores make one (sloping) step; points on a straight line between their neighbours are left out.
    """
    scores = np.concatenate([positive, negative])
    classes = np.concatenate([np.ones(len(positive)), np.zeros(len(negative))])
    order = np.argsort(-scores, kind="stable")
    last_of_score = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    true = np.append(0.0, np.cumsum(classes[order])[last_of_score])
    false = np.append(0.0, np.cumsum(1 - classes[order])[last_of_score])
    run, rise = np.diff(false), np.diff(true)
    bends = run[1:] * rise[:-1] != run[:-1] * rise[1:]
    kept = np.concatenate([[True], bends, [True]])
    return false[kept] / len(negative), true[kept] / len(positive)


def has_ratings(pairs: pd.DataFrame) -> bool:
    """Was any pair of the benchmark rated?"""
    return bool(pairs["ratings"].notna().any())


def agreement_table(pairs: pd.DataFrame, scores: pd.DataFrame, options: Options) -> pd.DataFrame:
    """AUC of every measure and protocol under every reading, as unmask.statistics.schema.AGREEMENT.

    Readings: votes (`any`, `own`) x threshold (THRESHOLDS) x pair score x direction. The column `chosen`
    marks the reading of Figure 1 (options, all directions). Pairs without ratings, or without a score, are
    left out. Where a class is empty the area is null and `reason` says so. Empty for a benchmark without
    ratings.
    """
    rows: list[dict[str, object]] = []
    if has_ratings(pairs):
        found = decisions(pairs, scores)
        chosen_members = {ALL_DIRECTIONS: np.ones(len(pairs), bool)} | {
            direction: pairs["direction"].eq(direction).fillna(False).to_numpy(bool)
            for direction in DIRECTIONS
        }
        counts = {votes: vote_counts(pairs, votes) for votes in (ANY, OWN)}
        values = {score: pair_scores(found, score) for score in PAIR_SCORES}
        directions = [name for name, members in chosen_members.items() if members.any()]
        thresholds = sorted({*THRESHOLDS, options.threshold})
        for (column, (measure, protocol)), votes, threshold, score, direction in product(
            enumerate(found.series), counts, thresholds, PAIR_SCORES, directions
        ):
            count, value = counts[votes], values[score][:, column]
            rated = chosen_members[direction] & ~np.isnan(count)
            known = rated & ~np.isnan(value)
            positive, negative = value[known & (count >= threshold)], value[known & (count < threshold)]
            row: dict[str, object] = {
                "measure": measure,
                "protocol": protocol,
                "votes": votes,
                "threshold": threshold,
                "score": score,
                "direction": direction,
                "positives": len(positive),
                "negatives": len(negative),
                "undefined": int((rated & ~known).sum()),
                "chosen": (votes, threshold, score, direction)
                == (options.votes, options.threshold, options.score, ALL_DIRECTIONS),
                "confidence": options.confidence,
            }
            if len(positive) and len(negative):
                auc, low, high = area(positive, negative, options.confidence)
                row |= {"auc": auc, "low": low, "high": high}
                if np.isnan(low):
                    row["reason"] = "no interval: one class has a single pair"
            else:
                row["reason"] = f"no {'negative' if len(positive) else 'positive'} pairs"
            rows.append(row)
    return framed(rows, AGREEMENT)


def roc_table(pairs: pd.DataFrame, scores: pd.DataFrame, options: Options) -> pd.DataFrame:
    """The ROC curves of the chosen reading over all directions, as unmask.statistics.schema.ROC.

    A measure without a curve (a class is empty) has no rows.
    """
    parts = [framed([], ROC)]
    if has_ratings(pairs):
        found = decisions(pairs, scores)
        counts, values = vote_counts(pairs, options.votes), pair_scores(found, options.score)
        for column, (measure, protocol) in enumerate(found.series):
            known = ~np.isnan(counts) & ~np.isnan(values[:, column])
            positive = values[known & (counts >= options.threshold), column]
            negative = values[known & (counts < options.threshold), column]
            if len(positive) and len(negative):
                false, true = curve(positive, negative)
                parts.append(
                    pd.DataFrame(
                        {
                            "measure": measure,
                            "protocol": protocol,
                            "false_positive_rate": false,
                            "true_positive_rate": true,
                        }
                    )
                )
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
