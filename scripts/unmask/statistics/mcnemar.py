"""McNemar's test between accuracies on the same tokens, and between decisions on the same pairs."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of

from unmask.errors import InputError
from unmask.measures.registry import measure
from unmask.statistics.accuracy import predictions, tokens
from unmask.statistics.options import PAIR, SENTENCE, TOKEN
from unmask.statistics.schema import TESTS
from unmask.tables import framed
from unmask.terms import ALL_TOKENS, ANTISTEREOTYPE, CORRECTED, NONE, STEREOTYPE, UNDEFINED, UNRELATED

EXACT_BELOW = 25
"""Fewer discordant units than this: the exact binomial test; else chi-square with continuity correction."""

BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD = "measures", "shuffled", "unrelated"
DECISIONS = "decisions"
"""The kinds of tests."""

_PAIR_ROLES = (STEREOTYPE, ANTISTEREOTYPE)


def mcnemar(first: "pd.Series[bool]", second: "pd.Series[bool]") -> dict[str, object]:
    """McNemar's test of paired yes/no data (McNemar 1947): n, both, b, c, neither, statistic, p, exact.

    b counts units where only `first` is true, c where only `second` is. Without discordant units p is 1;
    without units p and statistic are null.
    """
    one, other = first.to_numpy(bool), second.to_numpy(bool)
    both, b = int((one & other).sum()), int((one & ~other).sum())
    c, neither = int((~one & other).sum()), int((~one & ~other).sum())
    exact = b + c < EXACT_BELOW
    result = mcnemar_of([[both, b], [c, neither]], exact=exact, correction=True) if len(one) else None
    return {
        "n": len(one),
        "both": both,
        "b": b,
        "c": c,
        "neither": neither,
        "statistic": float(result.statistic) if result else None,
        "p": float(result.pvalue) if result else None,
        "exact": exact,
    }


def _matched(first: pd.DataFrame, second: pd.DataFrame, what: str) -> pd.DataFrame:
    """Both sides' `right` on the tokens of `second`, all of which `first` must have too."""
    keys = ["pair_id", "role", "position"]
    joined = first[[*keys, "right"]].merge(second[[*keys, "right"]], on=keys, suffixes=("_first", "_second"))
    if len(joined) != len(second) or joined.duplicated(keys).any():
        raise InputError(f"evidence: the tokens of {what} are not those of the masking none; make both again")
    return joined


def between_measures(none: pd.DataFrame, hidden: pd.DataFrame, reading: str) -> pd.DataFrame:
    """AUL's and another measure's hits on the same tokens, matched by pair_id, role and position."""
    hits = tokens(hidden, reading)
    return _matched(tokens(none, reading), hits, f"the {reading} under the other masking")


def against_shuffled(none: pd.DataFrame, shuffled: pd.DataFrame) -> pd.DataFrame:
    """Hits in the original and the shuffled order, over all tokens of both sentences of each pair.

    A shuffled token is matched with where it stood in the original (`source_position`; a special token, which
    keeps its place, may have none).
    """
    hits = tokens(shuffled, ALL_TOKENS)
    hits = hits[hits["role"].isin(_PAIR_ROLES)]
    hits = hits.assign(position=hits["source_position"].fillna(hits["position"]).astype(np.int64))
    return _matched(tokens(none, ALL_TOKENS), hits, "the shuffled variant")


def against_unrelated(none: pd.DataFrame) -> pd.DataFrame:
    """Hits in the stereotype sentence and in the unrelated sentence of the same pair, over all tokens.

    Only pairs whose two sentences have equally many tokens, special ones counted, are in; the token at a
    position of the one is matched with the token at the same position of the other. (The sentences differ in
    the target's slot, so nearly all matched tokens are the same word.)
    """
    hits = tokens(none, ALL_TOKENS)
    size = hits.groupby(["pair_id", "role"])["right"].size().unstack("role")
    size = size.reindex(columns=[STEREOTYPE, UNRELATED])
    equal = size.index[size[STEREOTYPE] == size[UNRELATED]]
    hits = hits[hits["pair_id"].isin(equal)]
    keys = ["pair_id", "position"]
    return hits[hits["role"] == STEREOTYPE][[*keys, "role", "right"]].merge(
        hits[hits["role"] == UNRELATED][[*keys, "right"]],
        on=keys,
        suffixes=("_first", "_second"),
        validate="one_to_one",
    )


def by_sentence(matched: pd.DataFrame) -> pd.DataFrame:
    """`matched` with one row per sentence: right where all its matched tokens are."""
    return matched.groupby(["pair_id", "role"], as_index=False, sort=False)[
        ["right_first", "right_second"]
    ].all()


def mcnemar_table(
    scores: pd.DataFrame,
    evidence: Mapping[str, pd.DataFrame],
    shuffled: pd.DataFrame | None,
    pairing: str,
) -> pd.DataFrame:
    """McNemar tests of one model on one benchmark, as unmask.statistics.schema.TESTS, with raw p.

    kind `measures`: token accuracy of AUL against that of every measure with a `reading_against_aul`, on
    these tokens: CPS on the shared ones, SSS on the modified ones. kind `shuffled`: AUL's accuracy in the
    original against the shuffled order. kind `unrelated`: AUL's accuracy on the stereotype against the
    unrelated sentence. kind `decisions`: decides "stereotype" or not, between every two measures of one
    protocol; a tie counts as not. In `corrected` pairs that are undefined in either measure are left out, in
    `published` they count as not; a measure that is undefined for every pair is left out of both. The first
    three come with either pairing unit, `token` and `sentence` (right where all its tokens are); the column
    `chosen` marks that of `pairing`.
    What has no evidence or no units is left out.
    """
    rows: list[dict[str, object]] = []

    def compare(kind: str, first: str, second: str, reading: str, matched: pd.DataFrame) -> None:
        for unit, units in ((TOKEN, matched), (SENTENCE, by_sentence(matched))):
            if len(units):
                rows.append(
                    {
                        "kind": kind,
                        "first": first,
                        "second": second,
                        "reading": reading,
                        "protocol": None,
                        "unit": unit,
                        "chosen": unit == pairing,
                        **mcnemar(units["right_first"], units["right_second"]),
                    }
                )

    none = evidence.get(NONE)
    if none is not None:
        for other in map(measure, scores["measure"].drop_duplicates()):
            reading, hidden = other.reading_against_aul, predictions(other, evidence)
            if reading is not None and hidden is not None:
                matched = between_measures(none, hidden, reading)
                compare(BETWEEN_MEASURES, "AUL", other.name, reading, matched)
        if shuffled is not None:
            compare(
                SHUFFLED_ORDER, "AUL original", "AUL shuffled", ALL_TOKENS, against_shuffled(none, shuffled)
            )
        compare(UNRELATED_WORD, "AUL stereotype", "AUL unrelated", ALL_TOKENS, against_unrelated(none))

    for protocol, decided in scores.groupby("protocol", sort=False):
        outcomes = decided.pivot(index="pair_id", columns="measure", values="outcome")
        measures = [m for m in decided["measure"].drop_duplicates() if (outcomes[m] != UNDEFINED).any()]
        for first, second in combinations(measures, 2):
            both = outcomes[[first, second]]
            if protocol == CORRECTED:
                both = both[(both != UNDEFINED).all(axis=1)]
            if both.empty:
                continue
            rows.append(
                {
                    "kind": DECISIONS,
                    "first": first,
                    "second": second,
                    "reading": "pairs",
                    "protocol": protocol,
                    "unit": PAIR,
                    "chosen": True,
                    **mcnemar(both[first] == STEREOTYPE, both[second] == STEREOTYPE),
                }
            )
    return framed(rows, TESTS)
