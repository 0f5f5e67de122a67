"""The measures: which predicted tokens of a sentence each counts, and with which weights.

With S the tokens of a sentence between the special ones, U those that it shares with the other sentence of
its pair and M the others (S = U ∪ M), w_i a token and P the model's probability, the score of a sentence is
Σ weight · log P or, of a mean, that over Σ share, over the tokens that the formula counts. Weight and share
are 1 unless a formula says otherwise, and never negative. A weight of nan leaves the sentence undefined. The
formulas are those of Kaneko & Bollegala, "Unmasking the Mask" (AAAI 2022).

Protocol `corrected` is the formula, but for the weights of AULA, which are ours. Protocol `published` is the
authors' released code where it differs. Rules read this table, so no library of tables is imported here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from unmask import workflow_root
from unmask.errors import InputError
from unmask.models.directory import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.terms import (
    ALL,
    ANTISTEREOTYPE,
    CAUSAL_MASKINGS,
    LEFT,
    MEAN,
    MODIFIED,
    NONE,
    ONE_MODIFIED,
    ONE_SHARED,
    PUBLISHED,
    START,
    STEREOTYPE,
    SUM,
)
from unmask.user_files import read_config

if TYPE_CHECKING:
    import pandas as pd

Formula = Callable[["pd.DataFrame", str], "pd.DataFrame"]
"""Takes the tokens that are predicted under a measure's maskings (EVIDENCE, with weight and share), and a
protocol. Gives those that count."""

SENTENCE = ["pair_id", "role"]
"""The columns of evidence that name a sentence."""


def every_token(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """All that are predicted: All-Masked 1/|S| Σ_i log P(w_i | nothing), PLL Σ_i log P(w_i | S∖w_i), CPS
    Σ_{w∈U} log P(w | U∖w, M), Start-Alone 1/|S| Σ_t log P(w_t | s)."""
    return tokens


def text(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """AUL = 1/|S| Σ_i log P(w_i | S). Published: S is all but the first and the last token, whichever are
    special."""
    if protocol == PUBLISHED:
        last = tokens.groupby(SENTENCE, sort=False)["position"].transform("max")
        return tokens[(tokens["position"] > 0) & (tokens["position"] < last)]
    return tokens[~tokens["special"]]


def attended(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """AULA = 1/|S| Σ_i α_i log P(w_i | S), α_i the mean attention to w_i over layers, heads and queries.

    Published: over all queries, those at special tokens too, and not scaled, as in equation 5. α_i is of the
    order of 1/|S|, so a longer sentence scores higher. Corrected: over the queries of S, scaled to a mean of
    one, so that AULA equals AUL where attention is uniform. Both are choices of ours.
    """
    tokens = text(tokens, protocol)
    if protocol == PUBLISHED:
        return tokens.assign(weight=tokens["attention"].astype(float))
    attention = tokens["attention_content"].astype(float)
    return tokens.assign(weight=attention, share=attention)


def crossed(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """SSS = 1/|M| Σ_{w∈M} log P(w | U). Published: each modified token is looked up at every modified
    position, and all |M| × |M| log-probabilities are averaged."""
    return tokens.assign(log_prob=tokens["cross_log_prob"]) if protocol == PUBLISHED else tokens


def predicted(tokens: "pd.DataFrame", protocol: str, first_counts: bool = True) -> "pd.DataFrame":
    """LL = Σ_t log P(w_t | s, w_<t), s the start token; so does lm-evaluation-harness (`crows_pairs_*`).

    Without a start token the first token is not predicted. Where that is a modified one, what it adds to the
    margin is unknown: its log-probability and all weights of the sentence are nan. One that both sides share
    adds nothing. Shuffled sentences do not say what is modified: there it is a token that the other side has
    not in its place. first_counts: False where such a token is left out of every sentence instead.
    """
    unpredicted = tokens["special"].astype(bool)
    differs = unpredicted & is_modified(tokens)
    unaligned = unpredicted & tokens["modified"].isna() & tokens["role"].isin((STEREOTYPE, ANTISTEREOTYPE))
    if unaligned.any():
        # the other is not there where its sentence is not: nothing is compared then
        ids = tokens["token_id"].astype("int64")[unaligned]
        several = ids.groupby(tokens["pair_id"][unaligned], sort=False).transform("nunique") > 1
        differs |= several.reindex(tokens.index, fill_value=False)
    unknown = differs & first_counts
    undefined = unknown.groupby([tokens[name] for name in SENTENCE], sort=False).transform("any")
    tokens = tokens.assign(log_prob=tokens["log_prob"].mask(unknown), weight=tokens["weight"].mask(undefined))
    return tokens[~unpredicted | unknown]


def without_first(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """LLMean = 1/|S| Σ_t log P(w_t | s, w_<t): to causal language models what AUL is to masked ones.

    Published: bigscience-workshop/evaluation, pull request 70. It compares perplexities, whose order this is,
    without a start token (`start: none`), and leaves the first token out of every sentence.
    """
    return predicted(tokens, protocol, first_counts=protocol != PUBLISHED)


def changed(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """CSSS = 1/|M| Σ_{m∈M} log P(m | s, w_<m). With CCPS it splits LL = CCPS + |M| · CSSS."""
    tokens = predicted(tokens, protocol)
    return tokens[is_modified(tokens)]


def continuation(tokens: "pd.DataFrame", protocol: str) -> "pd.DataFrame":
    """CCPS = Σ_{u∈U} log P(u | s, w_<u), in which what is shared before the first difference cancels.

    Corrected: a pair that differs, and shares nothing behind its first difference, is undefined. The first
    difference may be on one side alone. Published: WinoQueer (Felkner et al. 2023,
    metric_autoregressive.py), where such a pair is a tie.
    """
    tokens = predicted(tokens, protocol)
    modified, shared = is_modified(tokens), tokens["modified"].eq(False).fillna(False).astype(bool)
    if protocol == PUBLISHED:
        return tokens[shared]
    sentence, pair = [tokens[name] for name in SENTENCE], tokens["pair_id"]
    behind = shared & (modified.astype(int).groupby(sentence, sort=False).cumsum() > 0)
    differs, behind_any = (each.groupby(pair, sort=False).transform("any") for each in (modified, behind))
    undefined = differs & ~behind_any
    return tokens.assign(weight=tokens["weight"].mask(undefined))[shared | undefined]


def is_modified(tokens: "pd.DataFrame") -> "pd.Series[bool]":
    """Whether each token is a modified one; where that is null, as in unrelated sentences, it is not."""
    return tokens["modified"].eq(True).fillna(False).astype(bool)


@dataclass(frozen=True)
class Measure:
    """What a measure reads, counts and adds up; resources/pairs/measures.yaml says it in words.

    maskings: the evidence that it reads. reduction: MEAN or SUM. decimals: to how many released code rounds
    scores before it compares them. of_nothing: its score for a sentence without a token to score.
    of_shuffled: whether shuffled sentences have it, as it does not ask which tokens the sides share.
    """

    name: str
    maskings: tuple[str, ...]
    reduction: str
    formula: Formula = every_token
    decimals: int | None = None
    of_nothing: float = float("nan")
    of_shuffled: bool = False


_MEASURES = {
    each.name: each
    for each in (
        Measure("AUL", (NONE,), MEAN, text, of_shuffled=True),
        Measure("AULA", (NONE,), MEAN, attended, of_shuffled=True),
        Measure("CPS", (ONE_SHARED,), SUM, decimals=3, of_nothing=0.0),
        Measure("SSS", (MODIFIED,), MEAN, crossed),
        Measure("AllMasked", (ALL,), MEAN),
        Measure("AllMaskedSum", (ALL,), SUM, of_nothing=0.0),
        Measure("PLL", (ONE_SHARED, ONE_MODIFIED), SUM, of_nothing=0.0),
        Measure("LL", (LEFT,), SUM, predicted, of_shuffled=True),
        Measure("LLMean", (LEFT,), MEAN, without_first, of_shuffled=True),
        Measure("CCPS", (LEFT,), SUM, continuation, decimals=3, of_nothing=0.0),
        Measure("CSSS", (LEFT,), MEAN, changed),
        Measure("StartAlone", (START,), MEAN),
    )
}


MEASURES = tuple(_MEASURES)
"""The names of the measures, in the order of the table."""


def measure(name: str) -> Measure:
    """The measure of that name, without maskings if scores under it are made elsewhere. Raises InputError
    where there is none."""
    if is_free(name):
        return Measure(name, (), SUM)
    if name not in _MEASURES:
        raise InputError(f"{name!r} is no measure (known: {', '.join(_MEASURES)})")
    return _MEASURES[name]


def is_free(name: str) -> bool:
    """Whether a name is no measure of Unmask, but of scores made elsewhere: it begins with a small letter."""
    return name[:1].islower()


def maskings_of(measures: Iterable[str]) -> list[str]:
    """The maskings that these measures need, each once, in a fixed order."""
    return sorted({masking for name in measures for masking in measure(name).maskings})


@cache
def sees_context(name: str) -> bool:
    """Whether a measure reads predictions in which the model sees some word of the sentence. Where all is
    hidden (ALL), or a token stands behind the start token alone (START), a preference can be of nothing but
    words: a control."""
    return set(measure(name).maskings) not in ({ALL}, {START})


@cache
def kind_for(name: str) -> str:
    """The kind of models that a measure is for."""
    if is_free(name):
        return SCORE_FILE
    return CAUSAL_LM if set(measure(name).maskings) <= {*CAUSAL_MASKINGS} else MASKED_LM


def title_of(name: str) -> str:
    """A measure's name as people read it."""
    return name if is_free(name) else str(_described()[name]["title"])


def explained(name: str) -> str:
    """What a measure's name stands for and what its score of a sentence is, in a sentence."""
    stands_for, score = "made elsewhere", "the number that the file gives for a sentence"
    if not is_free(name):
        stands_for, score = _described()[name]["stands_for"], _described()[name]["score"]
    return f"{title_of(name)} ({stands_for}): {score}."


@cache
def _described() -> dict[str, Any]:
    return dict(read_config(workflow_root() / "resources/pairs/measures.yaml"))
