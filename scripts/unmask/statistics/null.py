"""The null of word choice: how far from 50 a score comes where only the identities of words count.

Pairs share words, so a score varies far more than that of as many independent pairs would, even where
nothing is associated with anything. Here every token type gets a random score of its own, the same wherever
it stands. The measure's own weights make scores of sentences of these, and decisions of those.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.special import ndtri

from unmask.measures.formulas import measure
from unmask.measures.scoring import Evidence, counted
from unmask.statistics.uncertainty import TOLERANCE, Floats, Ints
from unmask.terms import ANTISTEREOTYPE, SIDES, STEREOTYPE, TIE, UNDEFINED
from unmask.words import modified_words, words_of

if TYPE_CHECKING:
    from unmask.statistics.scores import Decisions

Series = tuple[str, str]
"""Measure and protocol."""

MARGINS_AT_ONCE = 2**23
"""How many margins are in memory at once: 32 MiB of them."""

NORMAL: Floats = ndtri((np.arange(1000) + 0.5) / 1000)
"""Numbers that stand for the standard normal distribution."""

SIGNS = {STEREOTYPE: 1.0, ANTISTEREOTYPE: -1.0}
"""How a side's score enters the margin of its pair."""


@dataclass(frozen=True)
class RandomWords:
    """What random scores of words make of pairs: margins = weights @ scores.

    weights: shape (pairs, words), the stereotype's coefficients less those of the antistereotype. scores:
    what the score of a word is drawn from.
    """

    weights: "sparse.csr_array"
    scores: Floats

    def drawn(self, draws: int, seed: int) -> Iterable[tuple[slice, npt.NDArray[np.float32]]]:
        """The margins of so many draws, some at a time: which draws, and margins of shape (pairs, some)."""
        rng, types = np.random.default_rng(seed), self.weights.shape[1]
        at_once = max(1, MARGINS_AT_ONCE // max(self.weights.shape))
        for start in range(0, draws, at_once):
            # a word's score does not depend on how many draws are made at once
            chosen = rng.integers(len(self.scores), size=(min(at_once, draws - start), types))
            of_words = np.ascontiguousarray(self.scores[chosen].T, dtype=np.float32)
            yield slice(start, start + len(chosen)), self.weights @ of_words


def null_scores(
    words: Mapping[Series, RandomWords], decisions: "Decisions", groups: Sequence[Ints], draws: int, seed: int
) -> Floats:
    """The scores in percent of so many draws, shape (groups, series, draws); nan where words say nothing.

    groups: the pairs that each score is over. Pairs that do not count for the model do not count here, and
    ties count as in the protocol. In `published` a tie, or a pair without a score, is no vote for the
    stereotype: what is one for the model, by its rounding or the lengths of sentences, is one for its null.
    """
    counted = ~np.isnan(decisions.credit())
    fixed = np.isin(decisions.outcome, (TIE, UNDEFINED)) & decisions.published
    scores = np.full((len(groups), len(decisions.series), draws), np.nan)
    columns_of: dict[int, list[int]] = {}
    for column, series in enumerate(decisions.series):
        if series in words and words[series].weights.nnz and counted[:, column].any():
            columns_of.setdefault(id(words[series]), []).append(column)
    for columns in columns_of.values():
        random = words[decisions.series[columns[0]]]
        for some, margins in random.drawn(draws, seed):
            above, tied = margins > TOLERANCE, np.abs(margins) <= TOLERANCE
            for column in columns:
                tie = np.float32(0.0 if decisions.published[column] else 0.5)
                votes = np.where(fixed[:, [column]], tie, above + tie * tied)
                for number, members in enumerate(groups):
                    rows = members[counted[members, column]]
                    if len(rows):
                        scores[number, column, some] = 100 * votes[rows].mean(axis=0, dtype=float)
    return scores


def bands(scores: Floats, drawn: Floats, confidence: float) -> pd.DataFrame:
    """The null beside scores of any shape, a row for each of them; drawn: of that shape, and draws.

    null_mean: of the draws. null_p: two-sided, twice the share of the draws, and the score among them, that
    are at the score or beyond it, on the side that has fewer. null_low, null_high: the least and the most of
    the draws that would have a p of 1 - confidence or more themselves, so that a score outside of them, and
    only such a score, has a p below 1 - confidence. nan where the score or its null is unknown.
    """
    draws = drawn.shape[-1]
    # a score is outside where fewer draws than this are at it or beyond it
    least = math.ceil((1 - confidence) / 2 * (draws + 1) - TOLERANCE) - 1
    low = max(least - 1, 0)
    ends = np.partition(drawn, [low, draws - 1 - low], axis=-1)
    away, same = drawn - scores[..., None], TOLERANCE * np.maximum(1, np.abs(scores))[..., None]
    beyond = np.minimum((away <= same).sum(axis=-1), (away >= -same).sum(axis=-1))
    columns = {
        "null_mean": drawn.mean(axis=-1),
        "null_low": ends[..., low],
        "null_high": ends[..., draws - 1 - low],
        "null_p": np.minimum(1.0, 2 * (1 + beyond) / (1 + draws)),
    }
    unknown = np.isnan(scores) | np.isnan(columns["null_mean"])
    return pd.DataFrame({name: np.where(unknown, np.nan, each).ravel() for name, each in columns.items()})


def words_of_evidence(
    pairs: pd.DataFrame, evidence: Evidence, series: Iterable[Series]
) -> dict[Series, RandomWords]:
    """The random words of measures and protocols, from the evidence of all pairs (PAIRS) by masking.

    A type's score is drawn from the means of log P over the tokens of each type. A measure of the tokens that
    both sides share, such as CPS, gives these the same weights on either side, so that no types tell the
    sides apart. There each modified word has a random score instead, standard normal: what it does to the
    likelihood of every shared token, wherever it stands. A pair of which a number is unknown has no words.
    """
    by_series, modified = {}, _of_modified_words(pairs)
    known: dict[tuple[bytes, ...], RandomWords] = {}
    for name, protocol in series:
        tokens = counted(measure(name), evidence, protocol)
        tokens = tokens[tokens["role"].isin(SIDES)]
        means = tokens.dropna(subset="log_prob").groupby("token_id")["log_prob"].mean()
        unknown = tokens["log_prob"].isna() | tokens["coefficient"].isna()
        tokens = tokens[~tokens["pair_id"].isin(tokens.loc[unknown, "pair_id"])]
        tokens["row"] = pd.Index(pairs["pair_id"]).get_indexer(tokens["pair_id"])
        tokens["value"] = np.where(tokens["role"] == STEREOTYPE, 1.0, -1.0) * tokens["coefficient"]
        weights = _weights(len(pairs), tokens.rename(columns={"token_id": "word"}), means.index)
        random = RandomWords(weights, means.to_numpy(float))
        # both protocols often have the same, which are drawn once
        key = tuple(each.tobytes() for each in (weights.indices, weights.data, random.scores))
        by_series[name, protocol] = known.setdefault(key, random) if weights.nnz else modified
    return by_series


def _of_modified_words(pairs: pd.DataFrame) -> RandomWords:
    cells = [
        (row, word, sign)
        for row, texts in enumerate(zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True))
        for sign, side in zip(SIGNS.values(), modified_words(*texts), strict=True)
        for word in side
    ]
    of_words = pd.DataFrame(cells, columns=["row", "word", "value"])
    weights = _weights(len(pairs), of_words, pd.Index(of_words["word"].unique()))
    return RandomWords(weights, NORMAL)


def _weights(pairs: int, of_words: pd.DataFrame, vocabulary: pd.Index) -> "sparse.csr_array":
    """Sums of `value` for each `row` and `word`, without those that are 0; shape (pairs, vocabulary)."""
    row, value = of_words["row"].to_numpy(np.int64), of_words["value"].to_numpy(float)
    column = vocabulary.get_indexer(pd.Index(of_words["word"]))
    weights = sparse.csr_array((value, (row, column)), shape=(pairs, max(1, len(vocabulary))))
    weights.sum_duplicates()
    # what the sides share cancels, but for rounding
    weights.data[np.abs(weights.data) < TOLERANCE] = 0
    weights.eliminate_zeros()
    return weights.astype(np.float32)


def words_of_scores(pairs: pd.DataFrame, scores: Floats) -> RandomWords:
    """The random words of scores over the pairs (PAIRS) of a benchmark, which were made elsewhere and are
    means over the tokens of a sentence.

    scores: of stereotype and antistereotype, shape (2, pairs), nan where there is no score. A sentence of W
    words, each counted as often as it stands, scores 1/W Σ_w s_w, and s_w is normal with one mean and
    standard deviation σ. The mean cancels. With c_w the coefficient of word w in the margin of a pair,
    stereotype less antistereotype, σ is by the method of moments

        σ² = Σ_pairs margin² / Σ_pairs Σ_w c_w²

    so that whatever contexts add to margins is in σ, too. A pair without scores has no words.
    """
    known = np.flatnonzero(~np.isnan(scores).any(axis=0))
    columns = {
        "row": np.tile(known, 2),
        "text": pairs[list(SIGNS)].to_numpy(object).T[:, known].ravel(),
        "sign": np.repeat([*SIGNS.values()], len(known)),
    }
    of_texts = pd.DataFrame(columns)
    # a sentence of signs alone is one word
    words = of_texts["text"].map(lambda text: words_of(text) or [text])
    of_words = of_texts.assign(word=words, value=of_texts["sign"] / words.map(len)).explode("word")
    # in order of the alphabet, so that draws do not depend on that of pairs or sides
    weights = _weights(len(pairs), of_words, pd.Index(sorted({*of_words["word"]})))
    squares = float((weights.data.astype(float) ** 2).sum())
    margins = (scores[0] - scores[1])[known]
    deviation = float(np.sqrt((margins**2).sum() / squares)) if squares else 0.0
    return RandomWords(weights, deviation * NORMAL)
