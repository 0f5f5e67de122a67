"""Bias scores of a benchmark: how often a measure prefers the stereotype, with intervals."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.statistics.intervals import Floats, bootstrap_weights, percentile_interval, wilson
from unmask.statistics.near_ties import outcomes_at
from unmask.statistics.options import PAIR, TARGET, Options
from unmask.statistics.schema import BIAS, BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.tables import framed
from unmask.terms import (
    ANTISTEREO,
    DIRECTIONS,
    ORIGINAL,
    OUTCOMES,
    PUBLISHED,
    STEREO,
    STEREOTYPE,
    TIE,
    UNDEFINED,
)


@dataclass(frozen=True)
class Decisions:
    """The decisions of every measure and protocol, in arrays of shape (pairs, series).

    series: (measure, protocol) of each column. outcome: one of OUTCOMES. margin: nan where undefined.
    """

    series: list[tuple[str, str]]
    outcome: npt.NDArray[np.object_]
    margin: Floats

    def credit(self, outcome: npt.NDArray[np.object_] | None = None) -> Floats:
        """What each pair adds to the numerator of the score: 1 for the stereotype; a tie adds a half in
        `corrected` and nothing in `published`. `outcome`: others of the same shape in place of these."""
        tie = np.array([0.0 if protocol == PUBLISHED else 0.5 for _, protocol in self.series])
        outcome = self.outcome if outcome is None else outcome
        credit: Floats = (outcome == STEREOTYPE) + (outcome == TIE) * tie
        return credit

    def trials(self) -> Floats:
        """What each pair adds to the denominator: 1, but nothing for an undefined pair in `corrected`, and
        nothing in either protocol where the measure is undefined for every pair."""
        fixed = np.array([protocol == PUBLISHED for _, protocol in self.series], dtype=bool)
        # a measure that says nothing of any pair, such as AULA without attention, has no score
        fixed &= (self.outcome != UNDEFINED).any(axis=0)
        trials: Floats = ((self.outcome != UNDEFINED) | fixed).astype(np.float64)
        return trials

    def differing(self) -> npt.NDArray[np.bool_]:
        """Where the outcome is not that of the same measure's other protocol; shape (pairs, series)."""
        place = {key: column for column, key in enumerate(self.series)}
        other = [
            next((place[s] for s in self.series if s[0] == measure and s[1] != protocol), own)
            for own, (measure, protocol) in enumerate(self.series)
        ]
        differing: npt.NDArray[np.bool_] = self.outcome != self.outcome[:, other]
        return differing


def decisions(pairs: pd.DataFrame, scores: pd.DataFrame) -> Decisions:
    """The decisions in `scores` (SCORES), in the order of `pairs` (PAIRS).

    Raises InputError where the scores are not of exactly these pairs.
    """
    keys = list(scores[["measure", "protocol"]].drop_duplicates().itertuples(index=False, name=None))
    outcome = np.empty((len(pairs), len(keys)), dtype=object)
    margin = np.full((len(pairs), len(keys)), np.nan)
    wanted = pd.Index(pairs["pair_id"])
    grouped = scores.groupby(["measure", "protocol"], sort=False)
    for column, (measure, protocol) in enumerate(keys):
        rows = grouped.get_group((measure, protocol)).set_index("pair_id")
        if len(rows) != len(wanted) or not rows.index.is_unique or not wanted.isin(rows.index).all():
            raise InputError(f"scores: {measure} ({protocol}) has not one row for each pair of the benchmark")
        rows = rows.loc[wanted]
        unknown = set(rows["outcome"]) - set(OUTCOMES)
        if unknown:
            raise InputError(f"scores: {measure} ({protocol}) has the unknown outcome {sorted(unknown)[0]!r}")
        outcome[:, column] = rows["outcome"].to_numpy(object)
        margin[:, column] = rows["margin"].to_numpy(float)
    return Decisions([(str(m), str(p)) for m, p in keys], outcome, margin)


def groups(pairs: pd.DataFrame) -> Iterator[tuple[str, str, npt.NDArray[np.int64]]]:
    """(grouping, group, row numbers) of all pairs, each bias type, and each direction that is stated."""
    yield OVERALL, "all", np.arange(len(pairs))
    for bias_type in pairs["bias_type"].drop_duplicates():
        yield BIAS_TYPE, str(bias_type), np.flatnonzero(pairs["bias_type"] == bias_type)
    for direction in DIRECTIONS:
        members = np.flatnonzero(pairs["direction"].eq(direction).fillna(False))
        if len(members):
            yield DIRECTION, direction, members


def _units(pairs: pd.DataFrame, unit: str) -> tuple[str, npt.NDArray[np.int64]]:
    """What the bootstrap draws, and which one each pair belongs to."""
    if unit == TARGET and pairs["target"].notna().any():
        nameless = pairs.loc[pairs["target"].isna(), "pair_id"]
        if len(nameless):
            raise InputError(
                f"statistics.bootstrap.unit: target, but pair {nameless.iloc[0]} has no target; use pair"
            )
        return TARGET, pd.factorize(pairs["target"])[0].astype(np.int64)
    return PAIR, np.arange(len(pairs))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def bias_table(
    pairs: pd.DataFrame, scores: pd.DataFrame, options: Options, variant: str = ORIGINAL
) -> pd.DataFrame:
    """Bias scores per measure, protocol and group of pairs, as unmask.statistics.schema.BIAS.

    published: 100 · #stereotype / N, ties and undefined pairs counting as not stereotypical, as the papers'
    released code does. corrected: 100 · (#stereotype + ½ #tie) / (N - #undefined). A measure that is
    undefined for every pair has no score in either.

    A pair never changes sides by its direction: Adv is the score over `antistereo` pairs (stereotypes of an
    advantaged group), Dis that over `stereo` pairs, and the row `difference` is |Adv - Dis| (Kaneko &
    Bollegala 2022, Table 3). As an absolute value, its bootstrap interval cannot reach below zero: with no
    true difference it lies above it.

    Bootstrap: options.unit (pairs where the benchmark names no targets) is drawn over the whole benchmark,
    with the same resamples for all measures, so the size of a group varies between resamples; a resample
    that has nothing of a group is left out for that group.
    """
    found = decisions(pairs, scores)
    unit, numbers = _units(pairs, options.unit)
    credit, trials, differing = found.credit(), found.trials(), found.differing()
    known = (~np.isnan(found.margin)).astype(np.float64)
    margin = np.nan_to_num(found.margin, nan=0.0)
    ends = [outcomes_at(end, scores, found.series, pairs) for end in ("lowest", "highest")]
    near, extremes = ends[0] != ends[1], [found.credit(outcome) for outcome in ends]
    two_protocols = [sum(s[0] == measure for s in found.series) > 1 for measure, _ in found.series]

    grouped = list(groups(pairs))
    summands = np.hstack([credit, trials, margin, known])
    sums: list[list[Floats]] = [[] for _ in grouped]
    for weights in bootstrap_weights(numbers, options.resamples, options.seed):
        for of_group, (_, _, members) in zip(sums, grouped, strict=True):
            of_group.append(weights[:, members] @ summands[members])

    rows: list[dict[str, object]] = []
    by_direction: dict[str, tuple[Floats, Floats]] = {}

    def counts(members: npt.NDArray[np.int64], column: int) -> dict[str, object]:
        measure, protocol = found.series[column]
        outcome = found.outcome[members, column]
        return {
            "measure": measure,
            "protocol": protocol,
            "n": len(members),
            **{name: int((outcome == name).sum()) for name in OUTCOMES},
            "near_ties": int(near[members, column].sum()),
            "differing": int(differing[members, column].sum()) if two_protocols[column] else None,
        }

    for (grouping, group, members), of_group in zip(grouped, sums, strict=True):
        drawn_credit, drawn_trials, drawn_margin, drawn_known = np.hsplit(np.concatenate(of_group), 4)
        score, near_low, near_high = (
            100 * _ratio(credits[members].sum(axis=0), trials[members].sum(axis=0))
            for credits in (credit, *extremes)
        )
        sampled = 100 * _ratio(drawn_credit, drawn_trials)
        mean = _ratio(margin[members].sum(axis=0), known[members].sum(axis=0))
        low, high = percentile_interval(sampled, options.confidence)
        mean_low, mean_high = percentile_interval(_ratio(drawn_margin, drawn_known), options.confidence)
        if grouping == DIRECTION:
            by_direction[group] = score, sampled
        for column in range(len(found.series)):
            wilson_low, wilson_high = wilson(
                credit[members, column].sum(), trials[members, column].sum(), options.confidence
            )
            rows.append(
                counts(members, column)
                | {
                    "grouping": grouping,
                    "group": group,
                    "score": score[column],
                    "wilson_low": wilson_low,
                    "wilson_high": wilson_high,
                    "bootstrap_low": low[column],
                    "bootstrap_high": high[column],
                    "margin": mean[column],
                    "margin_low": mean_low[column],
                    "margin_high": mean_high[column],
                    "near_low": near_low[column],
                    "near_high": near_high[column],
                }
            )

    stated = np.flatnonzero(pairs["direction"].notna())
    if len(by_direction) == len(DIRECTIONS):
        (adv, adv_sampled), (dis, dis_sampled) = by_direction[ANTISTEREO], by_direction[STEREO]
        difference = np.abs(adv - dis)
        low, high = percentile_interval(np.abs(adv_sampled - dis_sampled), options.confidence)
        rows.extend(
            counts(stated, column)
            | {
                "grouping": DIFFERENCE,
                "group": DIFFERENCE,
                "score": difference[column],
                "bootstrap_low": low[column],
                "bootstrap_high": high[column],
            }
            for column in range(len(found.series))
        )
    same = {"variant": variant, "confidence": options.confidence, "bootstrap_unit": unit}
    return framed([row | same for row in rows], BIAS).astype({"differing": "Int32"})
