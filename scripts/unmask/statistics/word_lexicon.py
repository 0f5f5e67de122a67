"""The lexical null of scores that were made elsewhere: of tokens no more is known than how many there are.

Every word has a random score per token, the same wherever it stands. The tokens of a sentence are shared out
among its words alike. The score s_w of word w is normally distributed, with mean μ and standard deviation σ.
With n tokens and W words, each counted as often as it stands, a sentence scores

    n/W Σ_w s_w   where scores are sums over tokens,      1/W Σ_w s_w   where they are means.
"""

import logging
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.lexical import Lexicon, normal_quantiles, summed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE
from unmask.words import words_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class OneLexicon:
    """A lexicon that every measure and protocol has."""

    lexicon: Lexicon

    def pop(self, series: tuple[str, str]) -> Lexicon:
        """The lexicon, whichever series asks."""
        return self.lexicon


def word_lexicon(pairs: pd.DataFrame, scores: Floats, tokens: Floats | None) -> Lexicon:
    """The lexicon of scores over the pairs (PAIRS) of a benchmark.

    scores: of stereotype and antistereotype, shape (2, pairs), nan where there is no score. tokens: over how
    many tokens each is summed, of the same shape; None where scores are means.

    μ is the sum of the scores over that of the tokens, every sentence counting once; in margins of means it
    cancels. c_w is the coefficient of word w in the margin of a pair, stereotype less antistereotype. σ is by
    the method of moments

        σ² = Σ_pairs (margin - μ Σ_w c_w)² / Σ_pairs Σ_w c_w²

    so that whatever contexts add to margins is in σ, too. A pair without scores has no words.
    """
    known = np.flatnonzero(~np.isnan(scores).any(axis=0))
    of_sentence = np.ones_like(scores) if tokens is None else tokens
    rows, every_word, values = [], [], []
    for sign, side, total in zip((1.0, -1.0), (STEREOTYPE, ANTISTEREOTYPE), of_sentence, strict=True):
        texts = pairs[side].to_numpy()
        for row in known:
            # a sentence of signs alone is one word
            of_text = words_of(texts[row]) or [texts[row]]
            rows += [row] * len(of_text)
            every_word += of_text
            values += [sign * total[row] / len(of_text)] * len(of_text)
    # in order of the alphabet, so that draws do not depend on that of pairs or sides
    columns, vocabulary = pd.factorize(np.array(every_word, object), sort=True)
    shape = (len(pairs), max(1, len(vocabulary)))
    weights = summed(np.array(rows, np.int64), columns.astype(np.int64), np.array(values, float), shape)
    mean, level = 0.0, np.zeros(len(pairs))
    if tokens is not None:
        mean = _per_token(pairs, scores, tokens, known)
        level[known] = mean * (tokens[0] - tokens[1])[known]
    squares = float((weights.data.astype(float) ** 2).sum())
    residuals = (scores[0] - scores[1] - level)[known]
    deviation = float(np.sqrt((residuals**2).sum() / squares)) if squares else 0.0
    logger.info("%d words: mean %.4g per token, standard deviation %.4g", len(vocabulary), mean, deviation)
    return Lexicon(weights, deviation * normal_quantiles(), level)


def _per_token(pairs: pd.DataFrame, scores: Floats, tokens: Floats, known: Ints) -> float:
    """The mean per token, over all different sentences."""
    texts = np.concatenate([pairs[side].to_numpy()[known] for side in (STEREOTYPE, ANTISTEREOTYPE)])
    both = {"score": scores[:, known].ravel(), "tokens": tokens[:, known].ravel()}
    sentences = pd.DataFrame(both).groupby(texts).mean()
    return float(sentences["score"].sum() / sentences["tokens"].sum())
