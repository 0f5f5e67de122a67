"""How much nearer targets are to one set of attributes than to another: s, the gap, and effect sizes.

Caliskan, Bryson & Narayanan (2017); X, Y are targets, A, B attributes. Arrays have a first axis of C columns,
each the vectors of one pooling or encoder, that are tested together.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

CONSTANT = 1e-6
"""Standard deviations of s below this are rounding of embeddings in single precision: there is no d."""


def directed(vectors: npt.NDArray[np.floating[Any]]) -> Flags:
    """(…, D) → (…): whether a vector has a direction, and so a cosine: it is finite and not zero."""
    flags: Flags = np.isfinite(vectors).all(axis=-1) & (vectors != 0).any(axis=-1)
    return flags


def unit(vectors: npt.NDArray[np.floating[Any]]) -> Floats:
    """Vectors (…, D) over their lengths, in double precision.

    Raises ValueError where a vector has no direction (see `directed`): it has no cosine, and none is made up.
    """
    if not directed(vectors).all():
        raise ValueError("a vector is zero or not finite: it has no cosine")
    wide = vectors.astype(np.float64)
    # so that squares neither overflow nor vanish
    wide /= np.abs(wide).max(axis=-1, keepdims=True)
    scaled: Floats = wide / np.linalg.norm(wide, axis=-1, keepdims=True)
    return scaled


def cosines(targets: npt.NDArray[np.floating[Any]], attributes: npt.NDArray[np.floating[Any]]) -> Floats:
    """(…, n, D), (…, m, D) → (…, n, m). Raises ValueError as `unit` does."""
    products: Floats = unit(targets) @ np.swapaxes(unit(attributes), -1, -2)
    return products


class Arm(NamedTuple):
    """The targets on one side of an experiment, and their cosines with its attributes.

    Attributes are summed by unit (a text or a word): those are resampled, and in grounded tests permuted.
    """

    # (C, n, units of A): the sum of a target's cosines with the members of each unit
    a: Floats
    b: Floats
    # (units of A,): members of each unit; 0 where this arm has none of them
    a_sizes: Floats
    b_sizes: Floats

    @property
    def s(self) -> Floats:
        """(C, n): s(w) = mean over A of cos(w, a) − mean over B of cos(w, b)."""
        s: Floats = self.a.sum(axis=2) / self.a_sizes.sum() - self.b.sum(axis=2) / self.b_sizes.sum()
        return s


class Experiment(NamedTuple):
    """Two arms whose mean s is compared: x with y."""

    name: str
    x: Arm
    y: Arm
    # the arms are the same targets in the same order, with different attributes
    paired: bool = False


class Effect(NamedTuple):
    """The effects of an experiment, (C,) each; nan where there is none."""

    # mean of s over x − mean over y
    gap: Floats
    # the gap over the standard deviation of s over both arms, with n − 1 and with n
    d: Floats
    d0: Floats
    # sum of s over x − sum over y
    statistic: Floats
    # what |d| is on average without bias
    expected_d: Floats


def effect(experiment: Experiment) -> Effect:
    """Gap, effect sizes and statistic. d and d0 are nan where s varies by less than CONSTANT.

    The expectation of |d| without bias is that of a normal gap with the variance that it has over partitions,
    √(2n / (π |X| |Y|)) of n targets; if the arms are paired, over partitions of `responses` into A and B,
    over the root of the mean variance of s, which these change; nan where there are none.

    Raises ValueError where an arm has no target.
    """
    x, y = experiment.x.s, experiment.y.s
    sizes = x.shape[1], y.shape[1]
    if not all(sizes):
        raise ValueError("both arms of an experiment have targets")
    gap = x.mean(axis=1) - y.mean(axis=1)
    both = np.concatenate([x, y], axis=1)
    deviation = both.std(axis=1, ddof=1)
    varies = deviation >= CONSTANT
    if experiment.paired:
        expected = _expected_of_responses(experiment, varies)
    else:
        expected = np.full(len(gap), expected_size(*sizes))
    return Effect(
        gap,
        _over(gap, deviation, varies),
        _over(gap, both.std(axis=1), varies),
        x.sum(axis=1) - y.sum(axis=1),
        expected,
    )


def expected_size(x: int, y: int) -> float:
    """√(2n / (π |X| |Y|)) with n = |X| + |Y|: the mean of |d| over tests without bias, .40 for 8 and 8."""
    return float(np.sqrt(2 * (x + y) / (np.pi * x * y)))


def responses(experiment: Experiment) -> Floats | None:
    """(C, n, units of A, then of B): how much nearer targets are to attribute units in the arm x than in y.

    Each is the difference of the unit's mean cosines, about the mean over all units, weighted by how many
    members the unit has: n_u (δ_u − Σ n δ / Σ n) over the mean of n. The gap of paired arms is the mean of
    δ over A less that over B, and so SCALE times the sum of the mean responses of A, with
    SCALE = Σ n · mean n / (Σ_A n · Σ_B n). A response that all units share is in none of them.
    None where the arms have a unit unequally often: then it has no difference of its own.
    """
    x, y = experiment.x, experiment.y
    if not (np.array_equal(x.a_sizes, y.a_sizes) and np.array_equal(x.b_sizes, y.b_sizes)):
        return None
    sizes = np.concatenate([x.a_sizes, x.b_sizes])
    sums = np.concatenate([x.a - y.a, x.b - y.b], axis=2)
    of_units: Floats = (sums - sizes * (sums.sum(axis=2, keepdims=True) / sizes.sum())) / sizes.mean()
    return of_units


def _expected_of_responses(experiment: Experiment, varies: Flags) -> Floats:
    """(C,): |d| of paired arms on average over partitions of responses; nan where there is none.

    The sum of k of n numbers with mean 0 has the variance k (n − k) / (n (n − 1)) Σ v² over partitions.
    """
    of_units = responses(experiment)
    if of_units is None:
        return np.full(len(varies), np.nan)
    x, y = experiment.x, experiment.y
    a, b = x.a_sizes, x.b_sizes
    n = len(a) + len(b)
    scale = (a.sum() + b.sum()) ** 2 / n / (a.sum() * b.sum())
    share = scale**2 * len(a) * len(b) / (n * (n - 1))
    # s of a target is what both arms have in common, and more in the one by what is less in the other
    common = (x.s + y.s) / 2
    squares = ((common - common.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    squares += share * (of_units**2).sum(axis=(1, 2)) / 4
    usual = np.sqrt(2 * squares / (2 * common.shape[1] - 1))
    return _over(np.sqrt(2 / np.pi * share * (of_units.mean(axis=1) ** 2).sum(axis=1)), usual, varies)


def _over(numbers: Floats, deviations: Floats, where: Flags) -> Floats:
    quotients: Floats = np.divide(numbers, deviations, out=np.full_like(numbers, np.nan), where=where)
    return quotients
