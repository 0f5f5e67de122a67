"""Token accuracy, how often the right token is a model's first choice, and McNemar's tests of accuracies."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.measures.formulas import Measure, measure
from unmask.measures.scoring import Evidence
from unmask.statistics.comparisons import mcnemar_test
from unmask.statistics.proportions import normal_quantile, wilson
from unmask.statistics.schema import ACCURACY, TESTS
from unmask.statistics.sharing import Sharing, paired_test
from unmask.tables import framed
from unmask.terms import (
    ALL_TOKENS,
    ANTISTEREOTYPE,
    CANDIDATES,
    CONTENT_TOKENS,
    LEFT,
    MODIFIED_TOKENS,
    NONE,
    ORIGINAL,
    ROLES,
    SHARED_TOKENS,
    SHUFFLED,
    STEREOTYPE,
    UNRELATED,
)

PAIR = "pair"
"""Both sentences of a pair, as a value of `roles`."""

BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD = "measures", "shuffled", "unrelated"
"""The kinds of tests."""

TOKEN, CLUSTERED = "token", "clustered"
"""What a test takes as independent: tokens, or pairs that share nothing."""

READINGS: dict[str, Callable[[pd.DataFrame], "pd.Series[bool]"]] = {
    # special tokens count too: what the papers report for AUL
    ALL_TOKENS: lambda rows: rows["special"].notna(),
    CONTENT_TOKENS: lambda rows: ~rows["special"],
    SHARED_TOKENS: lambda rows: ~rows["special"] & rows["modified"].eq(False).fillna(False).astype(bool),
    MODIFIED_TOKENS: lambda rows: ~rows["special"] & rows["modified"].eq(True).fillna(False).astype(bool),
}
"""Which rows of an Evidence table are counted; CANDIDATES counts what `candidates` gives."""

_TOKEN = ["pair_id", "role", "position"]
"""The columns that name a token."""


def predictions(measure: Measure, evidence: Evidence) -> pd.DataFrame | None:
    """The rows of evidence that a measure reads; None where a masking of it is absent."""
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
        right = matched.loc[by_side, role]
        parts.append(pd.DataFrame({"pair_id": sides.index[by_side], "role": role, "right": right}))
    return pd.concat(parts, ignore_index=True)


def of_whole_sentences(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    """The measure whose predictions are compared between sentences, and which of them count: AUL's, or those
    of LL, which has no special ones."""
    return ("AUL", (ALL_TOKENS, CONTENT_TOKENS)) if NONE in evidence else ("LL", (CONTENT_TOKENS,))


def accuracy_table(
    measures: Sequence[str], evidence: Evidence, shuffled: pd.DataFrame | None, confidence: float
) -> pd.DataFrame:
    """Token accuracy in percent with Wilson intervals, as unmask.statistics.schema.ACCURACY.

    Those of `measures` whose maskings are absent in `evidence` are left out, and so is a reading without
    tokens; measures that have their predictions in common have one row. shuffled: evidence of the shuffled
    variant, if there is one. Tokens of a sentence are not independent: the interval is that of independent
    ones, hence too narrow.
    """
    counted: list[tuple[str, str, str, pd.DataFrame]] = []
    for one in map(measure, measures):
        name, predicted = one.predictions_of or one.name, predictions(one, evidence)
        if predicted is not None and name not in {each[0] for each in counted}:
            for reading in one.readings:
                hits = candidates(predicted) if reading == CANDIDATES else tokens(predicted, reading)
                counted.append((name, ORIGINAL, reading, hits))
    if shuffled is not None:
        name, readings = of_whole_sentences(evidence)
        counted += [(name, SHUFFLED, reading, tokens(shuffled, reading)) for reading in readings]
    rows = []
    for name, variant, reading, hits in sorted(counted, key=lambda each: each[2] == CANDIDATES):
        members = {PAIR: hits["role"] != UNRELATED}
        if reading != CANDIDATES:
            members |= {role: hits["role"] == role for role in ROLES}
        for roles, there in members.items():
            right = hits.loc[there, "right"]
            rows.append((name, variant, roles, reading, int(right.sum()), len(right)))
    table = pd.DataFrame(rows, columns=["measure", "variant", "roles", "reading", "correct", "n"])
    table = table[table["n"] > 0].reset_index(drop=True)
    share = table["correct"] / table["n"]
    low, high = wilson(share, table["n"], normal_quantile(confidence))
    table = table.assign(accuracy=100 * share, low=100 * low, high=100 * high, confidence=confidence)
    return framed(table, ACCURACY)


def _matched(first: pd.DataFrame, second: pd.DataFrame, what: str) -> pd.DataFrame:
    """Both sides' `right` on the tokens of `second`, all of which `first` must have too."""
    joined = first[[*_TOKEN, "right"]].merge(
        second[[*_TOKEN, "right"]], on=_TOKEN, suffixes=("_first", "_second")
    )
    if len(joined) != len(second) or joined.duplicated(_TOKEN).any():
        raise InputError(f"evidence: the tokens of {what} are not those of the masking none; make both again")
    return joined


def against_shuffled(none: pd.DataFrame, shuffled: pd.DataFrame, reading: str) -> pd.DataFrame:
    """Hits in the original and the shuffled order, over the tokens of both sentences that `reading` counts.

    A shuffled token is matched with where it stood in the original (`source_position`; a special token, which
    keeps its place, may have none). The first token of a text without a start token is predicted in neither
    order; another is the first in each, and both are left out.
    """
    hits = tokens(shuffled, reading)
    hits = hits[hits["role"].isin((STEREOTYPE, ANTISTEREOTYPE))]
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
    first, second = (hits.loc[hits["role"] == role, [*keys, "right"]] for role in (STEREOTYPE, UNRELATED))
    return first.merge(second, on=keys, suffixes=("_first", "_second"), validate="one_to_one")


def matches(
    measures: Sequence[str], evidence: Evidence, shuffled: pd.DataFrame | None
) -> dict[tuple[str, str, str, str], pd.DataFrame]:
    """By kind, first, second and reading of a test the tokens that both have: right_first, right_second."""
    none = evidence.get(NONE, evidence.get(LEFT))
    if none is None:
        return {}
    of_tests = {}
    for other in map(measure, measures):
        reading, hidden = other.against_aul, predictions(other, evidence)
        if reading is not None and hidden is not None and NONE in evidence:
            what = f"the {reading} under the other masking"
            of_both = _matched(tokens(none, reading), tokens(hidden, reading), what)
            of_tests[BETWEEN_MEASURES, "AUL", other.name, reading] = of_both
    name, (reading, *_) = of_whole_sentences(evidence)
    if shuffled is not None:
        of_order = against_shuffled(none, shuffled, reading)
        of_tests[SHUFFLED_ORDER, f"{name} original", f"{name} shuffled", reading] = of_order
    of_word = against_unrelated(none, reading)
    of_tests[UNRELATED_WORD, f"{name} stereotype", f"{name} unrelated", reading] = of_word
    return of_tests


def mcnemar_table(
    measures: Sequence[str],
    evidence: Evidence,
    shuffled: pd.DataFrame | None,
    pairs: pd.DataFrame,
    sharing: Sharing,
) -> pd.DataFrame:
    """McNemar tests of one model on one benchmark, as unmask.statistics.schema.TESTS, with raw p.

    evidence, shuffled: as in `accuracy_table`, of all pairs (PAIRS), of which `sharing` is. kind `measures`:
    token accuracy of AUL against that of every measure with a `against_aul`, on these tokens: CPS on the
    shared ones, SSS on the modified ones. kind `shuffled`: AUL's accuracy in the original against the
    shuffled order. kind `unrelated`: AUL's accuracy on the stereotype against the unrelated sentence. Both
    are of LL for a causal language model.

    Each comes with two units. `token`: McNemar's test as if tokens were independent, as the papers have it.
    `clustered`: Student's t of the mean over pairs of d, how many tokens the first alone has right less how
    many the second alone has, with at most one degree of freedom less than there are d ≠ 0; b and c count
    pairs with d above and below 0. Null is p where nothing differs, or all pairs share something. What has no
    tokens is left out.
    """
    rows = []
    for (kind, first, second, reading), of_tokens in matches(measures, evidence, shuffled).items():
        if of_tokens.empty:
            continue
        one, other = (of_tokens[name].to_numpy(bool) for name in ("right_first", "right_second"))
        b, c = int((one & ~other).sum()), int((~one & other).sum())
        statistic, p, exact = mcnemar_test(b, c)
        names = {"kind": kind, "first": first, "second": second, "reading": reading}
        agree = {"both": int((one & other).sum()), "neither": int((~one & ~other).sum())}
        tested = {"n": len(one), "b": b, "c": c, "statistic": statistic, "p": p, "exact": exact}
        rows.append({**names, "unit": TOKEN, **agree, **tested})
        of_pair = pd.Series(one.astype(float) - other, of_tokens["pair_id"]).groupby(level=0).sum()
        d = of_pair.reindex(pairs["pair_id"]).to_numpy(float)
        t = paired_test(d[:, None], sharing, confidence=0.95).iloc[0]
        tested = {"n": len(of_pair), "b": int((d > 0).sum()), "c": int((d < 0).sum()), "exact": False}
        statistic = t["estimate"] / t["error"]
        rows.append(
            {**names, "unit": CLUSTERED, **tested, "statistic": statistic, "df": t["df"], "p": t["p"]}
        )
    return framed(rows, TESTS)
