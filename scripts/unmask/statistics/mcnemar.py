"""McNemar's tests between accuracies on the same tokens, of tokens and clustered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.measures.registry import measure
from unmask.statistics.accuracy import of_whole_sentences, predictions, tokens
from unmask.statistics.dependence import Dependence
from unmask.statistics.intervals import Ints
from unmask.statistics.paired import CLUSTERED, TOKEN, four_counts, mcnemar, sharing_mcnemar
from unmask.statistics.schema import TESTS
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, CONTENT_TOKENS, LEFT, NONE, STEREOTYPE, UNRELATED

BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD = "measures", "shuffled", "unrelated"
"""The kinds of tests."""

_PAIR_ROLES = (STEREOTYPE, ANTISTEREOTYPE)

_TOKEN = ["pair_id", "role", "position"]
"""The columns that name a token."""


def _matched(first: pd.DataFrame, second: pd.DataFrame, what: str) -> pd.DataFrame:
    """Both sides' `right` on the tokens of `second`, all of which `first` must have too."""
    joined = first[[*_TOKEN, "right"]].merge(
        second[[*_TOKEN, "right"]], on=_TOKEN, suffixes=("_first", "_second")
    )
    if len(joined) != len(second) or joined.duplicated(_TOKEN).any():
        raise InputError(f"evidence: the tokens of {what} are not those of the masking none; make both again")
    return joined


def between_measures(none: pd.DataFrame, hidden: pd.DataFrame, reading: str) -> pd.DataFrame:
    """AUL's and another measure's hits on the same tokens, matched by pair_id, role and position."""
    hits = tokens(hidden, reading)
    return _matched(tokens(none, reading), hits, f"the {reading} under the other masking")


def against_shuffled(none: pd.DataFrame, shuffled: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Hits in the original and the shuffled order, over the tokens of both sentences that `reading` counts.

    A shuffled token is matched with where it stood in the original (`source_position`; a special token, which
    keeps its place, may have none). The first token of a text without a start token is predicted in neither
    order; another is the first in each, and both are left out.
    """
    hits = tokens(shuffled, reading)
    hits = hits[hits["role"].isin(_PAIR_ROLES)]
    hits = hits.assign(position=hits["source_position"].fillna(hits["position"]).astype(np.int64))
    unpredicted = pd.MultiIndex.from_frame(none.loc[none["special"].astype(bool), _TOKEN])
    if reading == CONTENT_TOKENS:
        hits = hits[~pd.MultiIndex.from_frame(hits[_TOKEN]).isin(unpredicted)]
    return _matched(tokens(none, reading), hits, "the shuffled variant")


def against_unrelated(none: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Hits in the stereotype and in the unrelated sentence of the same pair, over the tokens of `reading`.

    Only pairs whose two sentences have equally many tokens, special ones counted, are in; the token at a
    position of the one is matched with the token at the same position of the other. (The sentences differ in
    the target's slot, so nearly all matched tokens are the same word.)
    """
    size = none.groupby(["pair_id", "role"]).size().unstack("role")
    size = size.reindex(columns=[STEREOTYPE, UNRELATED])
    equal = size.index[size[STEREOTYPE] == size[UNRELATED]]
    hits = tokens(none, reading)
    hits = hits[hits["pair_id"].isin(equal)]
    keys = ["pair_id", "position"]
    return hits[hits["role"] == STEREOTYPE][[*keys, "role", "right"]].merge(
        hits[hits["role"] == UNRELATED][[*keys, "right"]],
        on=keys,
        suffixes=("_first", "_second"),
        validate="one_to_one",
    )


def by_pair(matched: pd.DataFrame) -> "pd.Series[int]":
    """Of each pair, how many matched tokens the first alone has right less how many the second alone has."""
    difference = matched["right_first"].astype(np.int64) - matched["right_second"].astype(np.int64)
    return difference.groupby(matched["pair_id"], sort=False).sum()


@dataclass
class Tally:
    """What is counted of some pairs for one test.

    reading: which tokens. tokens: right in both, in the first alone, in the second alone, in neither.
    differences: what `by_pair` gives, by pair_id.
    """

    reading: str
    tokens: Ints
    differences: "list[pd.Series[int]]"

    @classmethod
    def of(cls, reading: str, matched: pd.DataFrame) -> "Tally":
        return cls(reading, four_counts(matched["right_first"], matched["right_second"]), [by_pair(matched)])

    def add(self, other: "Tally") -> None:
        """Count other pairs too."""
        self.tokens = self.tokens + other.tokens
        self.differences += other.differences


Tallies = dict[tuple[str, str, str], Tally]
"""By kind, first and second."""


def tallies(
    measures: Sequence[str], evidence: Mapping[str, pd.DataFrame], shuffled: pd.DataFrame | None
) -> Tallies:
    """What `mcnemar_table` needs of some pairs; what has no evidence is left out."""
    none = evidence.get(NONE, evidence.get(LEFT))
    if none is None:
        return {}
    by_test: Tallies = {}
    for other in map(measure, measures):
        reading, hidden = other.reading_against_aul, predictions(other, evidence)
        if reading is not None and hidden is not None and NONE in evidence:
            matched = between_measures(none, hidden, reading)
            by_test[BETWEEN_MEASURES, "AUL", other.name] = Tally.of(reading, matched)
    name, (reading, *_) = of_whole_sentences(evidence)
    if shuffled is not None:
        order = Tally.of(reading, against_shuffled(none, shuffled, reading))
        by_test[SHUFFLED_ORDER, f"{name} original", f"{name} shuffled"] = order
    unrelated = Tally.of(reading, against_unrelated(none, reading))
    by_test[UNRELATED_WORD, f"{name} stereotype", f"{name} unrelated"] = unrelated
    return by_test


def mcnemar_table(parts: Iterable[Tallies], pair_ids: Sequence[str], dependence: Dependence) -> pd.DataFrame:
    """McNemar tests of one model on one benchmark, as unmask.statistics.schema.TESTS, with raw p.

    `parts` are the tallies of all its pairs, pair_ids these in order, and dependence says which of them share
    something. kind `measures`: token accuracy of AUL against that of every measure with a
    `reading_against_aul`, on these tokens: CPS on the shared ones, SSS on the modified ones. kind `shuffled`:
    AUL's accuracy in the original against the shuffled order. kind `unrelated`: AUL's accuracy on the
    stereotype against the unrelated sentence. Both are of LL for a causal language model, without special
    tokens, which are given.
    Each comes with two units: `token`, as if tokens were independent; `clustered`, by pair with pairs that
    share something varying together. What has no units is left out.
    """
    together: Tallies = {}
    for part in parts:
        for key, tally in part.items():
            if key in together:
                together[key].add(tally)
            else:
                together[key] = tally
    rows: list[dict[str, object]] = []
    places = pd.Index(pair_ids)
    for (kind, first, second), tally in together.items():
        differences = pd.concat(tally.differences)
        d = differences.to_numpy().astype(np.int64)
        members = places.get_indexer(differences.index)
        for unit, tested in (
            (TOKEN, mcnemar(tally.tokens)),
            (CLUSTERED, sharing_mcnemar(d, dependence.among(members))),
        ):
            if tested["n"]:
                rows.append(
                    {
                        "kind": kind,
                        "first": first,
                        "second": second,
                        "reading": tally.reading,
                        "unit": unit,
                        "untestable": False,
                        **tested,
                    }
                )
    return framed(rows, TESTS).astype({"both": "Int32", "neither": "Int32"})
