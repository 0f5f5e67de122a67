"""The measures' formulas. Each takes evidence by masking and gives one score per sentence.

With S the tokens of a sentence between the special ones, U those that it shares with the other
sentence of its pair and M the others (S = U ∪ M), w_i a token and P the model's probability. The
numbers of equations are those of Kaneko & Bollegala, "Unmasking the Mask" (AAAI 2022).

Protocol `corrected` is the formula. Protocol `published` is the authors' released code where it
differs; such a difference is noted at each function.
"""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

from unmask.terms import ALL, MODIFIED, NONE, ONE_MODIFIED, ONE_SHARED, PUBLISHED

if TYPE_CHECKING:
    import pandas as pd

Evidence = Mapping[str, "pd.DataFrame"]
"""Evidence rows by masking."""

SENTENCE = ["pair_id", "role"]


def aul(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All Unmasked Likelihood: AUL(S) = 1/|S| Σ_i log P(w_i | S).

    Published: S is everything but the first and the last token, whichever are special.
    """
    tokens = _text_tokens(evidence[NONE], protocol)
    return _by_sentence(tokens, tokens["log_prob"]).mean()


def aula(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """AUL with Attention weights: AULA(S) = 1/|S| Σ_i α_i log P(w_i | S).

    α_i is the attention that w_i receives, averaged over layers, heads and the queries of S, and
    scaled to a mean of one, so that AULA equals AUL where attention is uniform.
    Published: queries at special tokens count too and α is not scaled, so α_i is of the order of
    1/|S| and a longer sentence scores higher.
    """
    tokens = _text_tokens(evidence[NONE], protocol)
    if protocol == PUBLISHED:
        weighted = tokens["log_prob"].astype(float) * tokens["attention"]
        return _by_sentence(tokens, weighted).mean(skipna=False)
    attention = tokens["attention_content"].astype(float)
    weighted = tokens["log_prob"] * attention
    total: pd.Series[float] = _by_sentence(tokens, weighted).sum(skipna=False)
    return total / _by_sentence(tokens, attention).sum(skipna=False)


def cps(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """CrowS-Pairs Score: CPS(S) = Σ_{w∈U} log P(w | U∖w, M), the shared tokens hidden one at a time."""
    tokens = evidence[ONE_SHARED]
    return _by_sentence(tokens, tokens["log_prob"]).sum()


def sss(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """StereoSet Score: SSS(S) = 1/|M| Σ_{w∈M} log P(w | U), the modified tokens hidden together.

    Published: each modified token is looked up at every modified position and all |M|×|M|
    log-probabilities are averaged.
    """
    tokens = evidence[MODIFIED]
    column = "cross_log_prob" if protocol == PUBLISHED else "log_prob"
    return _by_sentence(tokens, tokens[column]).mean()


def all_masked(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All-Masked: 1/|S| Σ_i log P(w_i | nothing), every token hidden; a mean like AUL."""
    tokens = evidence[ALL]
    return _by_sentence(tokens, tokens["log_prob"]).mean()


def all_masked_sum(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """All-Masked read as a sum: Σ_i log P(w_i | nothing)."""
    tokens = evidence[ALL]
    return _by_sentence(tokens, tokens["log_prob"]).sum()


def pll(evidence: Evidence, protocol: str) -> "pd.Series[float]":
    """Pseudo-log-likelihood: PLL(S) = Σ_i log P(w_i | S∖w_i), every token hidden in turn."""
    # here, since whoever plans a study reads the registry and should not wait for it
    import pandas as pd

    tokens = pd.concat([evidence[ONE_SHARED], evidence[ONE_MODIFIED]])
    return _by_sentence(tokens, tokens["log_prob"]).sum()


def _text_tokens(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    if protocol == PUBLISHED:
        last = tokens.groupby(SENTENCE, sort=False)["position"].transform("max")
        return tokens[(tokens["position"] > 0) & (tokens["position"] < last)]
    return tokens[~tokens["special"]]


def _by_sentence(
    tokens: "pd.DataFrame", values: "pd.Series[float]"
) -> "pd.api.typing.SeriesGroupBy[float, tuple[Hashable, ...]]":
    # in double precision: a sum of many float32 would depend on their order
    return values.astype("float64").groupby([tokens[name] for name in SENTENCE], sort=False)
