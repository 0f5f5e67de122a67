"""Token accuracy: how often the right token is the model's first choice, under every reading of "token"."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from unmask.measures.measure import Measure
from unmask.measures.registry import measure
from unmask.statistics.intervals import wilson
from unmask.statistics.schema import ACCURACY
from unmask.tables import framed
from unmask.terms import (
    ALL_TOKENS,
    ANTISTEREOTYPE,
    CANDIDATES,
    CONTENT_TOKENS,
    MODIFIED_TOKENS,
    NONE,
    ORIGINAL,
    ROLES,
    SHARED_TOKENS,
    SHUFFLED,
    STEREOTYPE,
)

PAIR = "pair"
"""Both sentences of a pair, as a value of `roles`."""

READINGS: dict[str, Callable[[pd.DataFrame], "pd.Series[bool]"]] = {
    # special tokens count too: what the papers report for AUL
    ALL_TOKENS: lambda rows: rows["special"].notna(),
    CONTENT_TOKENS: lambda rows: ~rows["special"],
    SHARED_TOKENS: lambda rows: ~rows["special"] & rows["modified"].eq(False).fillna(False).astype(bool),
    MODIFIED_TOKENS: lambda rows: ~rows["special"] & rows["modified"].eq(True).fillna(False).astype(bool),
}
"""Which rows of an Evidence table a reading counts; CANDIDATES counts what `candidates` gives."""


def predictions(measure: Measure, evidence: Mapping[str, pd.DataFrame]) -> pd.DataFrame | None:
    """The rows of evidence (by masking) that a measure reads; None where a masking of it is absent."""
    if not all(masking in evidence for masking in measure.maskings):
        return None
    return pd.concat([evidence[masking] for masking in measure.maskings], ignore_index=True)


def tokens(evidence: pd.DataFrame, reading: str) -> pd.DataFrame:
    """The rows of an Evidence table that `reading` counts, with a column `right`: is the rank 1."""
    rows = evidence[READINGS[reading](evidence)]
    return rows.assign(right=rows["rank"] == 1)


def candidates(modified: pd.DataFrame) -> pd.DataFrame:
    """Whole-candidate matching for SSS, as the paper describes it: one row per prediction, with `right`.

    `modified` is evidence of the masking `modified`. A candidate (the modified tokens of one side) is matched
    when each of its tokens has rank 1. Where the modified tokens of both sides stand at the same positions
    they are predicted from one masked input (all else is shared): the pair counts once, right if either
    candidate is matched. Otherwise, be they equally many or not, each candidate is predicted from its own
    input and counts by itself; a side without modified tokens has no candidate. Columns: pair_id, role (null
    where the pair counts once), right.
    """
    hits = tokens(modified, CONTENT_TOKENS)
    # an unrelated sentence is no candidate
    hits = hits[hits["role"].isin((STEREOTYPE, ANTISTEREOTYPE))]
    sides = hits.groupby(["pair_id", "role"], sort=False)["right"].all().unstack("role")
    sides = sides.reindex(columns=[STEREOTYPE, ANTISTEREOTYPE])
    matched = sides.eq(True).fillna(False).astype(bool)
    # a position of one side alone makes two inputs
    on_both_sides = hits.groupby(["pair_id", "position"])["role"].transform("size") == 2
    once = on_both_sides.groupby(hits["pair_id"]).all().reindex(sides.index)
    parts = [pd.DataFrame({"pair_id": sides.index[once], "role": None, "right": matched[once].any(axis=1)})]
    for role in (STEREOTYPE, ANTISTEREOTYPE):
        by_side = ~once & sides[role].notna()
        parts.append(
            pd.DataFrame({"pair_id": sides.index[by_side], "role": role, "right": matched.loc[by_side, role]})
        )
    return pd.concat(parts, ignore_index=True)


def _counted(
    measures: Sequence[str], evidence: Mapping[str, pd.DataFrame]
) -> Iterator[tuple[str, pd.DataFrame, tuple[str, ...]]]:
    """Name, predictions and readings: once for measures that have their predictions in common."""
    named: set[str] = set()
    for one in map(measure, measures):
        name, rows = one.predictions_of or one.name, predictions(one, evidence)
        if rows is not None and name not in named:
            named.add(name)
            yield name, rows, one.readings


def accuracy_counts(
    measures: Sequence[str], evidence: Mapping[str, pd.DataFrame], shuffled: pd.DataFrame | None
) -> pd.DataFrame:
    """How many tokens of some pairs are counted and right: columns measure, variant, roles, reading,
    correct, n.

    `evidence` maps a masking to its Evidence table; those of `measures` whose maskings are absent are left
    out. `shuffled` is the evidence of the shuffled variant (unmask.statistics.computing.Part).
    """
    rows: list[tuple[str, str, str, str, int, int]] = []

    def add(name: str, variant: str, roles: str, reading: str, right: "pd.Series[bool]") -> None:
        rows.append((name, variant, roles, reading, int(right.sum()), len(right)))

    def add_tokens(name: str, variant: str, reading: str, predicted: pd.DataFrame) -> None:
        hits = tokens(predicted, reading)
        of_pair = hits["role"].isin((STEREOTYPE, ANTISTEREOTYPE))
        add(name, variant, PAIR, reading, hits.loc[of_pair, "right"])
        for role in ROLES:
            add(name, variant, role, reading, hits.loc[hits["role"] == role, "right"])

    matched: dict[str, pd.Series[bool]] = {}
    for name, predicted, readings in _counted(measures, evidence):
        for reading in readings:
            if reading == CANDIDATES:
                matched[name] = candidates(predicted)["right"]
            else:
                add_tokens(name, ORIGINAL, reading, predicted)
    if shuffled is not None:
        name, readings = of_whole_sentences(evidence)
        for reading in readings:
            add_tokens(name, SHUFFLED, reading, shuffled)
    for name, right in matched.items():
        add(name, ORIGINAL, PAIR, CANDIDATES, right)
    return pd.DataFrame(rows, columns=[*_COUNTED, "correct", "n"])


def of_whole_sentences(evidence: Mapping[str, pd.DataFrame]) -> tuple[str, tuple[str, ...]]:
    """The measure whose predictions are compared between sentences, and which of them count: AUL's, or those
    of LL, which has no special ones."""
    return ("AUL", (ALL_TOKENS, CONTENT_TOKENS)) if NONE in evidence else ("LL", (CONTENT_TOKENS,))


_COUNTED = ["measure", "variant", "roles", "reading"]


def accuracy_table(counts: Sequence[pd.DataFrame], confidence: float) -> pd.DataFrame:
    """Token accuracy in percent with Wilson intervals, as unmask.statistics.schema.ACCURACY.

    `counts` are those of all pairs of a benchmark, a frame for each part of them; a reading without tokens is
    left out. Tokens of a sentence are not independent: the interval is that of independent ones, hence too
    narrow.
    """
    if not counts:
        return framed([], ACCURACY)
    together = pd.concat(counts).groupby(_COUNTED, sort=False)[["correct", "n"]].sum()
    rows: list[dict[str, object]] = []
    for key, (correct, n) in zip(together.index, together.to_numpy(), strict=True):
        if n:
            low, high = wilson(correct, n, confidence)
            rows.append(
                dict(zip(_COUNTED, key, strict=True))
                | {
                    "correct": correct,
                    "n": n,
                    "accuracy": 100 * correct / n,
                    "low": low,
                    "high": high,
                    "confidence": confidence,
                }
            )
    return framed(rows, ACCURACY)
