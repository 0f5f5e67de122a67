"""Scores compared on the same pairs: two measures or models, states, versions of a benchmark, changes."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.measures.formulas import sees_context
from unmask.statistics.schema import COMPARISONS, VERSIONS
from unmask.statistics.scores import Decisions
from unmask.statistics.uncertainty import Sharing, kinds_in, mcnemar_p, nodes_of, paired_test
from unmask.tables import framed
from unmask.terms import STEREOTYPE


def compared(first: Decisions, second: Decisions, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """The first less the second of two sides with as many series, couple by couple, of the same pairs: the
    columns of COMPARISONS but for names.

    A pair counts where it does for both scores: in `corrected` where neither is undefined. The difference is
    the mean over pairs of the difference of each, in percentage points, and its error is clustered. There are
    no more degrees of freedom than pairs with a difference, less one. A tie prefers nothing. A couple without
    a pair is left out; the index has the number of the couple. Null is what nothing can be said of, as where
    the two never differ.
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
    for name, side in (("first_margin", first), ("second_margin", second)):
        rows[name] = pd.DataFrame(np.where(counted, side.margin, np.nan)).abs().median()
    for name, there in members.items():
        rows[name] = (there & counted).sum(axis=0)
    rows["agreement"] = 100 * (rows["both"] + rows["neither"]) / rows["n"]
    rows["p_mcnemar"] = [mcnemar_p(b, c) for b, c in zip(rows["b"], rows["c"], strict=True)]
    return rows[rows["n"] > 0]


def measures_compared(decisions: Decisions, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Every two measures of one model and protocol, as unmask.statistics.schema.COMPARISONS."""
    both = [(one, other) for one, other in combinations(decisions.series, 2) if one[1] == other[1]]
    first, second = (decisions.of([couple[side] for couple in both]) for side in (0, 1))
    names = first.names.rename(columns={"measure": "first"}).assign(second=second.names["measure"])
    return framed(compared(first, second, sharing, confidence).join(names), COMPARISONS)


def sides_compared(
    sides: Iterable[tuple[Mapping[str, str], Decisions, Decisions]],
    sharing: Sharing,
    confidence: float,
    schema: pa.Schema = COMPARISONS,
) -> pd.DataFrame:
    """Two models, states of one, or versions of a benchmark under each measure and protocol of both, as
    COMPARISONS or VERSIONS.

    sides: the names of two sides, as columns, and the decisions of the first and the second on one set of
    pairs.
    """
    parts = []
    for names, first, second in sides:
        common = first.of([series for series in first.series if series in second.series])
        rows = compared(common, second.of(common.series), sharing, confidence)
        parts.append(rows.join(common.names).assign(**names))
    return framed(parts, schema)


def versions_compared(
    version: pd.DataFrame,
    original: pd.DataFrame,
    of_models: Mapping[str, tuple[Decisions, Decisions]],
    kinds: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """Pairs of the same name in two benchmarks, such as a revision and what it revises, as
    unmask.statistics.schema.VERSIONS (without the names of the benchmarks).

    version, original: PAIRS. of_models: each model's decisions on the one and on the other. kinds: what makes
    pairs vary together (unmask.statistics.uncertainty): two pairs do so where they share something in either
    version. Raises InputError where no pair is in both.
    """
    place = pd.Index(original["pair_id"]).get_indexer(version["pair_id"])
    ones, others = np.flatnonzero(place >= 0), place[place >= 0]
    if not len(ones):
        raise InputError("no pair_id is in both benchmarks")
    both = ((version, ones), (original, others))
    nodes = (nodes_of(pairs.iloc[some], kinds_in(pairs, kinds)) for pairs, some in both)
    sharing = Sharing.of([*one, *other] for one, other in zip(*nodes, strict=True))
    sides = (
        ({"model": model}, first.of(first.series, ones), second.of(second.series, others))
        for model, (first, second) in of_models.items()
    )
    return sides_compared(sides, sharing, confidence, VERSIONS)


def changes(rows: pd.DataFrame, origins: Mapping[str, str], protocol: str) -> pd.DataFrame:
    """The bias score of each model less that of its origin, with the typical margins of both.

    rows: COMPARISONS of models, the first, with their origins, the second, and a column benchmark; origins:
    the model that each was made from. Columns: those of COMPARISONS with model, after, typical_after for what
    the first has, and origin, before, typical_before for the second; change, the difference; benchmark;
    untestable, true where scores or decisions differ but there is no interval, as where all pairs share a
    word: nothing is known of other words. In the order of `origins`, and then of the rows.
    """
    rows = rows[(rows["protocol"] == protocol) & (rows["first"].map(origins) == rows["second"])]
    differ = (rows["b"] + rows["c"] > 0) | (rows["difference"] != 0)
    rows = rows.assign(untestable=differ & rows["p"].isna())
    rank = {model: place for place, model in enumerate(origins)}
    rows = rows.sort_values("first", key=lambda models: models.map(rank), kind="stable", ignore_index=True)
    return rows.rename(columns=_OF_CHANGES)


_OF_CHANGES = {
    **{"first": "model", "first_score": "after", "first_margin": "typical_after"},
    **{"second": "origin", "second_score": "before", "second_margin": "typical_before"},
    "difference": "change",
}


def without_controls(changed: pd.DataFrame) -> pd.DataFrame:
    """The changes that may support a claim: those of measures that see some word of a sentence."""
    return changed[changed["measure"].map(sees_context).astype(bool)]
