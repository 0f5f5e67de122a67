"""Agreement with human raters: ROC curves and areas of pair scores against ratings.

A pair's direction is used only to choose pairs by it: the stereotype is the stereotypical side in either
direction, so a margin or a label is never turned round.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.statistics.areas import FEW, Areas, Levels, area_intervals, levels
from unmask.statistics.decisions import Decisions, code
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.options import ABSOLUTE_MARGIN, ANY, MARGIN, OWN, PAIR_SCORES, Options
from unmask.statistics.schema import AGREEMENT, AREAS_COMPARED, ROC
from unmask.statistics.student import student
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, DIRECTIONS, STEREOTYPE, TIE

THRESHOLDS = (3, 4, 5)
"""At least three votes; more than three; five."""

ALL_DIRECTIONS = "all"


def vote_counts(pairs: pd.DataFrame, votes: str) -> Floats:
    """How many raters chose some bias type (votes `any`) or the pair's own (`own`); nan without ratings."""
    counts = np.full(len(pairs), np.nan)
    for row, (ratings, bias_type) in enumerate(zip(pairs["ratings"], pairs["bias_type"], strict=True)):
        if ratings is not None:
            counts[row] = sum(vote is not None if votes == ANY else vote == bias_type for vote in ratings)
    return counts


def pair_scores(decisions: Decisions, score: str) -> Floats:
    """The score of each pair, shape (pairs, series); nan where the measure is undefined.

    margin: stereotype - antistereotype. absolute margin: its size. decision: 1 for the stereotype, ½ for a
    tie, 0 for the antistereotype, in either protocol.
    """
    if score == MARGIN:
        return decisions.margin
    if score == ABSOLUTE_MARGIN:
        return np.abs(decisions.margin)
    value = np.full(decisions.outcome.shape, np.nan)
    for outcome, worth in ((STEREOTYPE, 1.0), (TIE, 0.5), (ANTISTEREOTYPE, 0.0)):
        value[decisions.outcome == code(outcome)] = worth
    return value


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
    corners = np.concatenate([[True], bends, [True]])
    return false[corners] / len(negative), true[corners] / len(positive)


def has_ratings(pairs: pd.DataFrame) -> bool:
    """Was any pair of the benchmark rated?"""
    return bool(pairs["ratings"].notna().any())


def agreement_table(
    pairs: pd.DataFrame, decisions: Decisions, options: Options, dependence: Dependence
) -> pd.DataFrame:
    """AUC of every measure and protocol under every reading, as unmask.statistics.schema.AGREEMENT.

    Readings: votes (`any`, `own`) x threshold (THRESHOLDS) x pair score x direction. The column `chosen`
    marks the reading of Figure 1 (options, all directions). Pairs without ratings, or without a score, are
    left out. Intervals are those of unmask.statistics.areas.area_intervals. Where a class is empty the area
    is null and `reason` says so. Empty for a benchmark without ratings.
    """
    rows: list[dict[str, object]] = []
    if has_ratings(pairs):
        chosen_members = {ALL_DIRECTIONS: np.ones(len(pairs), bool)} | {
            direction: pairs["direction"].eq(direction).fillna(False).to_numpy(bool)
            for direction in DIRECTIONS
        }
        counts = {votes: vote_counts(pairs, votes) for votes in (ANY, OWN)}
        # every series under every score, side by side; areas depend on the order of scores alone
        kinds = list(product(PAIR_SCORES, decisions.series))
        values = np.hstack([levels(pair_scores(decisions, score)) for score in PAIR_SCORES])
        directions = [name for name, members in chosen_members.items() if members.any()]
        thresholds = sorted({*THRESHOLDS, options.threshold})
        rated = ~np.isnan(counts[ANY])
        by_reading: dict[tuple[object, ...], dict[str, object]] = {}
        for direction in directions:
            of_direction = chosen_members[direction] & rated
            for columns, members in _known(values, of_direction):
                among = dependence.among(members)
                undefined = int(of_direction.sum()) - len(members)
                for votes, threshold in product(counts, thresholds):
                    positive = counts[votes][members] >= threshold
                    same: dict[str, object] = {
                        "positives": int(positive.sum()),
                        "negatives": int((~positive).sum()),
                        "undefined": undefined,
                    }
                    of_columns = _areas(values[np.ix_(members, columns)], positive, among, options.confidence)
                    for column, area in zip(columns, of_columns, strict=True):
                        by_reading[kinds[column], votes, threshold, direction] = same | area
        for series, votes, threshold, score, direction in product(
            decisions.series, counts, thresholds, PAIR_SCORES, directions
        ):
            rows.append(
                {
                    "measure": series[0],
                    "protocol": series[1],
                    "votes": votes,
                    "threshold": threshold,
                    "score": score,
                    "direction": direction,
                    "chosen": (votes, threshold, score, direction)
                    == (options.votes, options.threshold, options.score, ALL_DIRECTIONS),
                    "confidence": options.confidence,
                    **by_reading[(score, series), votes, threshold, direction],
                }
            )
    return framed(rows, AGREEMENT)


def _known(values: Levels, among: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """Columns of `values` that are known for the same pairs, and the numbers of these, out of `among`."""
    known = (values >= 0) & among[:, None]
    of_pattern: dict[bytes, list[int]] = {}
    for column in range(values.shape[1]):
        of_pattern.setdefault(known[:, column].tobytes(), []).append(column)
    for columns in of_pattern.values():
        yield np.array(columns), np.flatnonzero(known[:, columns[0]])


def _areas(
    values: Levels, positive: npt.NDArray[np.bool_], dependence: Dependence, confidence: float
) -> list[dict[str, object]]:
    """The area of each column of `values`, with its interval, as a part of a row."""
    if positive.all() or not positive.any():
        reason = f"no {'negative' if positive.any() else 'positive'} pairs"
        return [{"reason": reason}] * values.shape[1]
    areas = Areas.of_levels(values, positive)
    rows = []
    for auc, interval in zip(areas.areas(), area_intervals(areas, dependence, confidence), strict=True):
        row: dict[str, object] = {"auc": float(auc), **vars(interval)}
        if np.isnan(interval.low):
            row["reason"] = "no interval: the pairs all vary together"
        rows.append(row)
    return rows


def roc_table(pairs: pd.DataFrame, decisions: Decisions, options: Options) -> pd.DataFrame:
    """The ROC curves of the chosen reading over all directions, as unmask.statistics.schema.ROC.

    A measure without a curve (a class is empty) has no rows.
    """
    parts = [framed([], ROC)]
    for (measure, protocol), values, positive in _curves(pairs, decisions, options):
        false, true = curve(values[positive], values[~positive])
        rates = {"false_positive_rate": false, "true_positive_rate": true}
        parts.append(pd.DataFrame({"measure": measure, "protocol": protocol, **rates}))
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)


def _curves(
    pairs: pd.DataFrame, decisions: Decisions, options: Options
) -> Iterator[tuple[tuple[str, str], Floats, npt.NDArray[np.bool_]]]:
    """Of each series that has a curve, under the chosen reading: the scores of its pairs, and which of them
    are positive."""
    if not has_ratings(pairs):
        return
    counts, values = vote_counts(pairs, options.votes), pair_scores(decisions, options.score)
    for column, series in enumerate(decisions.series):
        members = np.flatnonzero(~np.isnan(counts) & ~np.isnan(values[:, column]))
        positive = counts[members] >= options.threshold
        if positive.any() and not positive.all():
            yield series, values[members, column], positive


def areas_compared(
    pairs: pd.DataFrame, decisions: Decisions, options: Options, dependence: Dependence
) -> pd.DataFrame:
    """Areas of every two measures of one protocol, as unmask.statistics.schema.AREAS_COMPARED.

    Under the chosen reading over all directions, on rated pairs of which both have a score. The standard
    error of the difference is that of paired areas (DeLong, DeLong & Clarke-Pearson 1988), clustered, and
    DeLong's own. Without error and p, but with a reason: where a class is small, where a measure separates
    the classes or is constant (Areas.varies), where the two never differ. Empty for a benchmark without
    ratings of both kinds.
    """
    rows: list[dict[str, object]] = []
    if has_ratings(pairs):
        counts, values = vote_counts(pairs, options.votes), pair_scores(decisions, options.score)
        couples: dict[bytes, list[tuple[int, int]]] = {}
        known_of: dict[bytes, npt.NDArray[np.bool_]] = {}
        for first, second in combinations(range(len(decisions.series)), 2):
            if decisions.series[first][1] == decisions.series[second][1]:
                known = ~np.isnan(counts) & ~np.isnan(values[:, [first, second]]).any(axis=1)
                couples.setdefault(known.tobytes(), []).append((first, second))
                known_of[known.tobytes()] = known
        by_couple: dict[tuple[int, int], dict[str, object]] = {}
        for pattern, of_pattern in couples.items():
            members = np.flatnonzero(known_of[pattern])
            positive = counts[members] >= options.threshold
            if positive.any() and not positive.all():
                # the others may be unknown here
                columns = sorted({column for couple in of_pattern for column in couple})
                areas = Areas.of(values[np.ix_(members, np.array(columns))], positive)
                places = [(columns.index(first), columns.index(second)) for first, second in of_pattern]
                compared = _compared(areas, places, dependence.among(members), options.confidence)
                by_couple.update(zip(of_pattern, compared, strict=True))
        rows = [
            {
                "first": decisions.series[first][0],
                "second": decisions.series[second][0],
                "protocol": decisions.series[first][1],
                "confidence": options.confidence,
                **row,
            }
            for (first, second), row in sorted(by_couple.items())
        ]
    return framed(rows, AREAS_COMPARED)


def _compared(
    areas: Areas, couples: Sequence[tuple[int, int]], dependence: Dependence, confidence: float
) -> Iterator[dict[str, object]]:
    """The areas of each couple of columns compared, as a part of a row."""
    values, varies, difference = areas.areas(), areas.varies(), areas.differences(couples)
    delong, clustered, df = difference.variances(dependence)
    tested = student(difference.areas(), clustered, np.full(len(couples), df), confidence)
    m, n = areas.classes
    for place, (first, second) in enumerate(couples):
        row: dict[str, object] = {
            "positives": m,
            "negatives": n,
            "first_auc": float(values[first]),
            "second_auc": float(values[second]),
            "difference": float(values[first] - values[second]),
        }
        if min(m, n) < FEW:
            row["reason"] = f"fewer than {FEW} pairs in a class"
        elif not (varies[first] and varies[second]):
            row["reason"] = "an area whose variance is unknown"
        elif not delong[place]:
            row["reason"] = "the two never differ"
        elif np.isnan(tested.error[place]):
            row["reason"] = "the pairs all vary together"
        else:
            row |= {
                "error": float(tested.error[place]),
                "delong_error": float(np.sqrt(delong[place])),
                "df": df,
                "low": float(tested.low[place]),
                "high": float(tested.high[place]),
                "p": float(tested.p[place]),
            }
        yield row
