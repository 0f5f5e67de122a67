"""What measures of causal language models have in common: which tokens are scored, and which pairs not."""

from typing import TYPE_CHECKING

from unmask.measures.reduction import SENTENCE
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

if TYPE_CHECKING:
    import pandas as pd

    Floats = pd.Series[float]


def scored_tokens(rows: "pd.DataFrame", first_counts: bool = True) -> "tuple[pd.DataFrame, Floats]":
    """The tokens of the text that are predicted (of evidence under the masking `left`), with their weights.

    A weight is 1. It is unknown (nan) in a sentence whose first token is modified and not predicted, since no
    start token stands before it: what it adds to the margin is not known, and the token itself is there with
    a log-probability of nan. A first token that both sentences share adds nothing. Where nothing says which
    tokens are modified, as in shuffled sentences, a first token is that which the other side has not.
    first_counts: False where such a first token is left out of every sentence instead, as others do.
    """
    unpredicted = rows["special"].astype(bool)
    unknown = unpredicted & (is_modified(rows) | _differs(rows, unpredicted)) & first_counts
    weight = (rows["position"] * 0 + 1.0).mask(_in_sentence(rows, unknown))
    rows = rows.assign(log_prob=rows["log_prob"].mask(unknown))
    return rows[~unpredicted | unknown], weight[~unpredicted | unknown]


def is_modified(rows: "pd.DataFrame") -> "pd.Series[bool]":
    """Whether each token is a modified one; where that is null, as in unrelated sentences, it is not."""
    return rows["modified"].eq(True).fillna(False).astype(bool)


def is_shared(rows: "pd.DataFrame") -> "pd.Series[bool]":
    """Whether each token is shared; where that is null, it is not."""
    return rows["modified"].eq(False).fillna(False).astype(bool)


def without_continuation(tokens: "pd.DataFrame") -> "pd.Series[bool]":
    """Whether a token is of a pair that differs, and has no shared token behind its first difference.

    Shared tokens before it are equal on both sides, so that such a pair has nothing to compare. The first
    difference of a pair may be on one side alone.
    """
    modified, shared = is_modified(tokens), is_shared(tokens)
    sentence, pair = [tokens[name] for name in SENTENCE], tokens["pair_id"]
    differs = modified.astype(int).groupby(sentence, sort=False).cumsum() > 0
    before = (shared & ~differs).groupby(sentence, sort=False).transform("sum")
    every = shared.groupby(sentence, sort=False).transform("sum")
    # sides share equally many tokens; others, as unrelated sentences, have none to compare
    of_sides = modified | shared
    least = before.where(of_sides).groupby(pair, sort=False).transform("min")
    most = every.where(of_sides).groupby(pair, sort=False).transform("max")
    has_difference = modified.groupby(pair, sort=False).transform("any")
    return has_difference & (most - least).le(0)


def _differs(rows: "pd.DataFrame", unpredicted: "pd.Series[bool]") -> "pd.Series[bool]":
    """Whether an unpredicted token, of a side whose modified tokens are unknown, is not the other side's."""
    unaligned = unpredicted & rows["modified"].isna() & rows["role"].isin((STEREOTYPE, ANTISTEREOTYPE))
    if not unaligned.any():
        return unaligned
    # the other is not there where its sentence is not: nothing is compared then
    ids = rows["token_id"].astype("int64")[unaligned]
    several = ids.groupby(rows["pair_id"][unaligned], sort=False).transform("nunique") > 1
    return several.reindex(rows.index, fill_value=False)


def _in_sentence(rows: "pd.DataFrame", flags: "pd.Series[bool]") -> "pd.Series[bool]":
    """Whether any token of its sentence has the flag, for each token."""
    return flags.groupby([rows[name] for name in SENTENCE], sort=False).transform("any")
