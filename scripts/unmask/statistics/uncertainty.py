"""How sure a number over pairs is: which pairs share something, variances, intervals and tests.

Every number of a benchmark is a sum Σ wᵢ yᵢ over its pairs: a score (w = 1/n), Adv - Dis (1/n₁, -1/n₂), a
difference of two measures or models (y is the difference), a change without flawed pairs (1/kept - 1/n), an
area under a ROC curve (y is DeLong's placement). Pairs that share a modified word, a target or a writer
covary, all others do not, as dyads in Aronow, Samii & Assenova (2015, Political Analysis 23:564). Sharing is
no partition: chains of shared words would join most pairs of a bias type.

Of what is no such sum: McNemar's test of paired counts, Spearman's correlation, Holm's correction of many p.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.special import bdtr, betaincinv, chdtrc, ndtri, stdtr, stdtrit

from unmask.words import modified_words

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

TOLERANCE = 1e-9
"""Numbers no further apart are equal: relative to the larger one and, near 0, absolute."""

LEAST_DESIGN_EFFECT = 0.75
"""No variance is taken to be smaller than this share of that of independent pairs."""

ENOUGH = 20
"""From this effective size of the rarer decision on, the design effect is taken as it is estimated."""

HALVINGS = 52
"""After so many a bracket is as narrow as a float has digits."""

EXACT_BELOW = 25
"""Fewer discordant units than this: an exact McNemar's test; else chi-square."""

WORDS, TARGET, WRITER = "words", "target", "writer"
"""What two pairs may share."""

NODES: Mapping[str, Callable[[Any], Iterable[str]]] = {
    WORDS: lambda pair: chain(*modified_words(pair.stereotype, pair.antistereotype)),
    TARGET: lambda pair: [pair.target] if pd.notna(pair.target) else [],
    WRITER: lambda pair: [pair.writer] if pd.notna(pair.writer) else [],
}
"""What a pair may share with others, by kind: its modified words, whichever side has them, the target and the
writer where these are stated."""


# which pairs share something


def nodes_of(pairs: pd.DataFrame, kinds: Collection[str]) -> Iterator[list[tuple[str, str]]]:
    """What each pair (PAIRS) may share, of these kinds: of what kind it is, and which one."""
    for pair in pairs.itertuples():
        yield [(kind, name) for kind in kinds for name in dict.fromkeys(NODES[kind](pair))]


def kinds_in(pairs: pd.DataFrame, kinds: Sequence[str]) -> list[str]:
    """Those of `kinds` that the benchmark states; every benchmark has those of its texts."""
    return [kind for kind in kinds if kind not in pairs or pairs[kind].notna().any()]


def sharing_of(pairs: pd.DataFrame, kinds: Sequence[str]) -> "Sharing":
    """Which pairs (PAIRS) share something of these kinds."""
    return Sharing.of(nodes_of(pairs, kinds_in(pairs, kinds)))


@dataclass(frozen=True)
class Sharing:
    """K, 1 where two pairs share something and 0 elsewhere, without its n² cells.

    set_of_pair: shape (n,), which of the distinct sets of nodes each pair has. meet: shape (sets, sets), 1
    where two sets have a node in common. A pair shares with itself.
    """

    set_of_pair: Ints
    meet: "sparse.csr_array"

    @classmethod
    def of(cls, nodes: Iterable[Collection[Hashable]]) -> "Sharing":
        """From the nodes of each pair, in order; a pair without nodes shares with itself alone."""
        number_of_set: dict[frozenset[Hashable], int] = {}
        alone = (frozenset(each) or frozenset({("pair", row)}) for row, each in enumerate(nodes))
        set_of_pair = [number_of_set.setdefault(each, len(number_of_set)) for each in alone]
        number: dict[Hashable, int] = {}
        columns = [number.setdefault(node, len(number)) for each in number_of_set for node in each]
        starts = np.cumsum([0, *map(len, number_of_set)])
        shape = (len(number_of_set), len(number))
        has = sparse.csr_array((np.ones(len(columns)), columns, starts), shape=shape)
        return cls(np.array(set_of_pair, np.int64), sparse.csr_array((has @ has.T).sign()))

    def __len__(self) -> int:
        return len(self.set_of_pair)

    def among(self, rows: Ints) -> "Sharing":
        """The same among some of the pairs, by their numbers; one that is taken twice shares with itself."""
        return Sharing(self.set_of_pair[rows], self.meet)

    def __matmul__(self, values: Floats) -> Floats:
        """K values, of shape (n,) or (n, k): of each pair the sum over the pairs that it shares with."""
        rows = np.arange(len(self))
        shape = (self.meet.shape[0], len(self))
        total = sparse.csr_array((np.ones(len(self)), (self.set_of_pair, rows)), shape=shape) @ values
        product: Floats = (self.meet @ total)[self.set_of_pair]
        return product


# the variance of a sum over pairs


class Shared(Protocol):
    """What gives K values, as a Sharing does."""

    def __matmul__(self, values: Floats, /) -> Floats: ...


@dataclass(frozen=True)
class ClusteredVariance:
    """The variance of any estimate Σ wᵢ yᵢ with these weights, from residuals of y.

    If each y has the variance a + b and any two that share something the covariance b, the expectations of
    Σ wᵢ² eᵢ² and of the sandwich (we)'K(we) are linear in a and b, and the variance is a Σ wᵢ² + b w'Kw. Both
    sums are solved for a and b (the method of moments). The sandwich alone is too small: the mean that was
    taken from the residuals has varied with them.

    plain, sandwich, total: what a and b are multiplied by in the two expectations and in the variance. df:
    Satterthwaite's, of the sandwich of independent pairs; nan where one cluster has all pairs of a group.
    """

    weights: Floats
    sharing: Shared
    plain: tuple[float, float]
    sandwich: tuple[float, float]
    total: tuple[float, float]
    df: float

    @classmethod
    def of(cls, weights: Floats, basis: Floats, sharing: Shared) -> "ClusteredVariance":
        """weights: shape (n,). basis: (n, k), orthonormal columns that span what y was fitted with."""
        c, squares = weights[:, None], weights**2
        k_basis, w_basis = sharing @ basis, c * (sharing @ (c * basis))
        core_k, core_w = basis.T @ k_basis, basis.T @ w_basis
        diagonal = 1 - 2 * (basis * k_basis).sum(axis=1) + ((basis @ core_k) * basis).sum(axis=1)
        total = float(squares.sum()), float(weights @ (sharing @ weights))
        plain = total[0] - float(squares @ (basis**2).sum(axis=1)), float(squares @ diagonal)
        sandwich = (
            total[0] - float(np.trace(core_w)),
            total[1] - 2 * float((k_basis * w_basis).sum()) + float((core_w * core_k).sum()),
        )
        # half the variance of the sandwich of independent pairs of variance 1
        spread = float(squares @ (sharing @ squares)) - 2 * float((w_basis**2).sum())
        spread += float((core_w * core_w.T).sum())
        known = sandwich[0] > TOLERANCE * total[0] and spread > 0
        return cls(weights, sharing, plain, sandwich, total, sandwich[0] ** 2 / spread if known else np.nan)

    def of_residuals(self, residuals: Floats) -> tuple[Floats, Floats]:
        """(with pairs that share something covarying, as if none did) of k estimates.

        residuals: shape (n, k), y less its mean or its fit. nan where nothing can be said.
        """
        weighted = self.weights[:, None] * residuals
        sums = np.stack([(weighted**2).sum(axis=0), (weighted * (self.sharing @ weighted)).sum(axis=0)])
        scale = self.total[0] / self.plain[0] if self.plain[0] > 0 else np.nan
        clustered = independent = sums[0] * scale
        expected = np.array([self.plain, self.sandwich])
        if np.isnan(self.df):
            clustered = np.full_like(independent, np.nan)
        elif abs(np.linalg.det(expected)) > TOLERANCE * self.plain[0] * abs(self.sandwich[1]):
            # some two pairs share something
            clustered = np.array(self.total) @ np.linalg.solve(expected, sums)
        return np.maximum(clustered, LEAST_DESIGN_EFFECT * independent), independent


def mean_basis(group: Ints, groups: int) -> Floats:
    """The orthonormal columns that group means are a fit by, shape (n, groups); no group is empty."""
    inside = (group[:, None] == np.arange(groups)).astype(float)
    basis: Floats = inside / np.sqrt(inside.sum(axis=0))
    return basis


def contrast(
    values: Floats, sharing: Sharing, group: Ints | None = None, signs: Sequence[float] = (1.0,)
) -> pd.DataFrame:
    """Σ signs · group means of each column of `values`, shape (n, k), with its variance: a row a column.

    A value that is nan does not count. group: the group of each pair, from 0; by default all are of one.
    Columns: n; estimate; clustered and independent, its variances; df; largest, the design effect if all that
    share something had one residual; rarer, of the mean of decisions (from 0 to 1) the effective_size of the
    rarer one. nan where a group has no value.
    """
    group = np.zeros(len(values), np.int64) if group is None else group
    columns = ["estimate", "clustered", "independent", "df", "largest", "rarer"]
    of = pd.DataFrame(np.nan, index=range(values.shape[1]), columns=columns)
    for members, some in by_pattern(values):
        of_group = group[members]
        sizes = np.bincount(of_group, minlength=len(signs))
        if not sizes.all():
            continue
        y, among = values[np.ix_(members, some)], sharing.among(members)
        means = np.stack([y[of_group == place].mean(axis=0) for place in range(len(signs))])
        weights = (np.array(signs) / sizes)[of_group]
        variance = ClusteredVariance.of(weights, mean_basis(of_group, len(signs)), among)
        clustered, independent = variance.of_residuals(y - means[of_group])
        rarer = np.minimum(effective_size(y, among), effective_size(1 - y, among))
        largest = variance.total[1] / variance.total[0]
        rows = [np.array(signs) @ means, clustered, independent, variance.df, largest, rarer]
        of.loc[some] = np.column_stack(np.broadcast_arrays(*rows))
    return of.assign(n=(~np.isnan(values)).sum(axis=0).astype(float))


def by_pattern(values: Floats) -> Iterator[tuple[Ints, Ints]]:
    """(rows, columns) of the columns that count for the same rows."""
    patterns, of_column = np.unique(~np.isnan(values), axis=1, return_inverse=True)
    for number, counted in enumerate(patterns.T):
        yield np.flatnonzero(counted), np.flatnonzero(of_column == number)


def effective_size(credit: Floats, sharing: Sharing) -> Floats:
    """Kish's effective sample size of what pairs give a side, in k series: so many equal clusters that share
    nothing would do. credit: shape (n, k), from 0 to 1. (Σ d)² / d'Kd; 0 of a side that no pair decides for.
    """
    count, square = credit.sum(axis=0), (credit * (sharing @ credit)).sum(axis=0)
    # but for rounding
    some = (count > TOLERANCE * len(credit)) & (square > TOLERANCE)
    size: Floats = np.divide(count**2, square, out=np.zeros_like(count), where=some)
    return size


# tests and intervals


def paired_test(differences: Floats, sharing: Sharing, confidence: float) -> pd.DataFrame:
    """Whether the mean of each column of differences, shape (n, k), is 0: n, estimate and Student's t.

    There are no more degrees of freedom than differences other than 0, less one.
    """
    of = contrast(differences, sharing)
    df = np.minimum(of["df"], np.count_nonzero(np.nan_to_num(differences), axis=0) - 1.0)
    return of[["n", "estimate"]].join(t_test(of["estimate"], of["clustered"], df, confidence))


def t_test(
    estimate: npt.ArrayLike, variance: npt.ArrayLike, df: npt.ArrayLike, confidence: float
) -> pd.DataFrame:
    """Student's t of k estimates: their error, df, low, high and two-sided p of an estimate of 0.

    All nan where the variance is unknown, where df is unknown or below 1, and where nothing has varied.
    """
    estimate, df = np.asarray(estimate, float), np.asarray(df, float)
    error = np.sqrt(np.asarray(variance, float))
    known = (error > TOLERANCE * np.abs(estimate)) & (df >= 1 - TOLERANCE)
    error, df = np.where(known, error, np.nan), np.where(known, np.maximum(df, 1), np.nan)
    reach = stdtrit(df, (1 + confidence) / 2) * error
    p = 2 * stdtr(df, -np.abs(estimate / error))
    ends = {"low": estimate - reach, "high": estimate + reach}
    return pd.DataFrame({"error": error, "df": df, **ends, "p": p})


def normal_quantile(confidence: float) -> float:
    """What an interval of this confidence reaches in standard errors."""
    return float(ndtri((1 + confidence) / 2))


def wilson(share: npt.ArrayLike, size: npt.ArrayLike, quantile: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The ends, from 0 to 1, of Wilson's intervals of shares of `size` independent decisions; nan of none.

    quantile: what the interval reaches in standard errors. A tie enters as half a success in one trial. It
    varies less than a decision, so the interval is then slightly wider than it need be.
    """
    share, size, z = (np.asarray(each, float) for each in (share, size, quantile))
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = share + z**2 / (2 * size)
        reach = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
        low, high = ((centre + sign * reach) / (1 + z**2 / size) for sign in (-1, 1))
    # rounding may leave the interval a hair outside
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def proportion(
    scores: pd.DataFrame, confidence: float, neutral: npt.ArrayLike = 0.5, decided: npt.ArrayLike = True
) -> pd.DataFrame:
    """low and high in percent, p and design_effect of scores: a frame of `contrast` of decisions.

    Away from 0 and 1 an interval is Wilson's with n / design effect in place of n, and Student's t (Korn &
    Graubard 1998, Survey Methodology 24:193). Near them the few deviating decisions say little of how pairs
    vary together, and nothing where there are none. So there each end moves outwards to that with the
    largest design effect: of Wilson's interval the end that faces `neutral`, the share of no preference; of
    Clopper & Pearson's the other. With s the share, m the effective size of the rarer decision and c the
    smaller of ENOUGH and n / largest effect, it goes

        edge = (1 - 4 s (1 - s)) · (1 - (m - 1) / (c - 1))²

    of the way: none of it where m ≥ c, and where m is 1 as far as where it is 0. p is 1 less the confidence
    at which the end that faces `neutral` is there. nan where no pair counts, where df is unknown or below 1,
    and where no pair is decided, so that nothing can vary. residual_low and residual_high: the ends of which
    none of the way is gone, and the score itself where residuals say nothing.
    """
    share, n, df, largest, rarer = (
        scores[name].to_numpy(float) for name in ("estimate", "n", "df", "largest", "rarer")
    )
    neutral = np.broadcast_to(np.asarray(neutral, float), share.shape)
    known = (n > 0) & (df >= 1 - TOLERANCE) & ~np.isnan(largest) & np.asarray(decided)
    df, tail = np.where(known, np.maximum(df, 1), np.nan), (1 + confidence) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        # decisions that are all alike tell nothing of how they vary together
        effect = np.where(scores["independent"] > 0, scores["clustered"] / scores["independent"], largest)
        most = np.fmax(effect, largest)
        few = np.minimum(ENOUGH, n / largest)
        edge = np.clip((few - rarer) / np.maximum(few - 1, TOLERANCE), 0, 1) ** 2
        edge = edge * (1 - 4 * share * (1 - share))
        t = stdtrit(df, tail)
        alone = low, high = wilson(share, n / effect, t)
        least, greatest = wilson(share, n / most, t)
        size = n / most * (normal_quantile(confidence) / t) ** 2
        count, other = np.maximum(share * size, TOLERANCE), np.maximum((1 - share) * size, TOLERANCE)
        exact_low = np.where(share == 0, 0.0, betaincinv(count, other + 1, 1 - tail))
        exact_high = np.where(share == 1, 1.0, betaincinv(count + 1, other, tail))
        least = np.where(share <= neutral, exact_low, least)
        greatest = np.where(share >= neutral, exact_high, greatest)
        low, high = low + edge * np.minimum(least - low, 0), high + edge * np.maximum(greatest - high, 0)
        # the end that faces neutral is the lower one of a share above it, or of what mirrors one below
        upper, half = (np.where(share < neutral, 1 - each, each) for each in (share, neutral))
        # a mean of two of Wilson's, each of which is at neutral where t is distance · √(n / effect)
        distance = (upper - half) / np.sqrt(half * (1 - half))
        shorter, longer = (distance * np.sqrt(n / each) for each in (most, effect))
        for _ in range(HALVINGS):
            reach = (shorter + longer) / 2
            inner, outer = (wilson(upper, n / each, reach)[0] for each in (effect, most))
            is_short = (1 - edge) * inner + edge * outer > half
            shorter, longer = np.where(is_short, (reach, longer), (shorter, reach))
        p = np.where(distance > TOLERANCE, 2 * stdtr(df, -longer), 1.0)
    ends = {"low": 100 * low, "high": 100 * high}
    for name, end in zip(("residual_low", "residual_high"), alone, strict=True):
        ends[name] = 100 * np.where(scores["independent"] > 0, end, share)
    effect = np.where(n > 0, effect, np.nan)
    return pd.DataFrame({**ends, "p": np.where(known, p, np.nan), "design_effect": effect})


def contains(low: float, high: float, value: float) -> bool:
    """Is a value within the ends of an interval, or outside by rounding alone? nan contains nothing."""
    return value >= low - TOLERANCE * max(1.0, abs(low)) and value <= high + TOLERANCE * max(1.0, abs(value))


def leaves_out(low: float, high: float, value: float) -> bool:
    """Is a value outside of an interval by more than rounding? An unknown interval leaves nothing out."""
    return low <= high and not contains(low, high, value)


# what is no such sum


def mcnemar_p(b: int, c: int) -> float:
    """McNemar's p of b units that differ one way and c the other; nan where b + c is 0.

    Exact, of the binomial distribution, where b + c is below EXACT_BELOW; else of chi-square with continuity
    correction.
    """
    if b + c == 0:
        return np.nan
    if b + c < EXACT_BELOW:
        return exact_mcnemar(b, c)
    return float(chdtrc(1, max(abs(b - c) - 1, 0) ** 2 / (b + c)))


def exact_mcnemar(b: int, c: int) -> float:
    """McNemar's exact p, two-sided, of b units that differ one way and c the other."""
    return float(min(1.0, 2 * bdtr(min(b, c), b + c, 0.5)))


class Correlation(NamedTuple):
    """Spearman's rho, from -1 to 1, and the ends of its interval; nan where it is unknown."""

    rho: float = np.nan
    low: float = np.nan
    high: float = np.nan


def spearman(first: Floats, second: Floats, confidence: float) -> Correlation:
    """Spearman's rank correlation with its interval.

    The interval is tanh(atanh rho ± z sqrt((1 + rho²/2) / (n - 3))), Fisher's transformation with the
    standard error of Bonett & Wright 2000. Ties get mean ranks. All nan where a sample is constant or has
    fewer than two values; the interval alone is nan where n < 4 or |rho| = 1.
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation()
    rho = float(pd.DataFrame({"first": first, "second": second}).rank().corr().to_numpy()[0, 1])
    # rounding may leave a perfect correlation a hair beside 1
    if abs(rho) > 1 - 1e-12:
        return Correlation(round(rho))
    if len(first) < 4:
        return Correlation(rho)
    reach = normal_quantile(confidence) * np.sqrt((1 + rho**2 / 2) / (len(first) - 3))
    low, high = np.tanh(np.arctanh(rho) + reach * np.array([-1, 1]))
    return Correlation(rho, float(low), float(high))


def step_down(p: npt.ArrayLike) -> Floats:
    """p of one family (n,) after Holm's step-down correction over all that is not nan; nan stays."""
    raw = pd.Series(p, dtype=float).dropna().sort_values(kind="stable")
    corrected = (raw * np.arange(len(raw), 0, -1)).cummax().clip(upper=1)
    return np.asarray(corrected.reindex(range(np.size(p))), np.float64)


def holm(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """`frame` with a column p_holm: `p` after Holm's correction within each family of equal `by`.

    The raw `p` stays. A null p is in no family and stays null; null is a value of its own in `by`.
    """
    families = frame["p"].astype(float).groupby([frame[name] for name in by], dropna=False, sort=False)
    return frame.assign(p_holm=families.transform(lambda p: step_down(p.to_numpy())))
