"""The lexical null: how far from 50 a score comes where only the identities of words count.

Pairs share words, so a score varies far more than that of as many independent pairs would, even where
nothing is associated with anything. Here every token type gets a random score of its own, the same wherever
it stands, and the measure's own reduction makes scores of sentences of these, and decisions of those.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import norm

from unmask.measures.measure import Evidence
from unmask.measures.reduction import Reduction
from unmask.measures.registry import measure
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.nodes import modified_words
from unmask.terms import ANTISTEREOTYPE, PROTOCOLS, PUBLISHED, STEREOTYPE

MARGINS_AT_ONCE = 2**23
"""How many margins are in memory at once: 32 MiB of them."""

SAME = 1e-9
"""Sides no further apart than this tie: no weighted sum of random scores is so small but by rounding."""


@dataclass(frozen=True)
class Lexicon:
    """What random scores of types make of pairs: margins = weights @ scores.

    weights: shape (pairs, types), the stereotype's coefficients less those of the antistereotype. scores:
    what the score of a type is drawn from.
    """

    weights: "sparse.csr_array"
    scores: Floats

    def draws(self, count: int, seed: int) -> "Iterator[npt.NDArray[np.float32]]":
        """The margins of `count` draws, some at a time: shapes (pairs, some)."""
        pairs, types = self.weights.shape
        rng = np.random.default_rng(seed)
        at_once = max(1, MARGINS_AT_ONCE // max(pairs, types, 1))
        for start in range(0, count, at_once):
            # a type's score does not depend on how many draws are made at once
            chosen = rng.integers(len(self.scores), size=(min(at_once, count - start), types))
            yield self.weights @ np.ascontiguousarray(self.scores[chosen].T, dtype=np.float32)


@dataclass(frozen=True)
class LexiconPart:
    """What a lexicon needs of some pairs.

    weights: of Lexicon, over token ids. total, count: for each token id, the sum of log P over its tokens,
    and how many there are.
    """

    weights: "sparse.csr_array"
    total: Floats
    count: Ints


def lexicon_part(pairs: pd.DataFrame, reduction: Reduction) -> LexiconPart:
    """What a measure's reduction over the evidence of these pairs adds to its lexicon."""
    tokens = reduction.tokens
    of_pair = tokens["role"].isin((STEREOTYPE, ANTISTEREOTYPE)).to_numpy()
    tokens, log_prob = tokens[of_pair], reduction.log_prob[of_pair].to_numpy(float)
    row = pd.Index(pairs["pair_id"]).get_indexer(tokens["pair_id"]).astype(np.int64)
    type_ = tokens["token_id"].to_numpy(np.int64)
    sign = np.where(tokens["role"] == STEREOTYPE, 1.0, -1.0)
    coefficients = reduction.coefficients()[of_pair].to_numpy(float)
    types = int(type_.max()) + 1 if len(type_) else 1
    return LexiconPart(
        _summed(row, type_, sign * coefficients, (len(pairs), types)),
        np.bincount(type_, weights=log_prob, minlength=types).astype(float),
        np.bincount(type_, minlength=types),
    )


@dataclass
class Gathered:
    """The parts of a lexicon together: the weights of each, total and count of all.

    A vocabulary has more token ids than a part has pairs, so that each part's own would add up.
    """

    weights: "list[sparse.csr_array]"
    total: Floats
    count: Ints

    @classmethod
    def of(cls, parts: Iterable[LexiconPart]) -> "Gathered":
        gathered = cls([], np.zeros(1), np.zeros(1, np.int64))
        for part in parts:
            gathered.add(part)
        return gathered

    def add(self, part: LexiconPart) -> None:
        """Add the part of the pairs that come next."""
        self.weights.append(part.weights)
        more = (0, max(0, len(part.total) - len(self.total)))
        self.total, self.count = np.pad(self.total, more), np.pad(self.count, more)
        self.total[: len(part.total)] += part.total
        self.count[: len(part.count)] += part.count


def lexicon(pairs: pd.DataFrame, gathered: Gathered) -> Lexicon:
    """The lexicon of a measure over a benchmark: `gathered` are the parts of its pairs in their order.

    A type's score is drawn from the means of log P over the tokens of each type. A measure of the tokens
    that both sides share, such as CPS, gives these the same weights on either side, so that no types tell
    the sides apart. There each modified word has a random score instead, standard normal: what it does to
    the likelihood of every shared token, wherever it stands.
    """
    for weights in gathered.weights:
        weights.resize(weights.shape[0], len(gathered.total))
    used = np.flatnonzero(gathered.count)
    weights = sparse.vstack(gathered.weights, format="csr")[:, used]
    if weights.nnz:
        return Lexicon(weights, gathered.total[used] / gathered.count[used])
    # the quantiles of the standard normal distribution stand for it
    return Lexicon(_modified(pairs), _normal_quantiles(1000))


def _summed(row: Ints, column: Ints, values: Floats, shape: tuple[int, int]) -> "sparse.csr_array":
    weights = sparse.csr_array((values, (row, column)), shape=shape)
    weights.sum_duplicates()
    # what the sides share cancels, but for rounding
    weights.data[np.abs(weights.data) < SAME] = 0
    weights.eliminate_zeros()
    return weights.astype(np.float32)


def _modified(pairs: pd.DataFrame) -> "sparse.csr_array":
    numbers: dict[str, int] = {}
    rows, columns, signs = [], [], []
    for row, texts in enumerate(zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True)):
        for sign, words in zip((1.0, -1.0), modified_words(*texts), strict=True):
            for word in words:
                rows.append(row)
                columns.append(numbers.setdefault(word, len(numbers)))
                signs.append(sign)
    shape = (len(pairs), max(1, len(numbers)))
    return _summed(np.array(rows, np.int64), np.array(columns, np.int64), np.array(signs), shape)


def _normal_quantiles(count: int) -> Floats:
    quantiles: Floats = norm.ppf((np.arange(count) + 0.5) / count)
    return quantiles


class Lexicons:
    """The lexicons of measures and protocols, from evidence that comes some pairs at a time."""

    def __init__(self, pairs: pd.DataFrame, measures: Sequence[str]) -> None:
        self._pairs = pairs
        self._gathered = {(name, protocol): Gathered.of([]) for name in measures for protocol in PROTOCOLS}

    def add(self, pairs: pd.DataFrame, evidence: Evidence) -> None:
        """Add some pairs, in the order of the benchmark."""
        for (name, protocol), gathered in self._gathered.items():
            gathered.add(lexicon_part(pairs, measure(name).formula(evidence, protocol)))

    def pop(self, series: tuple[str, str]) -> Lexicon:
        """One lexicon, of which nothing is kept."""
        return lexicon(self._pairs, self._gathered.pop(series))


def null_scores(
    lexicons: Lexicons,
    series: Sequence[tuple[str, str]],
    trials: Floats,
    ties: npt.NDArray[np.bool_],
    members: "sparse.csr_array",
    draws: int,
    seed: int,
) -> Iterator[tuple[int, Floats]]:
    """For each of `series` (measure, protocol) its number and the scores in percent, shape (groups, draws).

    trials: shape (pairs, series), 0 where the measure leaves a pair out. ties: of the same shape, pairs
    that the model's own numbers tie whatever their words, as the rounding of a protocol does. members:
    shape (groups, pairs), 1 where a group has a pair. A tie counts as in the protocol. nan for a group
    without trials.
    """
    by_measure: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(series):
        if trials[:, number].any():
            by_measure.setdefault(name, []).append(number)

    def scores(lexicon: Lexicon, numbers: Sequence[int]) -> Iterator[tuple[int, Floats]]:
        parts: Mapping[int, list[Floats]] = {number: [] for number in numbers}
        for margins in lexicon.draws(draws, seed):
            above, tied = (margins > SAME).astype(np.float32), (np.abs(margins) <= SAME).astype(np.float32)
            for number in numbers:
                tie = np.float32(0.0 if series[number][1] == PUBLISHED else 0.5)
                credit = np.where(ties[:, number, None], tie, above + tie * tied)
                parts[number].append(members @ (credit * trials[:, number, None].astype(np.float32)))
        for number in numbers:
            n = members @ trials[:, number]
            with np.errstate(invalid="ignore", divide="ignore"):
                yield number, 100 * np.hstack(parts[number]).astype(float) / n[:, None]

    for of_measure in by_measure.values():
        # protocols often have one lexicon
        found: list[tuple[Lexicon, list[int]]] = []
        for number in of_measure:
            own = lexicons.pop(series[number])
            same = next((numbers for known, numbers in found if _same(known, own)), None)
            if same is None:
                found.append((own, [number]))
            else:
                same.append(number)
        for own, numbers in found:
            # else no word tells the sides of any pair apart
            if own.weights.nnz:
                yield from scores(own, numbers)


def _same(one: Lexicon, other: Lexicon) -> bool:
    same: bool = (
        one.weights.shape == other.weights.shape
        and one.weights.nnz == other.weights.nnz
        and np.array_equal(one.scores, other.scores)
        and not (one.weights != other.weights).nnz
    )
    return same


@dataclass(frozen=True)
class Band:
    """What the null comes to beside one score.

    mean; low, high: where the middle `confidence` of the draws lie; p: two-sided, twice the share of the
    draws, and the score among them, that are at the score or beyond it, on the side that has fewer.
    """

    mean: float
    low: float
    high: float
    p: float


def band(score: float, drawn: Floats, confidence: float) -> Band | None:
    """The band of one score; None where the null has no value."""
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn) or np.isnan(score):
        return None
    centre, tail = float(drawn.mean()), (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    beyond = min((drawn <= score + SAME).sum(), (drawn >= score - SAME).sum())
    return Band(centre, float(low), float(high), min(1.0, 2 * (1 + int(beyond)) / (1 + len(drawn))))
