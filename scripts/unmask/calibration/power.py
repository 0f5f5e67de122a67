"""How often the report's test would notice a bias: simulated benchmarks, drawn from a model's own decisions.

A simulated benchmark of n pairs is n / s units, drawn with replacement from those of the model, each with s
pairs, drawn with replacement from the pairs of that unit. The units of a benchmark are then independent draws
of one kind, so it is enough to count how many of them come out in each way.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import comb

from unmask.calibration.clustered_test import Units, score_intervals
from unmask.errors import InputError
from unmask.statistics.intervals import Floats, Ints

SIZE = 500
"""Pairs of the benchmarks on which false alarms, and the part of pairs a word, are looked at."""
PER_WORD = (1, 10, 50)
"""Pairs a word of such benchmarks."""
ENOUGH = 80.0
"""Percent of benchmarks in which a bias is noticed, where a benchmark is called large enough for it."""
NO_BIAS = 50.0


@dataclass(frozen=True)
class Options:
    """How figures of merit are computed.

    confidence: level of intervals and tests. association: the p at which power is asked for. pairs: sizes of
    simulated benchmarks. per_unit: pairs of each unit of them. draws, seed: of such benchmarks.
    """

    confidence: float
    association: float
    pairs: tuple[int, ...]
    per_unit: int
    draws: int
    seed: int

    @classmethod
    def from_config(cls, entry: Mapping[str, Any]) -> "Options":
        """From a study's `confidence` and `power`.

        Raises InputError where sizes are no whole numbers of units, or of a single one.
        """
        power = entry["power"]
        options = cls(entry["confidence"], **{**power, "pairs": tuple(power["pairs"])})
        if SIZE % options.per_unit or SIZE // options.per_unit < 2:
            raise InputError(f"calibration.power.per_unit: {options.per_unit} is no part of {SIZE} pairs")
        for pairs in options.pairs:
            if pairs % options.per_unit or pairs // options.per_unit < 2:
                raise InputError(
                    f"calibration.power.pairs: {pairs} pairs are not two or more units of "
                    f"{options.per_unit} (power.per_unit)"
                )
        return options


@dataclass(frozen=True)
class Outcomes:
    """How the pairs of one unit of a simulated benchmark may come out.

    probability, and sum and sum of squares of their credits: shape (outcomes,). size: how many pairs.
    """

    probability: Floats
    sums: Floats
    squares: Floats
    size: int


@dataclass(frozen=True)
class Rejected:
    """In how many of the simulated benchmarks, in percent, 50 lies below and above the interval."""

    too_low: float
    too_high: float

    @property
    def either(self) -> float:
        return self.too_low + self.too_high


def outcomes_of(credit: Floats, codes: Ints, size: int) -> Outcomes:
    """The outcomes of `size` pairs of a unit drawn at random: a mixture of trinomials.

    credit: shape (pairs,), 1, ½ or 0. codes: the unit of each pair, from 0, none without a pair.
    """
    of_units = _of_each_unit(credit, codes, size)
    probability = of_units.probability.mean(axis=0)
    likely = np.flatnonzero(probability > 0)
    # the likeliest first: drawing a multinomial stops when all units are placed
    likely = likely[np.argsort(-probability[likely], kind="stable")]
    probability = probability[likely] / probability[likely].sum()
    return Outcomes(probability, of_units.sums[likely], of_units.squares[likely], size)


def _of_each_unit(credit: Floats, codes: Ints, size: int) -> Outcomes:
    """The outcomes of every unit by itself: probabilities of shape (units, outcomes)."""
    counts = np.bincount(codes)
    ones, ties = (np.bincount(codes[credit == value], minlength=len(counts)) / counts for value in (1.0, 0.5))
    # rounding may leave it a hair below 0
    rest = np.maximum(1 - ones - ties, 0.0)
    most = size if ties.any() else 0
    one, tie = (
        places.ravel() for places in np.meshgrid(np.arange(size + 1), np.arange(most + 1), indexing="ij")
    )
    possible = one + tie <= size
    one, tie = one[possible], tie[possible]
    ways = comb(size, one) * comb(size - one, tie)
    # 0⁰ is 1
    probability = ways * (ones[:, None] ** one * ties[:, None] ** tie * rest[:, None] ** (size - one - tie))
    return Outcomes(probability, one + tie / 2, one + tie / 4, size)


def rejections(outcomes: Outcomes, pairs: int, options: Options, rng: np.random.Generator) -> Rejected:
    """How often benchmarks of so many pairs reject a score of 50.

    The probabilities may be of shape (draws, outcomes): then each benchmark has its own.
    """
    units = pairs // outcomes.size
    counts = rng.multinomial(units, outcomes.probability, size=options.draws)
    n = units * outcomes.size
    sums = counts @ outcomes.sums
    squares = counts @ outcomes.squares - sums**2 / n
    within = counts @ outcomes.sums**2 - outcomes.size * sums**2 / n
    of_units = Units(np.full(units, outcomes.size))
    variance = of_units.variance(within, squares)
    rarer = of_units.effective_size(sums, counts @ outcomes.sums**2, outcomes.size * sums)
    low, high = score_intervals(sums, of_units, variance, rarer, options.confidence)
    return Rejected(100 * float((low > NO_BIAS).mean()), 100 * float((high < NO_BIAS).mean()))


def mirrored_rejections(
    credit: Floats, codes: Ints, size: int, pairs: int, options: Options, rng: np.random.Generator
) -> Rejected:
    """The same, where for each benchmark a coin is thrown for every unit of the model, whether all that it
    decides is turned round.

    So often the same decisions reject a score of 50 where units lean to either side by chance. The few units
    of a model hardly ever balance out, and the test is right to say so of them: it knows of no others.
    """
    plain, mirrored = (_of_each_unit(decided, codes, size) for decided in (credit, 1 - credit))
    turned = rng.integers(2, size=(options.draws, len(plain.probability)))
    probability = turned @ mirrored.probability + (1 - turned) @ plain.probability
    probability /= probability.sum(axis=1, keepdims=True)
    return rejections(Outcomes(probability, plain.sums, plain.squares, size), pairs, options, rng)


def smallest_association(levels: Sequence[float], powers: Sequence[float]) -> float:
    """The smallest planted p above one half whose power reaches ENOUGH, nan where none does.

    levels: of p, ascending; powers, in percent, at each. Nothing is said of what lies between two levels.
    """
    reached = (p for p, power in zip(levels, powers, strict=True) if p > 0.5 and power >= ENOUGH)
    return float(next(reached, float("nan")))


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers that depend on the seed and the names alone."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16])])
