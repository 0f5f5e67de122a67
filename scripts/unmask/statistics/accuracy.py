"""Token accuracy, how often the right token is a model's first choice, and McNemar's tests of accuracies."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.measures.scoring import Evidence
from unmask.statistics.schema import ACCURACY, TESTS
from unmask.statistics.uncertainty import Sharing, mcnemar_p, normal_quantile, paired_test, wilson
from unmask.tables import framed
from unmask.terms import (
    ALL_TOKENS,
    CANDIDATES,
    CONTENT_TOKENS,
    LEFT,
    MODIFIED,
    MODIFIED_TOKENS,
    NONE,
    ONE_SHARED,
    ORIGINAL,
    ROLES,
    SHARED_TOKENS,
    SHUFFLED,
    SIDES,
    STEREOTYPE,
    UNRELATED,
)

PAIR = "pair"
"""Both sentences of a pair, as a value of `roles`."""

BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD = "measures", "shuffled", "unrelated"
"""The kinds of tests."""

TOKEN, CLUSTERED = "token", "clustered"
"""What a test takes as independent: tokens, or pairs that share nothing."""

READINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "AUL": (NONE, (ALL_TOKENS, CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS)),
    "CPS": (ONE_SHARED, (SHARED_TOKENS,)),
    "SSS": (MODIFIED, (MODIFIED_TOKENS, CANDIDATES)),
    "LL": (LEFT, (CONTENT_TOKENS, SHARED_TOKENS, MODIFIED_TOKENS)),
}
"""Of each measure with a token accuracy the masking of its predictions, and which tokens count."""

AGAINST_AUL = {"CPS": SHARED_TOKENS, "SSS": MODIFIED_TOKENS}
"""On which tokens AUL is compared with another measure."""

_TOKEN = ["pair_id", "role", "position"]
"""The columns that name a token."""


def whole_sentences(evidence: Evidence) -> tuple[str, pd.DataFrame | None, tuple[str, ...]]:
    """The measure whose predictions are compared between sentences, the rows of evidence where these are read
    with nothing hidden, if there are any, and which of them count: AUL's, or LL's, which has no special ones.
    """
    if NONE in evidence:
        return "AUL", evidence[NONE], (ALL_TOKENS, CONTENT_TOKENS)
    return "LL", evidence.get(LEFT), (CONTENT_TOKENS,)


def tokens(evidence: pd.DataFrame, reading: str) -> pd.DataFrame:
    """The rows of an Evidence table that `reading` counts, with a column `right`: is the rank 1.

    Special tokens count in ALL_TOKENS alone, as the papers report it for AUL.
    """
    if reading == CANDIDATES:
        return candidates(evidence)
    rows = evidence if reading == ALL_TOKENS else evidence[~evidence["special"].astype(bool)]
    if reading in (SHARED_TOKENS, MODIFIED_TOKENS):
        rows = rows[rows["modified"].eq(reading == MODIFIED_TOKENS).fillna(False).astype(bool)]
    return rows.assign(right=rows["rank"] == 1)


def candidates(modified: pd.DataFrame) -> pd.DataFrame:
    """Whole-candidate matching for SSS, as the paper describes it: one row per prediction, with `right`.

    `modified` is evidence of the masking `modified`. A candidate (the modified tokens of one side) is matched
    when each of its tokens has rank 1. Where those of both sides stand at the same positions they are
    predicted from one masked input: the pair counts once, right if either is matched. Otherwise each counts
    by itself; a side without modified tokens has none. Columns: pair_id, role (null where the pair counts
    once), right.
    """
    # an unrelated sentence is no candidate
    hits = tokens(modified[modified["role"].isin(SIDES)], CONTENT_TOKENS)
    matched = hits.groupby(["pair_id", "role"], sort=False)["right"].all().reset_index()
    # a position of one side alone makes two inputs
    on_both_sides = hits.groupby(["pair_id", "position"])["role"].transform("size") == 2
    once = matched["pair_id"].map(on_both_sides.groupby(hits["pair_id"]).all()).astype(bool)
    of_pairs = matched[once].groupby("pair_id", sort=False)["right"].any().reset_index()
    return pd.concat([of_pairs.assign(role=None), matched[~once]], ignore_index=True)


def accuracy_table(evidence: Evidence, shuffled: Evidence, confidence: float) -> pd.DataFrame:
    """Token accuracy in percent with Wilson intervals, as unmask.statistics.schema.ACCURACY.

    A measure whose masking is absent in `evidence` is left out, and so is a reading without tokens. shuffled:
    evidence of the shuffled variant, if there is any. The interval is that of independent tokens, hence too
    narrow.
    """
    counted: dict[tuple[str, str, str], pd.DataFrame] = {}
    for name, (masking, readings) in READINGS.items():
        if masking in evidence:
            counted |= {(name, ORIGINAL, reading): evidence[masking] for reading in readings}
    name, of_shuffled, readings = whole_sentences(shuffled)
    counted |= {(name, SHUFFLED, reading): of_shuffled for reading in readings if of_shuffled is not None}
    rows = []
    for key, evidence_rows in sorted(counted.items(), key=lambda each: each[0][-1] == CANDIDATES):
        hits = tokens(evidence_rows, key[-1])
        members = {PAIR: hits["role"] != UNRELATED}
        if key[-1] != CANDIDATES:
            members |= {role: hits["role"] == role for role in ROLES}
        rows += [(*key, roles, hits["right"][there].sum(), there.sum()) for roles, there in members.items()]
    table = pd.DataFrame(rows, columns=["measure", "variant", "reading", "roles", "correct", "n"])
    table = table[table["n"] > 0].reset_index(drop=True)
    share = table["correct"] / table["n"]
    low, high = wilson(share, table["n"], normal_quantile(confidence))
    return framed(table.assign(accuracy=100 * share, low=100 * low, high=100 * high), ACCURACY)


def _matched(first: pd.DataFrame, second: pd.DataFrame, what: str) -> pd.DataFrame:
    """Both sides' `right` on the tokens of `second`, all of which `first` must have too."""
    columns = [*_TOKEN, "right"]
    joined = first[columns].merge(second[columns], on=_TOKEN, suffixes=("_first", "_second"))
    if len(joined) != len(second) or joined.duplicated(_TOKEN).any():
        raise InputError(f"evidence: the tokens of {what} are not those of the masking none; make both again")
    return joined


def against_shuffled(none: pd.DataFrame, shuffled: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Hits in the original and the shuffled order, over the tokens of both sentences that `reading` counts.

    A shuffled token is matched with where it stood in the original (`source_position`; a special token, which
    keeps its place, may have none). The first token of a text without a start token is predicted in neither
    order, and what is the first in either is left out.
    """
    hits = tokens(shuffled[shuffled["role"].isin(SIDES)], reading)
    hits = hits.assign(position=hits["source_position"].fillna(hits["position"]).astype(np.int64))
    unpredicted = pd.MultiIndex.from_frame(none.loc[none["special"].astype(bool), _TOKEN])
    if reading == CONTENT_TOKENS:
        hits = hits[~pd.MultiIndex.from_frame(hits[_TOKEN]).isin(unpredicted)]
    return _matched(tokens(none, reading), hits, "the shuffled variant")


def against_unrelated(none: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Hits in the stereotype and in the unrelated sentence of the same pair, over the tokens of `reading`.

    Only pairs whose two sentences have equally many tokens, special ones counted, are in; tokens at one
    position are matched, nearly all of which are one word: the sentences differ in the target's slot.
    """
    sizes = pd.crosstab(none["pair_id"], none["role"]).reindex(columns=[STEREOTYPE, UNRELATED], fill_value=0)
    equal = sizes.index[sizes[STEREOTYPE] == sizes[UNRELATED]]
    hits = tokens(none[none["pair_id"].isin(equal)], reading)
    keys = ["pair_id", "position"]
    first, second = (hits.loc[hits["role"] == role, [*keys, "right"]] for role in (STEREOTYPE, UNRELATED))
    return first.merge(second, on=keys, suffixes=("_first", "_second"), validate="one_to_one")


def matches(evidence: Evidence, shuffled: Evidence) -> dict[tuple[str, str, str, str], pd.DataFrame]:
    """By kind, first, second and reading of a test the tokens that both have: right_first, right_second."""
    name, whole, (reading, *_) = whole_sentences(evidence)
    if whole is None:
        return {}
    of_tests = {}
    for other, of in AGAINST_AUL.items():
        masking, _ = READINGS[other]
        if evidence.keys() >= {NONE, masking}:
            what, hidden = f"the {of} under the masking {masking}", tokens(evidence[masking], of)
            of_tests[BETWEEN_MEASURES, "AUL", other, of] = _matched(tokens(whole, of), hidden, what)
    _, of_shuffled, _ = whole_sentences(shuffled)
    if of_shuffled is not None:
        of_order = against_shuffled(whole, of_shuffled, reading)
        of_tests[SHUFFLED_ORDER, f"{name} original", f"{name} shuffled", reading] = of_order
    of_word = against_unrelated(whole, reading)
    of_tests[UNRELATED_WORD, f"{name} stereotype", f"{name} unrelated", reading] = of_word
    return of_tests


def mcnemar_table(
    evidence: Evidence, shuffled: Evidence, pairs: pd.DataFrame, sharing: Sharing
) -> pd.DataFrame:
    """McNemar tests of one model on one benchmark, as unmask.statistics.schema.TESTS, with raw p.

    evidence, shuffled: as in `accuracy_table`, of all pairs (PAIRS), of which `sharing` is. kind `measures`:
    AUL against those of AGAINST_AUL, on their tokens. kind `shuffled`: AUL in the original against the
    shuffled order. kind `unrelated`: AUL on the stereotype against the unrelated sentence. Both are of LL for
    a causal language model.

    Each comes with two units. `token`: McNemar's test as if tokens were independent, as the papers have it.
    `clustered`: Student's t of the mean over pairs of d, how many tokens the first alone has right less how
    many the second alone has, with at most one degree of freedom less than there are d ≠ 0; b and c count
    pairs with d above and below 0. Null is p where nothing differs, or all pairs share something. What has no
    tokens is left out.
    """
    rows = []
    for key, of_tokens in matches(evidence, shuffled).items():
        if of_tokens.empty:
            continue
        names = dict(zip(("kind", "first", "second", "reading"), key, strict=True))
        one, other = (of_tokens[name].to_numpy(bool) for name in ("right_first", "right_second"))
        b, c = int((one & ~other).sum()), int((~one & other).sum())
        rows.append({**names, "unit": TOKEN, "n": len(one), "b": b, "c": c, "p": mcnemar_p(b, c)})
        of_pair = pd.Series(one.astype(float) - other, of_tokens["pair_id"]).groupby(level=0).sum()
        d = of_pair.reindex(pairs["pair_id"]).to_numpy(float)
        counts = {"n": len(of_pair), "b": int((d > 0).sum()), "c": int((d < 0).sum())}
        p = paired_test(d[:, None], sharing, confidence=0.95)["p"].item()
        rows.append({**names, "unit": CLUSTERED, **counts, "p": p})
    return framed(rows, TESTS)
