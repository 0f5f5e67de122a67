"""The null of word choice: how far from 50 a score comes where only the identities of words count.

Pairs share words, so a score varies far more than that of as many independent pairs would, even where
nothing is associated with anything. Here every token type gets a random score of its own, the same wherever
it stands. The measure's own weights make scores of sentences of these, and decisions of those.
"""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import norm

from unmask.measures.formulas import measure
from unmask.measures.scoring import Evidence, coefficients, counted
from unmask.statistics.decisions import Decisions
from unmask.statistics.sharing import TOLERANCE, Floats, Ints
from unmask.terms import ANTISTEREOTYPE, SIDES, STEREOTYPE, TIE, UNDEFINED
from unmask.words import modified_words, words_of

logger = logging.getLogger(__name__)

Series = tuple[str, str]
"""Measure and protocol."""

MARGINS_AT_ONCE = 2**23
"""How many margins are in memory at once: 32 MiB of them."""


@dataclass(frozen=True)
class RandomWords:
    """What random scores of words make of pairs: margins = offset + weights @ scores.

    weights: shape (pairs, words), the stereotype's coefficients less those of the antistereotype. scores:
    what the score of a word is drawn from. offset: shape (pairs,), what margins are whatever the scores.
    """

    weights: "sparse.csr_array"
    scores: Floats
    offset: Floats

    def key(self) -> tuple[bytes, ...]:
        """Equal where two are equal, as those of both protocols often are."""
        w = self.weights
        return tuple(each.tobytes() for each in (w.indptr, w.indices, w.data, self.scores, self.offset))


def null_scores(
    words_of: Mapping[Series, RandomWords],
    decisions: Decisions,
    groups: Sequence[Ints],
    draws: int,
    seed: int,
) -> dict[Series, Floats]:
    """The scores in percent of so many draws, shape (groups, draws), of each series that words tell apart.

    groups: the pairs that each score is over. Pairs that do not count for the model do not count here, and
    ties count as in the protocol. In `published` a tie, or a pair without a score, is no vote for the
    stereotype: what is one for the model, by its rounding or the lengths of sentences, is one for its null.
    nan for a group without pairs that count.
    """
    credit, published = decisions.credit(), decisions.published
    fixed = np.isin(decisions.outcome, (TIE, UNDEFINED)) & published
    of_words: dict[tuple[bytes, ...], list[int]] = {}
    for column, series in enumerate(decisions.series):
        if series in words_of and words_of[series].weights.nnz and not np.isnan(credit[:, column]).all():
            of_words.setdefault(words_of[series].key(), []).append(column)
    starts = np.cumsum([0, *map(len, groups)])
    members = sparse.csr_array(
        (np.ones(starts[-1], np.float32), np.concatenate(list(groups)), starts),
        shape=(len(groups), len(credit)),
    )
    counted = (~np.isnan(credit)).astype(np.float32)
    drawn = {
        decisions.series[column]: np.empty((len(groups), draws)) for of in of_words.values() for column in of
    }
    for columns in of_words.values():
        random = words_of[decisions.series[columns[0]]]
        rng, types = np.random.default_rng(seed), random.weights.shape[1]
        at_once = max(1, MARGINS_AT_ONCE // max(random.weights.shape))
        for start in range(0, draws, at_once):
            # a word's score does not depend on how many draws are made at once
            chosen = rng.integers(len(random.scores), size=(min(at_once, draws - start), types))
            margins = random.weights @ np.ascontiguousarray(random.scores[chosen].T, dtype=np.float32)
            margins += random.offset[:, None].astype(np.float32)
            above, tied = margins > TOLERANCE, np.abs(margins) <= TOLERANCE
            for column in columns:
                tie = np.float32(0.0 if published[column] else 0.5)
                votes = np.where(fixed[:, [column]], tie, above + tie * tied) * counted[:, [column]]
                with np.errstate(invalid="ignore", divide="ignore"):
                    scores = 100 * (members @ votes).astype(float) / (members @ counted[:, [column]])
                drawn[decisions.series[column]][:, start : start + len(chosen)] = scores
    return drawn


class Band(NamedTuple):
    """The null beside one score.

    mean: of the draws. p: two-sided, twice the share of the draws, and the score among them, that are at the
    score or beyond it, on the side that has fewer. low, high: the least and the most of the draws that would
    have a p of 1 - confidence or more themselves, so that a score outside of them, and only such a score, has
    a p below 1 - confidence.
    """

    mean: float
    low: float
    high: float
    p: float


def band(score: float, null: Floats | None, confidence: float) -> Band:
    """The band of one score; of nan where the score or its null is unknown."""
    if null is None or np.isnan(score) or np.isnan(null).any():
        return Band(*[math.nan] * 4)
    # a score is outside where fewer draws than this are at it or beyond it
    least = math.ceil((1 - confidence) / 2 * (len(null) + 1) - TOLERANCE) - 1
    place = max(least - 1, 0)
    ends = np.partition(null, [place, len(null) - 1 - place])
    same = TOLERANCE * max(1.0, abs(score))
    beyond = min(np.count_nonzero(null <= score + same), np.count_nonzero(null >= score - same))
    p = min(1.0, 2 * (1 + beyond) / (1 + len(null)))
    return Band(float(null.mean()), float(ends[place]), float(ends[-1 - place]), p)


# ---- of a measure's own evidence


def words_of_evidence(
    pairs: pd.DataFrame, evidence: Evidence, series: Iterable[Series]
) -> dict[Series, RandomWords]:
    """The random words of measures and protocols, from the evidence of all pairs (PAIRS) by masking.

    A type's score is drawn from the means of log P over the tokens of each type. A measure of the tokens that
    both sides share, such as CPS, gives these the same weights on either side, so that no types tell the
    sides apart. There each modified word has a random score instead, standard normal: what it does to the
    likelihood of every shared token, wherever it stands. A pair of which a number is unknown has no words.
    """
    by_series = {}
    for name, protocol in series:
        tokens = counted(measure(name), evidence, protocol)
        tokens = tokens.assign(coefficient=coefficients(measure(name), tokens))
        tokens = tokens[tokens["role"].isin(SIDES)]
        means = tokens.dropna(subset="log_prob").groupby("token_id")["log_prob"].mean()
        unknown = tokens["log_prob"].isna() | tokens["coefficient"].isna()
        tokens = tokens[~tokens["pair_id"].isin(tokens.loc[unknown, "pair_id"])]
        row = pd.Index(pairs["pair_id"]).get_indexer(tokens["pair_id"])
        token = means.index.get_indexer(pd.Index(tokens["token_id"]))
        sign = np.where(tokens["role"] == STEREOTYPE, 1.0, -1.0)
        values = sign * tokens["coefficient"].to_numpy(float)
        weights, scores = summed(row, token, values, (len(pairs), len(means))), means.to_numpy(float)
        if not weights.nnz:
            weights, scores = _of_modified_words(pairs), normal_quantiles()
        by_series[name, protocol] = RandomWords(weights, scores, np.zeros(len(pairs)))
    return by_series


def _of_modified_words(pairs: pd.DataFrame) -> "sparse.csr_array":
    numbers: dict[str, int] = {}
    cells = [
        (row, numbers.setdefault(word, len(numbers)), sign)
        for row, texts in enumerate(zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True))
        for sign, side in zip((1.0, -1.0), modified_words(*texts), strict=True)
        for word in side
    ]
    row, column, value = np.array(cells or np.zeros((0, 3)), float).T
    return summed(row.astype(np.int64), column.astype(np.int64), value, (len(pairs), max(1, len(numbers))))


def summed(row: Ints, column: Ints, values: Floats, shape: tuple[int, int]) -> "sparse.csr_array":
    """The matrix of that shape whose cells are the sums of their values, without those that add up to 0."""
    weights = sparse.csr_array((values, (row, column)), shape=shape)
    weights.sum_duplicates()
    # what the sides share cancels, but for rounding
    weights.data[np.abs(weights.data) < TOLERANCE] = 0
    weights.eliminate_zeros()
    return weights.astype(np.float32)


def normal_quantiles(count: int = 1000) -> Floats:
    """So many numbers that stand for the standard normal distribution: shape (count,)."""
    quantiles: Floats = norm.ppf((np.arange(count) + 0.5) / count)
    return quantiles


# ---- of scores that were made elsewhere: of tokens no more is known than how many there are


def words_of_scores(pairs: pd.DataFrame, scores: Floats, tokens: Floats | None) -> RandomWords:
    """The random words of scores over the pairs (PAIRS) of a benchmark.

    scores: of stereotype and antistereotype, shape (2, pairs), nan where there is no score. tokens: over how
    many tokens each is summed, of the same shape; None where scores are means.

    Every word has a random score per token, and the tokens of a sentence are shared out among its words
    alike. With n tokens and W words, each counted as often as it stands, a sentence scores n/W Σ_w s_w where
    scores are sums over tokens, and 1/W Σ_w s_w where they are means. s_w is normal with mean μ and standard
    deviation σ. μ is the sum of the scores over that of the tokens, every sentence counting once; in margins
    of means it cancels. With c_w the coefficient of word w in the margin of a pair, stereotype less
    antistereotype, σ is by the method of moments

        σ² = Σ_pairs (margin - μ Σ_w c_w)² / Σ_pairs Σ_w c_w²

    so that whatever contexts add to margins is in σ, too. A pair without scores has no words.
    """
    known = np.flatnonzero(~np.isnan(scores).any(axis=0))
    sizes = np.ones_like(scores) if tokens is None else tokens
    cells: list[tuple[int, str, float]] = []
    for sign, side, of_side in zip((1.0, -1.0), (STEREOTYPE, ANTISTEREOTYPE), sizes, strict=True):
        for row in known.tolist():
            text = pairs[side].iloc[row]
            # a sentence of signs alone is one word
            of_text = words_of(text) or [text]
            cells += [(row, word, sign * of_side[row] / len(of_text)) for word in of_text]
    of_words = pd.DataFrame(cells, columns=["row", "word", "value"]).astype({"row": np.int64, "value": float})
    # in order of the alphabet, so that draws do not depend on that of pairs or sides
    column, vocabulary = pd.factorize(of_words["word"], sort=True)
    row_of, value = of_words["row"].to_numpy(), of_words["value"].to_numpy()
    weights = summed(row_of, column.astype(np.int64), value, (len(pairs), max(1, len(vocabulary))))
    mean, offset = 0.0, np.zeros(len(pairs))
    if tokens is not None:
        mean = _per_token(pairs, scores, tokens, known)
        offset[known] = mean * (tokens[0] - tokens[1])[known]
    squares = float((weights.data.astype(float) ** 2).sum())
    residuals = (scores[0] - scores[1] - offset)[known]
    deviation = float(np.sqrt((residuals**2).sum() / squares)) if squares else 0.0
    logger.info("%d words: mean %.4g per token, standard deviation %.4g", len(vocabulary), mean, deviation)
    return RandomWords(weights, deviation * normal_quantiles(), offset)


def _per_token(pairs: pd.DataFrame, scores: Floats, tokens: Floats, known: Ints) -> float:
    """The mean per token, over all different sentences."""
    texts = np.concatenate([pairs[side].to_numpy()[known] for side in (STEREOTYPE, ANTISTEREOTYPE)])
    both = {"score": scores[:, known].ravel(), "tokens": tokens[:, known].ravel()}
    sentences = pd.DataFrame(both).groupby(texts).mean()
    return float(sentences["score"].sum() / sentences["tokens"].sum())
