"""Figures of merit of measures: the table MERITS."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import logit

from unmask.calibration.doses import cells
from unmask.calibration.families import OverFamilies, family_means, over_families
from unmask.calibration.population import EXACT, ORACLE, TRAINED, Observed
from unmask.calibration.power import (
    A_WORD,
    SIZE,
    Options,
    Outcomes,
    Rejected,
    generator,
    mirrored_rejections,
    outcomes_of,
    rejections,
    smallest_association,
)
from unmask.calibration.schema import MERITS
from unmask.calibration.slopes import NO_SLOPE, Slope, association_slopes, frequency_slopes
from unmask.statistics.ranks import spearman
from unmask.tables import framed
from unmask.terms import STEREO, STEREOTYPE
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY, LENGTH, LONGER

SLOPE, OF_FREQUENCY, EXCHANGE, POWER, SMALLEST, FALSE_ALARMS, BY_CHANCE, RANK = (
    "slope",
    "frequency",
    "exchange",
    "power",
    "smallest",
    "false alarms",
    "false alarms by chance",
    "rank",
)
ORDER = (SLOPE, OF_FREQUENCY, EXCHANGE, POWER, SMALLEST, FALSE_ALARMS, BY_CHANCE, RANK)
"""The merits in the order of the table."""

LIMITS = {
    POWER: (0.0, 100.0),
    SMALLEST: (0.0, 1.0),
    FALSE_ALARMS: (0.0, 100.0),
    BY_CHANCE: (0.0, 100.0),
    RANK: (-1.0, 1.0),
}
"""Between which values a merit lies; its interval is cut off there."""

DECIMALS = 6
"""Of margins that are ranked: closer ones are a tie, as scores are."""

Merit = tuple[str, str]
"""A merit and its condition."""


@dataclass(frozen=True)
class Found:
    """The merits of one model by measure; a merit that cannot be had is not there, and nan where it has no
    value. slopes: on the log-odds, by measure."""

    observed: Observed
    values: Mapping[str, Mapping[Merit, float]]
    slopes: Mapping[str, Slope]


def merits_table(population: Sequence[Observed], options: Options) -> pd.DataFrame:
    """A row per measure, kind of model, merit and condition, as MERITS.

    population: of each model on all its pairs. Each merit is found for every model by itself; the row has the
    mean over families with its interval (unmask.calibration.families). Kinds are the oracles, the exact
    models of the training, the trained models of each architecture, and all trained models.
    """
    rows: list[dict[str, object]] = []
    shown = (ORACLE, EXACT, TRAINED)
    of_models = [merits_of(observed, options) for observed in population if observed.member.role in shown]
    for kind, found in _kinds(of_models):
        for measure in sorted({measure for one in found for measure in one.values}):
            rows += _rows(measure, kind, found, options)
    return framed(rows, MERITS)


def _kinds(found: Sequence[Found]) -> Iterator[tuple[str, list[Found]]]:
    trained = [one for one in found if one.observed.member.role == TRAINED]
    for role in (ORACLE, EXACT):
        yield role, [one for one in found if one.observed.member.role == role]
    for architecture in sorted({str(one.observed.member.architecture) for one in trained}):
        yield architecture, [one for one in trained if one.observed.member.architecture == architecture]
    yield TRAINED, trained


def merits_of(observed: Observed, options: Options) -> Found:
    """All merits of one model, from all its pairs."""
    values: dict[str, dict[Merit, float]] = {measure: {} for measure in observed.measures}
    slopes = association_slopes(observed, options.confidence)
    for measure, slope in slopes.items():
        values[measure][SLOPE, ""] = slope.value
    for words in sorted(observed.of_factor(ASSOCIATION).pairs["words"].unique()):
        some = observed.where(observed.pairs["words"] == words)
        for measure, slope in association_slopes(some, options.confidence).items():
            values[measure][SLOPE, f"words={words}"] = slope.value
    for measure, slope in frequency_slopes(observed, options.confidence).items():
        values[measure][OF_FREQUENCY, ""] = slope.value
        if measure in slopes:
            values[measure][EXCHANGE, ""] = _ratio(slope.value, slopes[measure].value)
    for column, measure in enumerate(observed.measures):
        values[measure].update(_powers(observed, column, options))
        values[measure].update(_false_alarms(observed, column, options))
    for measure, rank in _ranks(observed, options.confidence).items():
        values[measure][RANK, ""] = rank
    return Found(observed, values, slopes)


class _Simulated:
    """Simulated benchmarks of one model and measure from some of its pairs."""

    def __init__(self, observed: Observed, column: int, options: Options, name: str) -> None:
        """name: what pairs these are; draws hang on it, the model and the measure."""
        inside = observed.trial[:, column]
        codes, units = pd.factorize(observed.pairs["unit"][inside], sort=True)
        self._credit, self._codes, self._options = observed.credit[inside, column], codes, options
        self._name = (observed.member.model, observed.measures[column], name)
        self._outcomes: dict[int, Outcomes] = {}
        # a single unit tells nothing of how units vary
        self.possible = len(units) > 1

    def rejected(self, pairs: int, a_unit: int) -> Rejected:
        """How often benchmarks of so many pairs, so many of them a unit, reject a score of 50."""
        if a_unit not in self._outcomes:
            self._outcomes[a_unit] = outcomes_of(self._credit, self._codes, a_unit)
        rng = generator(self._options.seed, *self._name, str(pairs), str(a_unit))
        return rejections(self._outcomes[a_unit], pairs, self._options, rng)

    def by_chance(self, pairs: int, a_unit: int) -> Rejected:
        """The same where a coin turns round what each unit decides."""
        rng = generator(self._options.seed, "by chance", *self._name, str(pairs), str(a_unit))
        return mirrored_rejections(self._credit, self._codes, a_unit, pairs, self._options, rng)


def _powers(observed: Observed, column: int, options: Options) -> dict[Merit, float]:
    """Power where it is asked for, and the smallest association that is noticed."""
    own = observed.of_factor(ASSOCIATION)
    at_levels: dict[float, _Simulated] = {}
    # below ½ there is no bias towards the stereotype
    for level in sorted(p for p in own.pairs["p"].unique() if p >= 0.5):
        simulated = _Simulated(own.where(own.pairs["p"] == level), column, options, f"p={level:g}")
        if simulated.possible:
            at_levels[float(level)] = simulated
    values: dict[Merit, float] = {}
    powers = {
        pairs: [one.rejected(pairs, options.per_unit).too_low for one in at_levels.values()]
        for pairs in options.pairs
    }
    asked = next((place for place, p in enumerate(at_levels) if np.isclose(p, options.association)), None)
    for pairs, found in powers.items():
        if asked is not None:
            values[POWER, f"n={pairs}"] = found[asked]
        if found:
            values[SMALLEST, f"n={pairs}"] = smallest_association(list(at_levels), found)
    if asked is not None:
        for a_word in A_WORD:
            rejected = list(at_levels.values())[asked].rejected(SIZE, a_word)
            values[POWER, f"n={SIZE}, {a_word} a word"] = rejected.too_low
    return values


def _false_alarms(observed: Observed, column: int, options: Options) -> dict[Merit, float]:
    """How often a benchmark says 50 is wrong, either way, where nothing is associated; and how often it would
    where units leaned to either side by chance alone."""
    pairs = observed.pairs
    longer = pairs["longer_side"] == STEREOTYPE
    rarer = (pairs["factor"] == FREQUENCY) & (pairs["direction"] == STEREO)
    among = {
        "no association": (pairs["factor"] == ASSOCIATION) & (pairs["p"] == 0.5),
        **{
            f"ratio={ratio:g}": rarer & (pairs["ratio"] == ratio)
            for ratio in sorted(pairs["ratio"][rarer].unique())
        },
        "subtoken": (pairs["factor"] == LENGTH) & longer,
        "longer": (pairs["factor"] == LONGER) & longer,
    }
    values: dict[Merit, float] = {}
    for condition, members in among.items():
        simulated = _Simulated(observed.where(members), column, options, condition)
        if simulated.possible:
            values[FALSE_ALARMS, condition] = simulated.rejected(SIZE, options.per_unit).either
            values[BY_CHANCE, condition] = simulated.by_chance(SIZE, options.per_unit).either
    return values


def _ranks(observed: Observed, confidence: float) -> dict[str, float]:
    """By measure, Spearman's correlation of mean margins with logit p over cells; nan where one of the two
    does not vary. A measure that is defined in fewer than two cells has none."""
    # whichever side is the longer
    own = [some for _, some in cells(replace(observed, pairs=observed.pairs.assign(longer_side=None)))]
    found = {}
    for column, measure in enumerate(observed.measures):
        shown = [some for some in own if some.trial[:, column].any()]
        if len(shown) > 1:
            margins = np.array([some.margin[some.trial[:, column], column].mean() for some in shown])
            odds = logit(np.array([some.pairs["p"].iloc[0] for some in shown]))
            found[measure] = spearman(margins.round(DECIMALS), odds, confidence).rho
    return found


def _rows(measure: str, kind: str, found: Sequence[Found], options: Options) -> Iterator[dict[str, object]]:
    """The rows of one measure and kind of model."""
    families = {one.observed.member.model: one.observed.member.family for one in found}
    of_merits: dict[Merit, dict[str, float]] = {}
    for one in found:
        for merit, value in one.values.get(measure, {}).items():
            of_merits.setdefault(merit, {})[one.observed.member.model] = value
    for merit in sorted(of_merits, key=lambda merit: ORDER.index(merit[0])):
        values = of_merits[merit]
        over = over_families(values, families, options.confidence)
        if merit[0] == EXCHANGE:
            over = _exchange(measure, found, of_merits, families, options.confidence)
        low, high = LIMITS.get(merit[0], (-np.inf, np.inf))
        yield {
            "measure": measure,
            "kind": kind,
            "merit": merit[0],
            "condition": merit[1],
            "value": over.value,
            "low": np.maximum(over.low, low),
            "high": np.minimum(over.high, high),
            "models": len(values),
            "families": over.families,
        }


def _exchange(
    measure: str,
    found: Sequence[Found],
    of_merits: Mapping[Merit, Mapping[str, float]],
    families: Mapping[str, str],
    confidence: float,
) -> OverFamilies:
    """The ratio of each family's mean slopes over families; nan where the slope on log-odds may be 0."""
    both = of_merits[EXCHANGE, ""]
    slopes, frequencies = (
        {model: of_merits[merit, ""][model] for model in both} for merit in (SLOPE, OF_FREQUENCY)
    )
    over = over_families(slopes, families, confidence)
    if over.families > 1:
        none = Slope(over.value, over.low, over.high).is_none()
    else:
        # one family has no interval: those of its models by their units
        none = any(one.slopes[measure].is_none() for one in found if one.observed.member.model in both)
    divisors = family_means(slopes, families)
    of_families = {
        family: float("nan") if none else _ratio(value, divisors[family])
        for family, value in family_means(frequencies, families).items()
    }
    return over_families(of_families, {family: family for family in of_families}, confidence)


def _ratio(value: float, by: float) -> float:
    return value / by if abs(by) > NO_SLOPE else float("nan")
