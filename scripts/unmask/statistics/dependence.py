"""Which pairs of a benchmark vary together, and what that does to the variance of a score.

Pairs are not independent: hundreds of CrowS-Pairs set "black" against "white". Two pairs may vary together
where they share a *node*: a modified word, StereoSet's target, a writer (unmask.statistics.shared_words).
Sharing is no partition, since chains of shared words would join most pairs of a bias type, so the variance
lets every two pairs that share a node covary (as dyads do in Aronow, Samii & Assenova 2015, Political
Analysis 23:564).
"""

from array import array
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from scipy import sparse

from unmask.statistics.intervals import Floats, Ints
from unmask.statistics.tolerance import TOLERANCE

MOST_NODES = 6
"""Of a pair with more nodes that other pairs have too, so many count: those of the most pairs."""

LEAST_DESIGN_EFFECT = 0.75
"""No variance is taken to be smaller than this share of that of independent pairs."""

VALUES_AT_ONCE = 2**22
"""Of how many values residuals are in memory at once: 32 MiB of them."""


def blocks(pairs: int, columns: int) -> Iterator[slice]:
    """The columns of an array of so many pairs, in blocks of about VALUES_AT_ONCE values."""
    at_once = max(1, VALUES_AT_ONCE // max(1, pairs))
    # of about one size: numpy rounds the sum of a single column another way than those of several
    ends = np.linspace(0, columns, -(-columns // at_once) + 1).round().astype(int).tolist()
    yield from (slice(start, end) for start, end in pairwise(ends))


@dataclass(frozen=True)
class Variance:
    """The variance of k estimates from the same pairs.

    clustered: with pairs that share a node covarying; nan where nothing can be said, as where all pairs
    share one. independent: as if no two pairs covaried. df: degrees of freedom of `clustered`, for
    Student's t; nan likewise.
    """

    clustered: Floats
    independent: Floats
    df: float

    def effect(self) -> Floats:
        """The design effects, shape (k,); nan where nothing varies."""
        return np.divide(
            self.clustered,
            self.independent,
            out=np.full_like(self.clustered, np.nan),
            where=self.independent > 0,
        )


def smaller_effective_size(
    count: Floats, together: Floats, pairs: int, all_together: float, across: Floats
) -> Floats:
    """See Dependence.effective_size. count: Σ d; together: d'K d; all_together: 1'K1; across: 1'K d."""
    sides = (count, together), (pairs - count, all_together - 2 * across + together)
    # a side that no pair decides for, but for rounding, has size 0
    some = [(n > TOLERANCE * pairs) & (square > TOLERANCE) for n, square in sides]
    sizes = [
        np.divide(n**2, square, out=np.zeros_like(count), where=where)
        for (n, square), where in zip(sides, some, strict=True)
    ]
    fewest: Floats = np.minimum(*sizes)
    return fewest


class Dependence:
    """Which of n pairs share a node, as a symmetric matrix K of zeros and ones that is never written out."""

    def __init__(self, nodes: "sparse.csr_array") -> None:
        """nodes: shape (pairs, nodes), 1 where a pair has a node."""
        self._nodes = nodes

    @classmethod
    def of(cls, nodes: Iterable[Collection[Hashable]]) -> "Dependence":
        """From the nodes of each pair, in order; a pair without nodes shares with none."""
        numbers: dict[Hashable, int] = {}
        starts, columns = array("q", [0]), array("q")
        for of_pair in nodes:
            columns.extend(sorted(numbers.setdefault(node, len(numbers)) for node in dict.fromkeys(of_pair)))
            starts.append(len(columns))
        ones = np.ones(len(columns), dtype=np.int32)
        shape = (len(starts) - 1, max(1, len(numbers)))
        return cls(sparse.csr_array((ones, np.array(columns), np.array(starts)), shape=shape))

    def __len__(self) -> int:
        return int(self._nodes.shape[0])

    def different(self) -> int:
        """How many different nodes the pairs have."""
        return len(np.unique(self._nodes.indices))

    def among(self, members: Ints) -> "Dependence":
        """The same among some of the pairs, given by their numbers."""
        return Dependence(self._nodes[members])

    def repeated(self, times: int) -> "Dependence":
        """Of so many observations of each pair, all pairs once and then once more: those of one pair vary
        together, too."""
        nodes = sparse.hstack([self._nodes, sparse.eye_array(len(self), dtype=np.int32)])
        return Dependence(sparse.csr_array(sparse.vstack([nodes] * times)))

    @cached_property
    def _subsets(self) -> tuple["sparse.csr_array", Floats, Floats]:
        """K as U diag(sign) U' + diag(rest): U has a column for each set of nodes that several pairs have.

        Two pairs that share k nodes have 2^k - 1 sets in common; with sign + for sets of odd and - for sets
        of even size these add up to 1 (inclusion and exclusion).
        """
        nodes, rng = self._nodes.tocsc(), np.random.default_rng(0)
        often = np.diff(nodes.indptr)
        shared = nodes[:, often > 1].tocsr()
        often = often[often > 1]
        # a set's name is the sum of the names of its nodes; two sets of one name are as likely as 1 in 2^64
        names = rng.integers(0, 2**64, size=max(1, len(often)), dtype=np.uint64)
        sizes = np.diff(shared.indptr)
        keys, rows, signs = [], [], []
        for size in range(1, MOST_NODES + 1):
            members = np.flatnonzero(np.minimum(sizes, MOST_NODES) == size)
            if not len(members):
                continue
            commonest = self._commonest(shared[members], size, often)
            for count in range(1, size + 1):
                for chosen in combinations(range(size), count):
                    keys.append(names[commonest[:, chosen]].sum(axis=1, dtype=np.uint64))
                    rows.append(members)
                    signs.append(np.full(len(members), 1.0 if count % 2 else -1.0))
        if not keys:
            return sparse.csr_array((len(self), 0)), np.zeros(0), np.ones(len(self))
        _, first, column, times = np.unique(
            np.concatenate(keys), return_index=True, return_inverse=True, return_counts=True
        )
        several = times[column] > 1
        place = np.cumsum(times > 1) - 1
        row, sign = np.concatenate(rows)[several], np.concatenate(signs)
        sets = sparse.csr_array(
            (np.ones(len(row)), (row, place[column[several]])), shape=(len(self), int((times > 1).sum()))
        )
        sign_of_set = sign[first[times > 1]]
        return sets, sign_of_set, 1 - sets @ sign_of_set

    @staticmethod
    def _commonest(shared: "sparse.csr_array", size: int, often: Ints) -> Ints:
        """The `size` nodes of each pair that most pairs have, shape (pairs, size)."""
        if shared.nnz == size * shared.shape[0]:
            return np.asarray(shared.indices, np.int64).reshape(-1, size)
        of_pairs = np.split(shared.indices, shared.indptr[1:-1])
        return np.stack([nodes[np.argsort(-often[nodes], kind="stable")[:size]] for nodes in of_pairs])

    def __matmul__(self, values: Floats) -> Floats:
        """K values: for each pair the sum over the pairs that it shares a node with, itself among them."""
        sets, sign, rest = self._subsets
        shape = (-1,) + (1,) * (values.ndim - 1)
        product: Floats = sets @ (sign.reshape(shape) * (sets.T @ values)) + rest.reshape(shape) * values
        return product

    def largest_effect(self) -> float:
        """The design effect of a mean if all pairs that share a node had the same value; nan of no pair."""
        return float((self @ np.ones(len(self))).mean()) if len(self) else float("nan")

    def effective_size(self, credit: Floats) -> Floats:
        """Kish's effective sample size of the rarer decision, of k series of decisions; at most the pairs.

        credit: shape (pairs, k), from 0 to 1. The size of d, what pairs give a side, is (Σ d)² / d'K d: so
        many equal clusters that share nothing would do. Of the two sides the smaller size.
        """
        of_all = self @ np.ones(len(self))
        together = (credit * (self @ credit)).sum(axis=0)
        return smaller_effective_size(
            credit.sum(axis=0), together, len(self), float(of_all.sum()), (of_all @ credit).astype(np.float64)
        )

    def variance(self, residuals: Floats, weights: Floats, groups: Ints) -> Variance:
        """The variance of estimates with these weights and groups; see `moments` and Moments.variance."""
        return self.moments(weights, groups).variance(residuals)

    def moments(self, weights: Floats, groups: Ints) -> "Moments":
        """What gives the variance of any estimates Σ_i weights_i y_i, from the residuals of y.

        weights: shape (pairs,), such as 1/n. groups: which mean is taken from each pair, from 0.
        """
        n = len(groups)
        means = np.zeros((n, int(groups.max()) + 1 if n else 1))
        means[np.arange(n), groups] = 1
        means /= np.sqrt(np.maximum(means.sum(axis=0), 1))
        return self.moments_of_fit(weights, means)

    def moments_of_fit(self, weights: Floats, basis: Floats) -> "Moments":
        """The same where residuals are those of a fit by least squares.

        basis: shape (pairs, k), orthonormal columns that span what y was fitted with.

        With W = diag(weights) K diag(weights), the sandwich residuals' W residuals is too small: a mean
        that was taken from pairs that vary together has taken much of that with it. So it is solved for
        what it would be if each y had the variance a + b and every two that share a node the covariance b:
        the expectations of Σ weights² residuals² and of the sandwich are linear in a and b (the method of
        moments), and the variance is a Σ weights² + b 1'W1. df is Satterthwaite's, of the sandwich of
        independent pairs.
        """
        c = weights[:, None]
        sum_of_squares, squares = float(weights @ weights), weights**2
        total = float(weights @ (self @ weights))

        k_basis, cc_basis = self @ basis, c * (self @ (c * basis))
        core_k, core_w = basis.T @ k_basis, basis.T @ cc_basis
        diagonal = 1 - 2 * (basis * k_basis).sum(axis=1) + ((basis @ core_k) * basis).sum(axis=1)
        plain_a, plain_b = sum_of_squares - squares @ (basis**2).sum(axis=1), squares @ diagonal
        sandwich_a = sum_of_squares - np.trace(core_w)
        sandwich_b = total - 2 * np.sum(k_basis * cc_basis) + np.sum(core_w * core_k)
        spread = (
            float(squares @ (self @ squares)) - 2 * np.sum(cc_basis * cc_basis) + np.sum(core_w * core_w.T)
        )
        return Moments(self, weights, sum_of_squares, total, plain_a, plain_b, sandwich_a, sandwich_b, spread)


@dataclass(frozen=True)
class Moments:
    """What the variances of all estimates with the same weights and fit have in common.

    sum_of_squares: Σ weights². total: 1'W1. plain_a, plain_b, sandwich_a, sandwich_b: what a and b are
    multiplied by in the expectations of Σ weights² residuals² and of the sandwich. spread: half the variance
    of the sandwich of independent pairs of variance 1.
    """

    dependence: Dependence
    weights: Floats
    sum_of_squares: float
    total: float
    plain_a: float
    plain_b: float
    sandwich_a: float
    sandwich_b: float
    spread: float

    @property
    def largest_effect(self) -> float:
        """The design effect if all pairs that share a node had the same residual."""
        return self.total / self.sum_of_squares if self.sum_of_squares > 0 else float("nan")

    def variance(self, residuals: Floats) -> Variance:
        """The variance of k estimates; residuals, shape (pairs, k): y less its group mean or its fit."""
        weighted = self.weights[:, None] * residuals
        plain = (weighted**2).sum(axis=0)
        sandwich = (weighted * (self.dependence @ weighted)).sum(axis=0)
        unknown = np.full(residuals.shape[1], np.nan)
        independent = plain * (self.sum_of_squares / self.plain_a) if self.plain_a > 0 else unknown
        if self.sandwich_a <= TOLERANCE * self.sum_of_squares or self.spread <= 0:
            # the pairs of each group all share a node: one cluster each
            return Variance(unknown, independent, float("nan"))
        df = float(self.sandwich_a**2 / self.spread)
        least = LEAST_DESIGN_EFFECT * independent
        return Variance(np.maximum(self._together(plain, sandwich), least), independent, df)

    def _together(self, plain: Floats, sandwich: Floats) -> Floats:
        """What moments of residuals give with pairs that share a node covarying: a Σ weights² + b 1'W1."""
        determinant = self.plain_a * self.sandwich_b - self.plain_b * self.sandwich_a
        if abs(determinant) <= TOLERANCE * self.plain_a * abs(self.sandwich_b):
            # no two pairs share a node
            together: Floats = plain * (self.sum_of_squares / self.plain_a)
            return together
        a = (plain * self.sandwich_b - self.plain_b * sandwich) / determinant
        b = (self.plain_a * sandwich - self.sandwich_a * plain) / determinant
        together = a * self.sum_of_squares + b * self.total
        return together
