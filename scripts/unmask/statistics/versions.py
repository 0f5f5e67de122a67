"""Two versions of a benchmark, such as a revision or a translation: does a model decide their pairs alike?"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.statistics.comparisons import compared
from unmask.statistics.decisions import Decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Ints
from unmask.statistics.schema import VERSIONS
from unmask.statistics.shared_words import kinds_in, nodes_of
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

COMMON, CHANGED = "all", "changed"


def versions_compared(
    version: pd.DataFrame,
    original: pd.DataFrame,
    of_models: Mapping[str, tuple[Decisions, Decisions]],
    kinds: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """Pairs of the same name in two benchmarks, as unmask.statistics.schema.VERSIONS (without `original`).

    version, original: PAIRS. of_models: each model's decisions on the one and on the other. kinds: what makes
    pairs vary together (unmask.statistics.shared_words): two pairs do so where they share something in either
    version. See unmask.statistics.comparisons.compared for what a row has. Pairs with other sentences are
    compared once more by themselves, where there are pairs with the same. Raises InputError where no pair is
    in both.
    """
    place = pd.Index(original["pair_id"]).get_indexer(version["pair_id"])
    of_version = np.flatnonzero(place >= 0)
    if not len(of_version):
        raise InputError("no pair_id is in both benchmarks")
    of_original = place[of_version]
    ones = version.iloc[of_version].reset_index(drop=True)
    others = original.iloc[of_original].reset_index(drop=True)
    nodes = [
        list(nodes_of(pairs, kinds_in(whole, kinds)))
        for pairs, whole in ((ones, version), (others, original))
    ]
    dependence = Dependence.of([[*one, *other] for one, other in zip(*nodes, strict=True)])
    texts = [STEREOTYPE, ANTISTEREOTYPE]
    changed = np.flatnonzero((ones[texts].to_numpy(object) != others[texts].to_numpy(object)).any(axis=1))
    parts: dict[str, Ints] = {COMMON: np.arange(len(ones))}
    if 0 < len(changed) < len(ones):
        parts[CHANGED] = changed
    rows = []
    for model, (first, second) in of_models.items():
        both = [series for series in first.series if series in second.series]
        couples = [(first.series.index(each), len(first.series) + second.series.index(each)) for each in both]
        for name, members in parts.items():
            joined = _joined(first, of_version[members], second, of_original[members])
            among = dependence.among(members)
            for number, row in compared(joined, couples, among, confidence):
                measure, protocol = both[number]
                said = {"model": model, "texts": name, "measure": measure, "protocol": protocol}
                rows.append(said | {key: value for key, value in row.items() if key in VERSIONS.names})
    return framed(rows, VERSIONS)


def _joined(first: Decisions, rows: Ints, second: Decisions, others: Ints) -> Decisions:
    """The decisions of two benchmarks on pairs of each, side by side."""
    arrays = (
        np.hstack([getattr(first, name)[rows], getattr(second, name)[others]])
        for name in ("outcome", "margin", "lowest", "highest")
    )
    return Decisions([*first.series, *second.series], *arrays)
