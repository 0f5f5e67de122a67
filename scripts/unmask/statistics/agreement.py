"""Agreement with human raters: ROC curves of pair scores against ratings, and the areas under them.

A pair's direction is used only to choose pairs by it: the stereotype is the stereotypical side in either
direction, so a margin or a label is never turned round.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from unmask.statistics.decisions import Decisions, in_order
from unmask.statistics.schema import AGREEMENT, AREAS_COMPARED, ROC
from unmask.statistics.sharing import Flags, Floats, Sharing, by_pattern, contrast, t_test
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, DIRECTIONS, STEREOTYPE, TIE

ANY, OWN = "any", "own"
"""Which votes count: those for some bias type, or those for the pair's own."""

MARGIN, ABSOLUTE_MARGIN, DECISION = "margin", "absolute margin", "decision"
PAIR_SCORES = (MARGIN, ABSOLUTE_MARGIN, DECISION)

FOUR = 4
THRESHOLDS = (3, FOUR, 5)
"""At least three votes; more than three, as Figure 1 has it, for any bias type; five."""

ALL_DIRECTIONS = "all"

FEW = 10
"""With fewer members of a class than this, no variance is estimated from them."""


def vote_counts(pairs: pd.DataFrame, votes: str) -> Floats:
    """How many raters chose some bias type (votes `any`) or the pair's own (`own`); nan without ratings."""

    def count(ratings: Sequence[str | None], own: str) -> int:
        return sum(vote is not None if votes == ANY else vote == own for vote in ratings)

    rated = pairs[pairs["ratings"].notna()]
    counts = map(count, rated["ratings"], rated["bias_type"])
    return pd.Series(counts, rated.index, dtype=float).reindex(pairs.index).to_numpy()


def pair_scores(decisions: Decisions, score: str) -> Floats:
    """The score of each pair, shape (pairs, series); nan where the measure is undefined.

    margin: stereotype - antistereotype. absolute margin: its size. decision: 1 for the stereotype, ½ for a
    tie, 0 for the antistereotype, in either protocol.
    """
    if score != DECISION:
        return decisions.margin if score == MARGIN else np.abs(decisions.margin)
    value = np.full(decisions.outcome.shape, np.nan)
    for outcome, worth in ((STEREOTYPE, 1.0), (TIE, 0.5), (ANTISTEREOTYPE, 0.0)):
        value[decisions.outcome == outcome] = worth
    return value


def placements(scores: Floats, positive: Flags) -> Floats:
    """Of a positive pair the share of negatives below it, of a negative one the share of positives above it,
    equal ones as a half, shape (pairs, k) as `scores`.

    (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; by midranks as in Sun & Xu 2014, IEEE Signal
    Processing Letters 21:1389.) The mean over either class is the area under the ROC curve, P(positive >
    negative) + ½ P(equal). Both classes have members.
    """
    within = np.empty(scores.shape)
    for members in (positive, ~positive):
        within[members] = rankdata(scores[members], axis=0)
    others = np.where(positive, (~positive).sum(), positive.sum())[:, None]
    below = (rankdata(scores, axis=0) - within) / others
    placed: Floats = np.where(positive[:, None], below, 1 - below)
    return placed


def area_test(
    placed: Floats, positive: Flags, sharing: Sharing, confidence: float, null: float
) -> pd.DataFrame:
    """Areas, or differences of areas, of k columns of `placements`: a row a column.

    Columns: area; delong_error, DeLong's of independent pairs; error, df, low, high and two-sided p of an
    area of `null`, where DeLong's variance is multiplied by the design effect of placements; reason, why
    these are null: a class has fewer than FEW pairs, or scores separate the classes or are all equal, so that
    placements do not vary, or all pairs share something.
    """
    m, n = int(positive.sum()), int((~positive).sum())
    area = placed[positive].mean(axis=0)
    rows = pd.DataFrame({"area": area, "positives": m, "negatives": n}).assign(reason=None)
    if min(m, n) < FEW:
        rows["reason"] = f"no interval: fewer than {FEW} pairs in a class"
        return rows.assign(**dict.fromkeys(("delong_error", "error", "df", "low", "high", "p"), np.nan))
    of = contrast(placed, sharing, (~positive).astype(np.int64), (1.0, 1.0))
    clustered, independent = of["clustered"].to_numpy(), of["independent"].to_numpy()
    delong = placed[positive].var(axis=0, ddof=1) / m + placed[~positive].var(axis=0, ddof=1) / n
    effect = np.divide(clustered, independent, out=np.ones_like(delong), where=independent > 0)
    varies = np.ptp(placed, axis=0) > 0
    tested = t_test(area - null, np.where(varies, delong * effect, np.nan), of["df"], confidence)
    tested[["low", "high"]] += null
    rows = rows.join(tested).assign(delong_error=np.sqrt(delong))
    rows.loc[rows["error"].isna(), "reason"] = "no interval: all pairs share something"
    rows.loc[~varies, "reason"] = "no interval: the scores do not vary"
    return rows


def agreement_table(
    pairs: pd.DataFrame, decisions: Decisions, options: Mapping[str, Any], sharing: Sharing
) -> pd.DataFrame:
    """AUC of every measure and protocol, as unmask.statistics.schema.AGREEMENT.

    For each of votes (`any`, `own`) x threshold (THRESHOLDS) x pair score x direction. The column `chosen`
    marks what Figure 1 shows: margins against FOUR votes for any bias type, all directions. options: the
    study's `statistics`. Pairs without ratings, or without a score, are left out. Where a class is empty the
    area is null and `reason` says so. Empty for a benchmark without ratings.
    """
    confidence, parts = options["confidence"], []
    counts_of = {votes: vote_counts(pairs, votes) for votes in (ANY, OWN)}
    rated = ~np.isnan(counts_of[ANY])
    members_of = {
        direction: rated & pairs["direction"].eq(direction).fillna(False) for direction in DIRECTIONS
    }
    members_of = {ALL_DIRECTIONS: rated} | {name: there for name, there in members_of.items() if there.any()}
    # every series under every score, side by side
    names = pd.concat([decisions.names.assign(score=score) for score in PAIR_SCORES])
    values = np.hstack([pair_scores(decisions, score) for score in PAIR_SCORES])
    for direction, there in members_of.items():
        for members, columns in by_pattern(np.where(np.asarray(there)[:, None], values, np.nan)):
            scores, among = values[np.ix_(members, columns)], sharing.among(members)
            rows = names.iloc[columns].assign(direction=direction, confidence=confidence)
            rows["undefined"] = int(there.sum()) - len(members)
            for votes, threshold in product(counts_of, THRESHOLDS):
                of_areas = _areas(scores, counts_of[votes][members] >= threshold, among, confidence)
                part = rows.assign(votes=votes, threshold=threshold, **of_areas.set_axis(rows.index))
                is_of_figure = (direction, votes, threshold) == (ALL_DIRECTIONS, ANY, FOUR)
                parts.append(part.assign(chosen=is_of_figure & (part["score"] == MARGIN)))
    return in_order(parts if rated.any() else [], AGREEMENT)


def _areas(scores: Floats, positive: Flags, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """The area of each column, with its interval within 0 and 1; null where a class is empty."""
    if positive.all() or not positive.any():
        reason = f"no {'negative' if positive.any() else 'positive'} pairs"
        counts = {"positives": int(positive.sum()), "negatives": int((~positive).sum())}
        return pd.DataFrame({"reason": [reason] * scores.shape[1], **counts})
    rows = area_test(placements(scores, positive), positive, sharing, confidence, null=0.5)
    rows[["low", "high"]] = rows[["low", "high"]].clip(0, 1)
    return rows.rename(columns={"area": "auc"})


def areas_compared(
    pairs: pd.DataFrame, decisions: Decisions, options: Mapping[str, Any], sharing: Sharing
) -> pd.DataFrame:
    """Areas of every two measures of one protocol, as unmask.statistics.schema.AREAS_COMPARED.

    As Figure 1 has them, over all directions, on rated pairs of which both have a score. The error of the
    difference is that of paired areas, clustered, and DeLong's own; null, with a reason, as in `area_test`,
    where either area has none, and where the two never differ. Empty for a benchmark without ratings of both
    kinds.
    """
    counts, confidence = vote_counts(pairs, ANY), options["confidence"]
    first, second, names = decisions.couples()
    values = [each.margin for each in (first, second)]
    rated, parts = ~np.isnan(counts), []
    for members, some in by_pattern(np.where(rated[:, None], values[0] + values[1], np.nan)):
        positive, among = counts[members] >= FOUR, sharing.among(members)
        if positive.all() or not positive.any():
            continue
        one, other = (placements(each[np.ix_(members, some)], positive) for each in values)
        rows = area_test(one - other, positive, among, confidence, null=0.0).set_axis(some)
        if rows["delong_error"].notna().any():
            varies = (np.ptp(one, axis=0) > 0) & (np.ptp(other, axis=0) > 0)
            rows.loc[rows["delong_error"] == 0, "reason"] = "no interval: the two never differ"
            rows.loc[~varies, "reason"] = "no interval: the scores of one do not vary"
            rows.loc[rows["reason"].notna(), ["delong_error", "error", "df", "low", "high", "p"]] = np.nan
        rows["first_auc"], rows["second_auc"] = (each[positive].mean(axis=0) for each in (one, other))
        parts.append(rows.rename(columns={"area": "difference"}).assign(confidence=confidence).join(names))
    return in_order(parts, AREAS_COMPARED)


def curve(scores: Floats, positive: Flags) -> pd.DataFrame:
    """The ROC curve of scores: its corners from (0, 0) to (1, 1), as false_positive_rate, true_positive_rate.

    Ties are interpolated; points on a straight line between their neighbours are left out. Both classes have
    members.
    """
    counts = pd.crosstab(-scores, positive).cumsum()
    false, true = (np.append(0, counts[kind]) for kind in (False, True))
    run, rise = np.diff(false), np.diff(true)
    bends = run[1:] * rise[:-1] != run[:-1] * rise[1:]
    corners = np.concatenate([[True], bends, [True]])
    rates = {"false_positive_rate": false / false[-1], "true_positive_rate": true / true[-1]}
    return pd.DataFrame(rates)[corners]


def roc_table(pairs: pd.DataFrame, decisions: Decisions) -> pd.DataFrame:
    """The ROC curves that Figure 1 shows, over all directions, as unmask.statistics.schema.ROC.

    A measure without a curve (a class is empty) has no rows.
    """
    counts, parts = vote_counts(pairs, ANY), []
    for (measure, protocol), scores in zip(decisions.series, decisions.margin.T, strict=True):
        members = ~np.isnan(counts) & ~np.isnan(scores)
        positive = counts[members] >= FOUR
        if positive.any() and not positive.all():
            parts.append(curve(scores[members], positive).assign(measure=measure, protocol=protocol))
    return framed(parts, ROC)
