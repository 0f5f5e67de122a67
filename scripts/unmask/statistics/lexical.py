"""The lexical null: how far from 50 a score comes where only the identities of words count.

Pairs share words, so a score varies far more than that of as many independent pairs would, even where
nothing is associated with anything. Here every token type gets a random score of its own, the same wherever
it stands, and the measure's own reduction makes scores of sentences of these, and decisions of those.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.stats import binom, norm

from unmask.measures.measure import Evidence
from unmask.measures.reduction import Reduction
from unmask.measures.registry import measure
from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.tolerance import TOLERANCE
from unmask.terms import ANTISTEREOTYPE, PROTOCOLS, PUBLISHED, STEREOTYPE
from unmask.words import modified_words

MARGINS_AT_ONCE = 2**23
"""How many margins are in memory at once: 32 MiB of them."""

TIE_TOLERANCE = 1e-9
"""Sides no further apart than this tie: no weighted sum of random scores is so small but by rounding."""

MOST_TIMES = 16
"""Where a score is near an end of its band, up to so many times the study's draws are made."""

UNDECIDED_BELOW = float(norm.sf(3))
"""A score is undecided where its share of the draws is no less likely at an end of the band than this: three
standard errors of a normal distribution."""

Undecided = Callable[[int, int, Floats], bool]
"""Takes the number of a series, the number of a group, and its draws; says whether more are needed."""


@dataclass(frozen=True)
class Lexicon:
    """What random scores of types make of pairs: margins = level + weights @ scores.

    weights: shape (pairs, types), the stereotype's coefficients less those of the antistereotype. scores:
    what the score of a type is drawn from. level: shape (pairs,), what margins are whatever the scores; None
    for 0.
    """

    weights: "sparse.csr_array"
    scores: Floats
    level: Floats | None = None

    def draws(
        self, count: int, rng: np.random.Generator, pairs: Ints | None = None
    ) -> "Iterator[npt.NDArray[np.float32]]":
        """The margins of the next `count` draws of `rng`, some at a time: shapes (pairs, some).

        pairs: the numbers of those that are wanted, by default all. The draws do not depend on them.
        """
        weights = self.weights if pairs is None else self.weights[pairs]
        level = self.level if pairs is None or self.level is None else self.level[pairs]
        types = weights.shape[1]
        at_once = max(1, MARGINS_AT_ONCE // max(*self.weights.shape, 1))
        for start in range(0, count, at_once):
            # a type's score does not depend on how many draws are made at once
            chosen = rng.integers(len(self.scores), size=(min(at_once, count - start), types))
            margins = weights @ np.ascontiguousarray(self.scores[chosen].T, dtype=np.float32)
            yield margins if level is None else margins + level[:, None].astype(np.float32)


class LexiconSource(Protocol):
    """Where the lexicons of measures and protocols come from."""

    def pop(self, series: tuple[str, str]) -> Lexicon:
        """The lexicon of one measure and protocol, which is asked for once."""


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
    """What a measure's reduction over the evidence of these pairs adds to its lexicon.

    A pair of which a number is unknown (nan) has no weights: the measure is undefined for it.
    """
    tokens = reduction.tokens
    of_pair = tokens["role"].isin((STEREOTYPE, ANTISTEREOTYPE)).to_numpy()
    tokens, log_prob = tokens[of_pair], reduction.log_prob[of_pair].to_numpy(float)
    row = pd.Index(pairs["pair_id"]).get_indexer(tokens["pair_id"]).astype(np.int64)
    type_ = tokens["token_id"].to_numpy(np.int64)
    sign = np.where(tokens["role"] == STEREOTYPE, 1.0, -1.0)
    coefficients = np.asarray(reduction.coefficients()[of_pair], dtype=np.float64)
    types = int(type_.max()) + 1 if len(type_) else 1
    # a pair with an unknown number is undefined, and a number that is unknown says nothing of its type
    known, signed = ~np.isnan(log_prob), np.asarray(sign * coefficients, dtype=np.float64)
    defined = ~np.isin(row, row[~known | np.isnan(signed)])
    return LexiconPart(
        summed(row[defined], type_[defined], signed[defined], (len(pairs), types)),
        np.bincount(type_[known], weights=log_prob[known], minlength=types).astype(float),
        np.bincount(type_[known], minlength=types),
    )


@dataclass
class LexiconAccumulator:
    """The parts of a lexicon together: the weights of each, total and count of all.

    A vocabulary has more token ids than a part has pairs, so that each part's own would add up.
    """

    weights: "list[sparse.csr_array]" = field(default_factory=list)
    total: Floats = field(default_factory=lambda: np.zeros(1))
    count: Ints = field(default_factory=lambda: np.zeros(1, np.int64))

    def add(self, part: LexiconPart) -> None:
        """Add the part of the pairs that come next."""
        self.weights.append(part.weights)
        more = (0, max(0, len(part.total) - len(self.total)))
        self.total, self.count = np.pad(self.total, more), np.pad(self.count, more)
        self.total[: len(part.total)] += part.total
        self.count[: len(part.count)] += part.count


def lexicon(pairs: pd.DataFrame, accumulated: LexiconAccumulator) -> Lexicon:
    """The lexicon of a measure over a benchmark: `accumulated` are the parts of its pairs in their order.

    A type's score is drawn from the means of log P over the tokens of each type. A measure of the tokens
    that both sides share, such as CPS, gives these the same weights on either side, so that no types tell
    the sides apart. There each modified word has a random score instead, standard normal: what it does to
    the likelihood of every shared token, wherever it stands.
    """
    for weights in accumulated.weights:
        weights.resize(weights.shape[0], len(accumulated.total))
    used = np.flatnonzero(accumulated.count)
    weights = sparse.vstack(accumulated.weights, format="csr")[:, used]
    if weights.nnz:
        return Lexicon(weights, accumulated.total[used] / accumulated.count[used])
    return Lexicon(_modified(pairs), normal_quantiles())


def summed(row: Ints, column: Ints, values: Floats, shape: tuple[int, int]) -> "sparse.csr_array":
    """The matrix of that shape whose cells are the sums of their values, without those that add up to 0."""
    weights = sparse.csr_array((values, (row, column)), shape=shape)
    weights.sum_duplicates()
    # what the sides share cancels, but for rounding
    weights.data[np.abs(weights.data) < TIE_TOLERANCE] = 0
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
    return summed(np.array(rows, np.int64), np.array(columns, np.int64), np.array(signs), shape)


def normal_quantiles(count: int = 1000) -> Floats:
    """So many numbers that stand for the standard normal distribution: shape (count,)."""
    quantiles: Floats = norm.ppf((np.arange(count) + 0.5) / count)
    return quantiles


class Lexicons:
    """The lexicons of measures and protocols, from evidence that comes some pairs at a time."""

    def __init__(self, pairs: pd.DataFrame, measures: Sequence[str]) -> None:
        self._pairs = pairs
        self._accumulated = {
            (name, protocol): LexiconAccumulator() for name in measures for protocol in PROTOCOLS
        }

    def add(self, pairs: pd.DataFrame, evidence: Evidence) -> None:
        """Add some pairs, in the order of the benchmark."""
        for (name, protocol), accumulated in self._accumulated.items():
            accumulated.add(lexicon_part(pairs, measure(name).formula(evidence, protocol)))

    def pop(self, series: tuple[str, str]) -> Lexicon:
        """One lexicon, of which nothing is kept."""
        return lexicon(self._pairs, self._accumulated.pop(series))


@dataclass(frozen=True)
class Groups:
    """Over which pairs scores are.

    members: shape (groups, pairs), 1 where a group has a pair. differences: places of two groups in
    `members`, each for the score of the first less that of the second; these are groups too, after the
    others.
    """

    members: "sparse.csr_array"
    differences: Sequence[tuple[int, int]] = ()

    def __len__(self) -> int:
        return int(self.members.shape[0]) + len(self.differences)

    def parts(self, chosen: Iterable[int]) -> Ints:
        """The places in `members` that the scores of these groups are made from."""
        count = self.members.shape[0]
        parts = [(place,) if place < count else self.differences[place - count] for place in chosen]
        return np.array(sorted({place for part in parts for place in part}), np.int64)


class _NullScores:
    """The draws of one series so far, shape (draws of the group,) for each group."""

    def __init__(self, groups: Groups, trials: Floats, ties: npt.NDArray[np.bool_], tie: float) -> None:
        self._groups, self._ties, self._tie = groups, ties, np.float32(tie)
        self._members = groups.members.multiply(trials.astype(np.float32)[None]).tocsr()
        self._n: Floats = groups.members @ trials
        self.by_group: list[list[Floats]] = [[] for _ in range(len(groups))]

    def add(self, margins: "npt.NDArray[np.float32]", chosen: Collection[int], pairs: Ints) -> None:
        """Add the scores of the `chosen` groups. margins: of `pairs`, among which are all of theirs."""
        parts = self._groups.parts(chosen)
        members, n = self._members[parts][:, pairs], self._n[parts, None]
        ties, count = self._ties[pairs, None], self._groups.members.shape[0]
        place = {int(part): row for row, part in enumerate(parts)}
        above, tied = (
            (margins > TIE_TOLERANCE).astype(np.float32),
            (np.abs(margins) <= TIE_TOLERANCE).astype(np.float32),
        )
        credit = np.where(ties, self._tie, above + self._tie * tied)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = 100 * (members @ credit).astype(float) / n
        for group in chosen:
            if group < count:
                self.by_group[group].append(scores[place[group]])
            else:
                first, second = self._groups.differences[group - count]
                self.by_group[group].append(scores[place[first]] - scores[place[second]])


def null_scores(
    lexicons: LexiconSource,
    series: Sequence[tuple[str, str]],
    trials: Floats,
    ties: npt.NDArray[np.bool_],
    groups: Groups,
    draws: int,
    seed: int,
    undecided: Undecided = lambda number, group, null: False,
) -> Iterator[tuple[int, list[Floats]]]:
    """For each of `series` (measure, protocol) its number and, for each group, the scores in percent.

    trials: shape (pairs, series), 0 where the measure leaves a pair out. ties: of the same shape, pairs
    that the model's own numbers tie whatever their words, as the rounding of a protocol does. A tie counts
    as in the protocol. nan for a group without trials.

    Every group has `draws` scores. While one is `undecided` its draws are doubled, up to MOST_TIMES times as
    many; draw i is the same for all groups and however many there are.
    """
    by_measure: dict[str, list[int]] = {}
    for number, (name, _) in enumerate(series):
        if trials[:, number].any():
            by_measure.setdefault(name, []).append(number)

    def scores(lexicon: Lexicon, numbers: Sequence[int]) -> Iterator[tuple[int, list[Floats]]]:
        nulls = {
            number: _NullScores(
                groups,
                trials[:, number],
                ties[:, number],
                0.0 if series[number][1] == PUBLISHED else 0.5,
            )
            for number in numbers
        }
        chosen: dict[int, list[int]] = {number: list(range(len(groups))) for number in numbers}
        rng, count, total = np.random.default_rng(seed), draws, draws
        while any(chosen.values()):
            parts = groups.parts({group for of_series in chosen.values() for group in of_series})
            pairs = np.unique(groups.members[parts].indices).astype(np.int64)
            for margins in lexicon.draws(count, rng, pairs):
                for number, of_series in chosen.items():
                    nulls[number].add(margins, of_series, pairs)
            for number, of_series in chosen.items():
                by_group = nulls[number].by_group
                for group in of_series:
                    by_group[group] = [np.concatenate(by_group[group])]
                chosen[number] = [
                    group for group in of_series if undecided(number, group, by_group[group][0])
                ]
            count, total = total, 2 * total
            if total > MOST_TIMES * draws:
                break
        for number in numbers:
            yield number, [parts[0] for parts in nulls[number].by_group]

    for of_measure in by_measure.values():
        # protocols often have one lexicon
        distinct: list[tuple[Lexicon, list[int]]] = []
        for number in of_measure:
            lexicon = lexicons.pop(series[number])
            equal = next((numbers for known, numbers in distinct if _equal(known, lexicon)), None)
            if equal is None:
                distinct.append((lexicon, [number]))
            else:
                equal.append(number)
        for lexicon, numbers in distinct:
            # else no word tells the sides of any pair apart
            if lexicon.weights.nnz:
                yield from scores(lexicon, numbers)


def _equal(one: Lexicon, other: Lexicon) -> bool:
    if one.level is None or other.level is None:
        same_level = one.level is other.level
    else:
        same_level = np.array_equal(one.level, other.level)
    equal: bool = (
        same_level
        and one.weights.shape == other.weights.shape
        and one.weights.nnz == other.weights.nnz
        and np.array_equal(one.scores, other.scores)
        and not (one.weights != other.weights).nnz
    )
    return equal


@dataclass(frozen=True)
class Band:
    """The lexical null beside one score.

    mean: of the draws. p: two-sided, twice the share of the draws, and the score among them, that are at the
    score or beyond it, on the side that has fewer. low, high: the least and the most of the draws that would
    have a p of 1 - confidence or more themselves, so that a score outside of them, and only such a score, has
    a p below 1 - confidence. draws: how many there are. undecided: whether so many draws leave open if the
    score lies outside of the band.
    """

    mean: float
    low: float
    high: float
    p: float
    draws: int
    undecided: bool


def band(score: float, null: Floats, confidence: float) -> Band | None:
    """The band of one score; None where the null has no value."""
    null = null[~np.isnan(null)]
    if not len(null) or np.isnan(score):
        return None
    tail = (1 - confidence) / 2
    # a score is outside where fewer draws than this are at it or beyond it
    least = math.ceil(tail * (len(null) + 1) - TOLERANCE) - 1
    place = max(least - 1, 0)
    partitioned = np.partition(null, [place, len(null) - 1 - place])
    beyond = _beyond(score, null)
    return Band(
        float(null.mean()),
        float(partitioned[place]),
        float(partitioned[-1 - place]),
        min(1.0, 2 * (1 + beyond) / (1 + len(null))),
        len(null),
        least < 1 or not _is_clear(beyond, len(null), tail),
    )


def undecided(score: float, null: Floats, confidence: float) -> bool:
    """Do these draws leave open whether a score lies outside of its band? See Band."""
    null_band = band(score, null, confidence)
    return null_band is not None and null_band.undecided


def _beyond(score: float, null: Floats) -> int:
    """How many draws are at the score or beyond it, on the side that has fewer."""
    same = TOLERANCE * max(1.0, abs(score))
    return int(min((null <= score + same).sum(), (null >= score - same).sum()))


def _is_clear(beyond: int, draws: int, tail: float) -> bool:
    """Is so small, or so large, a number of draws beyond a score unlikely if their true share were `tail`?"""
    fewer, more = binom.cdf(beyond, draws, tail), binom.sf(beyond - 1, draws, tail)
    return bool(min(fewer, more) < UNDECIDED_BELOW)
