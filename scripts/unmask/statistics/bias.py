"""Bias scores of a benchmark: how often a measure prefers the stereotype, how surely, and by chance."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import foldnorm, t

from unmask.errors import InputError
from unmask.measures.registry import sees_context
from unmask.statistics.decisions import Decisions, Group, code, groups
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import (
    Floats,
    Ints,
    effective_wilson,
    leaves_out,
    wilson,
)
from unmask.statistics.lexical import Groups, LexiconSource, band, null_scores, undecided
from unmask.statistics.options import Options
from unmask.statistics.schema import BIAS, DIFFERENCE, DIRECTION, NO_CLUSTERS, OVERALL
from unmask.statistics.shared_words import kinds_in
from unmask.statistics.spread import spread_of
from unmask.statistics.student import LEAST_ERROR, student
from unmask.statistics.tolerance import TOLERANCE
from unmask.tables import framed
from unmask.terms import (
    ANTISTEREO,
    DIRECTIONS,
    ORIGINAL,
    OUTCOMES,
    PUBLISHED,
    STEREO,
    TIE,
    UNDEFINED,
)

_NULLABLE = {
    **dict.fromkeys(("differing", "untrained", "null_draws", "words"), "Int32"),
    "null_undecided": "boolean",
}
"""Columns of BIAS of whole numbers, or of true and false, that are null in some rows."""


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def bias_table(
    pairs: pd.DataFrame,
    decisions: Decisions,
    options: Options,
    dependence: Dependence,
    lexicons: LexiconSource | None = None,
    untrained: Sequence[Decisions] = (),
    variant: str = ORIGINAL,
) -> pd.DataFrame:
    """Bias scores per measure, protocol and group of pairs, as unmask.statistics.schema.BIAS.

    published: 100 · #stereotype / N, ties and undefined pairs counting as not stereotypical, as the papers'
    released code does. corrected: 100 · (#stereotype + ½ #tie) / (N - #undefined). A measure that is
    undefined for every pair has no score in either.

    A pair never changes sides by its direction: Adv is the score over `antistereo` pairs (stereotypes of an
    advantaged group), Dis that over `stereo` pairs, and the row `difference` is Adv - Dis in percentage
    points (Kaneko & Bollegala 2022, Table 3, has its absolute value).

    The interval of a score is Wilson's with the effective number of pairs: n over the design effect, which
    is the variance with pairs of `dependence` covarying over that of independent pairs, and less for
    Student's t (Korn & Graubard 1998, Survey Methodology 24:193); near 0 and 100 the largest design effect
    counts too (unmask.statistics.intervals.clustered_interval). Intervals of margins and differences are
    the estimate ± t · standard error, those of differences wider by what either score is near 0 or 100
    (_difference_rows). With `lexicons`, of the evidence behind these scores, each score stands
    beside its lexical null (unmask.statistics.lexical); `untrained` are the decisions of untrained networks.
    """
    every = list(groups(pairs))
    rows = _score_rows(decisions, every, dependence, options.confidence)
    rows += _difference_rows(pairs, decisions, every, dependence, options.confidence)
    if lexicons is not None:
        _add_null(rows, len(pairs), lexicons, decisions, every, options)
    if untrained:
        _add_untrained(rows, untrained, decisions, every)
    clusters = "+".join(kinds_in(pairs, options.clusters)) or NO_CLUSTERS
    same = {"variant": variant, "confidence": options.confidence, "clusters": clusters}
    return framed([row | same for row in rows], BIAS).astype(_NULLABLE)


def _counts(decisions: Decisions) -> Callable[[Ints, int], dict[str, object]]:
    """What is counted of some pairs in one of the series."""
    near = decisions.lowest != decisions.highest
    differing = decisions.differing()
    two_protocols = [sum(s[0] == measure for s in decisions.series) > 1 for measure, _ in decisions.series]

    def counts(members: Ints, column: int) -> dict[str, object]:
        measure, protocol = decisions.series[column]
        outcome = decisions.outcome[members, column]
        return {
            "measure": measure,
            "protocol": protocol,
            "n": len(members),
            **{name: int((outcome == code(name)).sum()) for name in OUTCOMES},
            "near_ties": int(near[members, column].sum()),
            "differing": int(differing[members, column].sum()) if two_protocols[column] else None,
        }

    return counts


def _score_rows(
    decisions: Decisions,
    every: Sequence[Group],
    dependence: Dependence,
    confidence: float,
) -> list[dict[str, object]]:
    """A row for each group and series, in this order."""
    trials = decisions.trials()
    # the margins behind the decisions
    values = np.hstack([decisions.credit(), np.nan_to_num(decisions.margin, nan=0.0)])
    counted = np.hstack([trials > 0, ~np.isnan(decisions.margin)])
    k = len(decisions.series)
    credit = values[:, :k]
    counts = _counts(decisions)
    rows: list[dict[str, object]] = []
    for grouping, group, members in every:
        neutral, decided = decisions.neutral(members), decisions.decided()[members]
        among, together, one = dependence.among(members), np.zeros(len(members), np.int64), np.ones(1)
        spread = spread_of(values, counted, members, one, together, among, decided=k)
        # without clusters pairs have no words that count
        words = among.different() or None
        near_low, near_high = (
            100 * _ratio(decisions.credit(outcome[members]).sum(axis=0), trials[members].sum(axis=0))
            for outcome in (decisions.lowest, decisions.highest)
        )
        of_margin = student(spread.mean[k:], spread.clustered[k:], spread.df[k:], confidence)
        for column in range(k):
            n, total = trials[members, column].sum(), credit[members, column].sum()
            # decisions that are all alike tell nothing of how they vary together
            independent = spread.independent[column]
            varies = independent > 0
            effect = spread.clustered[column] / independent if varies else spread.largest[column]
            wilson_low, wilson_high = wilson(total, n, confidence)
            low, high = spread.interval(column, n, confidence, neutral[column])
            p = spread.p(column, n, neutral[column])
            counted_here = counts(members, column)
            if not decided[:, column].any():
                # so nothing can vary
                low, high, wilson_low, wilson_high, p = (float("nan"),) * 5
            if grouping == OVERALL:
                counted_here |= {"words": words}
            rows.append(
                counted_here
                | {
                    "grouping": grouping,
                    "group": group,
                    "score": 100 * spread.mean[column],
                    "neutral": 100 * neutral[column],
                    "low": low,
                    "high": high,
                    "design_effect": effect if n else None,
                    "df": spread.df[column],
                    "wilson_low": wilson_low,
                    "wilson_high": wilson_high,
                    "p": p,
                    "unanimous_low": spread.unanimous_low(column, n, confidence),
                    "margin": spread.mean[k + column],
                    "margin_low": of_margin.low[column],
                    "margin_high": of_margin.high[column],
                    "near_low": near_low[column],
                    "near_high": near_high[column],
                }
            )
    return rows


def _difference_rows(
    pairs: pd.DataFrame,
    decisions: Decisions,
    every: Sequence[Group],
    dependence: Dependence,
    confidence: float,
) -> list[dict[str, object]]:
    """Adv - Dis of each series, where the benchmark has pairs of either direction.

    A score near 0 or 100 varies more than its residuals say. With l and u the ends of a score's interval in
    _score_rows, and l' and u' those by its residuals alone, the squares of what the interval of the
    difference reaches to below and above are those of Student's t and

        (Adv - l)² - (Adv - l')² + (u - Dis)² - (u' - Dis)²   below,
        (u - Adv)² - (u' - Adv)² + (Dis - l)² - (Dis - l')²   above

    (the squares add up as in Newcombe 1998, Statistics in Medicine 17:873, method 10). Where one of the
    scores has no interval, as where all its pairs tie, the difference has none.
    """
    if sum(grouping == DIRECTION for grouping, *_ in every) < len(DIRECTIONS):
        return []
    stated = np.flatnonzero(pairs["direction"].notna())
    is_dis = np.asarray(pairs["direction"].iloc[stated] == STEREO, dtype=np.int64)
    credit, counted = 100 * decisions.credit(), decisions.trials() > 0
    spread = spread_of(credit, counted, stated, np.array([1.0, -1.0]), is_dis, dependence.among(stated))
    members = [stated[is_dis == place] for place in range(len(DIRECTIONS))]
    scores = [_of_direction(decisions, counted, some, dependence, confidence) for some in members]
    neutral = 100 * np.subtract(*map(decisions.neutral, members))
    (below, above), (below_dis, above_dis) = scores
    squares = np.stack([below + above_dis, above + below_dis]) * 100**2
    quantile = t.ppf(
        (1 + confidence) / 2, np.where(spread.df >= 1 - TOLERANCE, np.maximum(spread.df, 1), np.nan)
    )
    # standard errors towards lower and towards higher differences
    errors = np.sqrt(spread.clustered + squares / quantile**2)
    errors = np.where(errors > LEAST_ERROR * np.abs(spread.mean), errors, np.nan)
    # what no difference is tested by
    facing = np.where(spread.mean >= neutral, errors[0], errors[1])
    p = student(spread.mean - neutral, facing**2, spread.df, confidence).p
    counts = _counts(decisions)
    rows = []
    for column in range(len(decisions.series)):
        variance = spread.clustered[column]
        rows.append(
            counts(stated, column)
            | {
                "grouping": DIFFERENCE,
                "group": DIFFERENCE,
                "score": spread.mean[column],
                "neutral": neutral[column],
                "low": spread.mean[column] - quantile[column] * errors[0, column],
                "high": spread.mean[column] + quantile[column] * errors[1, column],
                "design_effect": variance / spread.independent[column] if variance > 0 else None,
                "df": spread.df[column],
                "p": p[column],
                "chance_difference": float(
                    foldnorm.mean(abs(neutral[column]) / facing[column], scale=facing[column])
                ),
            }
        )
    return rows


def _of_direction(
    decisions: Decisions,
    counted: npt.NDArray[np.bool_],
    members: Ints,
    dependence: Dependence,
    confidence: float,
) -> tuple[Floats, Floats]:
    """By how much the squared reach of each score's interval exceeds what residuals alone say: below and
    above the score, shape (series,) each; nan where there is no interval."""
    credit, neutral, k = decisions.credit(), decisions.neutral(members), len(decisions.series)
    together, one = np.zeros(len(members), np.int64), np.ones(1)
    spread = spread_of(credit, counted, members, one, together, dependence.among(members), decided=k)
    reach = np.full((2, k), np.nan)
    for column in np.flatnonzero(decisions.decided()[members].any(axis=0)).tolist():
        n = float(counted[members, column].sum())
        score = spread.mean[column]
        low, high = spread.interval(column, n, confidence, neutral[column])
        varies = spread.independent[column] > 0
        effect = spread.clustered[column] / spread.independent[column] if varies else np.nan
        df = spread.df[column]
        low_alone, high_alone = (
            effective_wilson(score * n, n, effect, df, confidence) if varies else (100 * score,) * 2
        )
        reach[0, column] = (score - low / 100) ** 2 - (score - low_alone / 100) ** 2
        reach[1, column] = (high / 100 - score) ** 2 - (high_alone / 100 - score) ** 2
    # never narrower, by rounding
    return np.maximum(reach[0], 0), np.maximum(reach[1], 0)


def _add_null(
    rows: Sequence[dict[str, object]],
    pairs: int,
    lexicons: LexiconSource,
    decisions: Decisions,
    every: Sequence[Group],
    options: Options,
) -> None:
    """Put the band of word choice into the rows of _score_rows, which those of _difference_rows follow."""
    starts = np.cumsum([0, *(len(members) for *_, members in every)])
    ones = np.ones(starts[-1], dtype=np.float32)
    indicators = sparse.csr_array(
        (ones, np.concatenate([members for *_, members in every]), starts), shape=(len(every), pairs)
    )
    places = {group: place for place, (grouping, group, _) in enumerate(every) if grouping == DIRECTION}
    k = len(decisions.series)
    differences = [(places[ANTISTEREO], places[STEREO])] if len(rows) > k * len(every) else []
    # in `published` a tie, or a pair without a score, is no vote for the stereotype: what is one for the
    # model, as its rounding or the lengths of sentences have it, is one for its null too
    published = np.array([protocol == PUBLISHED for _, protocol in decisions.series], dtype=bool)
    ties = np.isin(decisions.outcome, (code(TIE), code(UNDEFINED))) & published

    def is_open(column: int, place: int, null: Floats) -> bool:
        row = rows[place * k + column]
        score, neutral, low, high = (float(str(row[name])) for name in ("score", "neutral", "low", "high"))
        # else its verdict does not depend on the band
        asks = sees_context(str(row["measure"])) and leaves_out(low, high, neutral)
        return asks and undecided(score, null, options.confidence)

    for column, nulls in null_scores(
        lexicons,
        decisions.series,
        decisions.trials(),
        ties,
        Groups(indicators, differences),
        options.draws,
        options.seed,
        is_open,
    ):
        for place, null in enumerate(nulls):
            row = rows[place * k + column]
            null_band = band(float(str(row["score"])), null, options.confidence)
            if null_band is not None:
                row["null_mean"], row["null_p"] = null_band.mean, null_band.p
                row["null_low"], row["null_high"] = null_band.low, null_band.high
                row["null_draws"], row["null_undecided"] = null_band.draws, null_band.undecided


def _add_untrained(
    rows: Sequence[dict[str, object]],
    networks: Sequence[Decisions],
    decisions: Decisions,
    every: Sequence[Group],
) -> None:
    """Put the scores of untrained networks into the rows of _score_rows, which those of _difference_rows
    follow."""
    if any(network.series != decisions.series for network in networks):
        raise InputError("scores of untrained networks: their measures are not the study's; make them again")
    k, places = len(decisions.series), {}
    of_groups = []
    for place, (grouping, group, members) in enumerate(every):
        of_groups.append(
            np.stack(
                [
                    100 * _ratio(network.credit()[members].sum(axis=0), network.trials()[members].sum(axis=0))
                    for network in networks
                ]
            )
        )
        if grouping == DIRECTION:
            places[group] = place
    if len(rows) > k * len(every):
        of_groups.append(of_groups[places[ANTISTEREO]] - of_groups[places[STEREO]])
    for place, of_networks in enumerate(of_groups):
        for column in range(k):
            scores = of_networks[:, column]
            if not np.isnan(scores).any():
                rows[place * k + column] |= {
                    "untrained": len(scores),
                    "untrained_mean": scores.mean(),
                    "untrained_low": scores.min(),
                    "untrained_high": scores.max(),
                }
