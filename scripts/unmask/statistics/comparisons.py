"""Scores compared on the same pairs: two measures, two models, states of one, or versions of a benchmark."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from statsmodels.stats.contingency_tables import mcnemar

from unmask.errors import InputError
from unmask.statistics.decisions import Decisions
from unmask.statistics.schema import COMPARISONS, STATES, VERSIONS
from unmask.statistics.sharing import Floats, Sharing, kinds_in, nodes_of, paired_test
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

COMMON, CHANGED = "all", "changed"

EXACT_BELOW = 25
"""Fewer discordant units than this: an exact test; else chi-square."""


def compared(first: Decisions, second: Decisions, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """The first less the second of two sides with as many series, couple by couple, of the same pairs: the
    columns of COMPARISONS but for names.

    A pair counts where it does for both scores: in `corrected` where neither is undefined. The difference is
    the mean of the pairs' own, and its error is clustered. There are no more degrees of freedom than pairs
    with a difference, less one. A tie prefers nothing. A couple without a pair is left out; the index has the
    number of the couple. Null is what nothing can be said of, as where the two never differ.
    """
    one, other = 100 * first.credit(), 100 * second.credit()
    counted = ~np.isnan(one - other)
    rows = paired_test(one - other, sharing, confidence).rename(columns={"estimate": "difference"})
    with np.errstate(invalid="ignore"):
        for name, scores in (("first_score", one), ("second_score", other)):
            rows[name] = np.where(counted, scores, 0).sum(axis=0) / rows["n"]
    prefers, others = (side.outcome == STEREOTYPE for side in (first, second))
    members = {"both": prefers & others, "b": prefers & ~others}
    members |= {"c": ~prefers & others, "neither": ~prefers & ~others}
    for name, there in members.items():
        rows[name] = (there & counted).sum(axis=0)
    rows["agreement"] = 100 * (rows["both"] + rows["neither"]) / rows["n"]
    rows["p_mcnemar"] = [mcnemar_test(b, c)[1] for b, c in zip(rows["b"], rows["c"], strict=True)]
    return rows[rows["n"] > 0].assign(confidence=confidence)


def mcnemar_test(b: int, c: int) -> tuple[float, float, bool]:
    """McNemar's (statistic, p, exact) of b units that differ one way and c the other; nan where b + c is 0.

    Fewer than EXACT_BELOW: min(b, c) and the exact binomial p; else chi-square with continuity correction.
    """
    exact = b + c < EXACT_BELOW
    if b + c == 0:
        return np.nan, np.nan, exact
    test = mcnemar([[0, b], [c, 0]], exact=exact, correction=True)
    return float(test.statistic), float(test.pvalue), exact


def measures_compared(decisions: Decisions, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Every two measures of one model and protocol, as unmask.statistics.schema.COMPARISONS."""
    first, second, names = decisions.couples()
    return framed(compared(first, second, sharing, confidence).join(names), COMPARISONS)


def models_compared(of_models: Mapping[str, Decisions], sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Every two models under each measure and protocol of both, as unmask.statistics.schema.COMPARISONS.

    of_models: the decisions of each model on the same pairs, in the order in which models are compared.
    """
    parts = [
        _of_both(one, other, sharing, confidence).assign(first=first, second=second)
        for (first, one), (second, other) in combinations(of_models.items(), 2)
    ]
    return framed(parts, COMPARISONS)


def states_compared(of_states: Mapping[str, Decisions], sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Each state of one model less the first under each measure and protocol of both, as
    unmask.statistics.schema.STATES.

    of_states: the decisions of each state on the same pairs, in the order of the series. Under one measure
    and protocol all states are compared on the same pairs: those that count for every state which has a
    score. A state without one is left out, and so is a measure of which the first has none. changed: pairs
    that a state decides otherwise than the first; beyond: those that float error cannot have turned.
    """
    name, first = next(iter(of_states.items()))
    parts = []
    for series in first.series:
        columns = {state: each.of([series]) for state, each in of_states.items() if series in each.series}
        counted = {state: ~np.isnan(each.credit()[:, 0]) for state, each in columns.items()}
        with_score = [state for state, counts in counted.items() if counts.any()]
        members = np.flatnonzero(np.logical_and.reduce([counted[state] for state in with_score]))
        for state in with_score[1:] if name in with_score else ():
            one, other = (columns[each].of([series], members) for each in (state, name))
            (least, most), (first_least, first_most) = map(_ends, (one, other))
            rows = compared(one, other, sharing.among(members), confidence).join(one.names)
            rows["score"], rows["first_score"] = rows["first_score"], rows["second_score"]
            rows["changed"] = np.count_nonzero(one.credit() != other.credit())
            rows["beyond"] = np.count_nonzero((least > first_most) | (most < first_least))
            parts.append(rows.assign(first=name, state=state))
    return framed(parts, STATES)


def versions_compared(
    version: pd.DataFrame,
    original: pd.DataFrame,
    of_models: Mapping[str, tuple[Decisions, Decisions]],
    kinds: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """Pairs of the same name in two benchmarks, such as a revision and what it revises, as
    unmask.statistics.schema.VERSIONS (without `original`).

    version, original: PAIRS. of_models: each model's decisions on the one and on the other. kinds: what makes
    pairs vary together (unmask.statistics.sharing): two pairs do so where they share something in either
    version. Pairs with other sentences are compared once more by themselves, where there are pairs with the
    same. Raises InputError where no pair is in both.
    """
    place = pd.Index(original["pair_id"]).get_indexer(version["pair_id"])
    of_version = np.flatnonzero(place >= 0)
    if not len(of_version):
        raise InputError("no pair_id is in both benchmarks")
    of_original = place[of_version]
    ones, others = (
        pairs.iloc[rows].reset_index(drop=True)
        for pairs, rows in ((version, of_version), (original, of_original))
    )
    nodes = (nodes_of(ones, kinds_in(version, kinds)), nodes_of(others, kinds_in(original, kinds)))
    sharing = Sharing.of([*one, *other] for one, other in zip(*nodes, strict=True))
    texts = [STEREOTYPE, ANTISTEREOTYPE]
    changed = np.flatnonzero((ones[texts].to_numpy(object) != others[texts].to_numpy(object)).any(axis=1))
    members_of = {COMMON: np.arange(len(ones))}
    if 0 < len(changed) < len(ones):
        members_of[CHANGED] = changed
    parts = [
        _of_both(
            first.of(first.series, of_version[members]),
            second.of(second.series, of_original[members]),
            sharing.among(members),
            confidence,
        ).assign(model=model, texts=texts)
        for model, (first, second) in of_models.items()
        for texts, members in members_of.items()
    ]
    return framed(parts, VERSIONS)


def _of_both(first: Decisions, second: Decisions, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Two sides under each measure and protocol that both have."""
    common = first.of([series for series in first.series if series in second.series])
    return compared(common, second.of(common.series), sharing, confidence).join(common.names)


def _ends(decisions: Decisions) -> tuple[Floats, Floats]:
    """What pairs add to scores at either end of float error: the least and the most."""
    ends = [decisions.credit(end) for end in (decisions.lowest, decisions.highest)]
    return np.minimum(*ends), np.maximum(*ends)
