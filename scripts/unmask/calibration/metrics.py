"""Figures of merit of measures: the table METRICS."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import rankdata

from unmask.calibration.dose_response import cells
from unmask.calibration.families import OverFamilies, family_means, over_families
from unmask.calibration.population import EXACT, ORACLE, TRAINED, Observed
from unmask.calibration.power import (
    PER_WORD,
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
from unmask.calibration.schema import METRICS, Metric
from unmask.calibration.slopes import NO_SLOPE, Slope, association_slopes, frequency_slopes
from unmask.statistics.intervals import Floats
from unmask.statistics.ranks import spearman
from unmask.tables import framed
from unmask.terms import STEREO, STEREOTYPE
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY, LENGTH, LONGER

LIMITS = {
    Metric.POWER: (0.0, 100.0),
    Metric.SMALLEST: (0.0, 1.0),
    Metric.FALSE_ALARMS: (0.0, 100.0),
    Metric.BY_CHANCE: (0.0, 100.0),
    Metric.RANK: (-1.0, 1.0),
}
"""Between which values a metric lies; its interval is cut off there."""

RANKED = {
    "margin": "margin",
    "score": "score",
    "margin, disadvantaged": "stereo_margin",
    "score, disadvantaged": "stereo_score",
}
"""What worlds are ranked by, as a condition is named, and its column of DRAWN: all pairs, or those on the
disadvantaged group alone. Over all pairs frequency cancels, as both groups of a pair have their turn."""

DECIMALS = 6
"""Of margins that are ranked: closer ones are a tie, as scores are."""

Key = tuple[Metric, str]
"""A metric and its condition."""


@dataclass(frozen=True)
class ModelMetrics:
    """The metrics of one model by measure; one that cannot be computed is missing, and nan where it has no
    value. slopes: on the log-odds, by measure."""

    observed: Observed
    values: Mapping[str, Mapping[Key, float]]
    slopes: Mapping[str, Slope]


def metrics_table(population: Sequence[Observed], options: Options) -> pd.DataFrame:
    """A row per measure, kind of model, metric and condition, as METRICS.

    population: of each model on all its pairs. Each metric is computed for every model by itself; the row has
    the mean over families with its interval (unmask.calibration.families). Kinds are the oracles, the exact
    models of the training, the trained models of each architecture, and all trained models.
    """
    roles = (ORACLE, EXACT, TRAINED)
    of_models = [metrics_of(observed, options) for observed in population if observed.member.role in roles]
    rows = [
        row
        for kind, of_kind in _kinds(of_models)
        for measure in sorted({measure for one in of_kind for measure in one.values})
        for row in _rows(measure, kind, of_kind, options)
    ]
    return framed(rows, METRICS)


def _kinds(of_models: Sequence[ModelMetrics]) -> Iterator[tuple[str, list[ModelMetrics]]]:
    trained = [one for one in of_models if one.observed.member.role == TRAINED]
    for role in (ORACLE, EXACT):
        yield role, [one for one in of_models if one.observed.member.role == role]
    for architecture in sorted({str(one.observed.member.architecture) for one in trained}):
        yield architecture, [one for one in trained if one.observed.member.architecture == architecture]
    yield TRAINED, trained


def metrics_of(observed: Observed, options: Options) -> ModelMetrics:
    """All metrics of one model, from all its pairs."""
    values: dict[str, dict[Key, float]] = {measure: {} for measure in observed.measures}
    slopes = association_slopes(observed, options.confidence)
    for measure, slope in slopes.items():
        values[measure][Metric.SLOPE, ""] = slope.value
    for words in sorted(observed.of_factor(ASSOCIATION).pairs["words"].unique()):
        some = observed.where(observed.pairs["words"] == words)
        for measure, slope in association_slopes(some, options.confidence).items():
            values[measure][Metric.SLOPE, f"words={words}"] = slope.value
    for measure, slope in frequency_slopes(observed, options.confidence).items():
        values[measure][Metric.FREQUENCY, ""] = slope.value
        if measure in slopes:
            values[measure][Metric.EXCHANGE, ""] = _ratio(slope.value, slopes[measure].value)
    for column, measure in enumerate(observed.measures):
        values[measure].update(_powers(observed, column, options))
        values[measure].update(_false_alarms(observed, column, options))
    for measure, rank in _ranks(observed, options.confidence).items():
        values[measure][Metric.RANK, ""] = rank
    return ModelMetrics(observed, values, slopes)


class _Simulated:
    """Simulated benchmarks of one model and measure from some of its pairs."""

    def __init__(self, observed: Observed, column: int, options: Options, name: str) -> None:
        """name: what pairs these are; draws depend on it, the model and the measure."""
        inside = observed.trial[:, column]
        codes, units = pd.factorize(observed.pairs["unit"][inside], sort=True)
        self._credit, self._codes, self._options = observed.credit[inside, column], codes, options
        self._name = (observed.member.model, observed.measures[column], name)
        self._outcomes: dict[int, Outcomes] = {}
        # a single unit tells nothing of how units vary
        self.possible = len(units) > 1

    def rejected(self, pairs: int, per_unit: int) -> Rejected:
        """How often benchmarks of so many pairs, so many of them a unit, reject a score of 50."""
        if per_unit not in self._outcomes:
            self._outcomes[per_unit] = outcomes_of(self._credit, self._codes, per_unit)
        rng = generator(self._options.seed, *self._name, str(pairs), str(per_unit))
        return rejections(self._outcomes[per_unit], pairs, self._options, rng)

    def by_chance(self, pairs: int, per_unit: int) -> Rejected:
        """The same where a coin turns round what each unit decides."""
        rng = generator(self._options.seed, "by chance", *self._name, str(pairs), str(per_unit))
        return mirrored_rejections(self._credit, self._codes, per_unit, pairs, self._options, rng)


def _powers(observed: Observed, column: int, options: Options) -> dict[Key, float]:
    """Power where it is asked for, and the smallest association that is noticed."""
    pairs_of_jobs = observed.of_factor(ASSOCIATION)
    at_levels: dict[float, _Simulated] = {}
    # below ½ there is no bias towards the stereotype
    for level in sorted(p for p in pairs_of_jobs.pairs["p"].unique() if p >= 0.5):
        at_level = pairs_of_jobs.where(pairs_of_jobs.pairs["p"] == level)
        simulated = _Simulated(at_level, column, options, f"p={level:g}")
        if simulated.possible:
            at_levels[float(level)] = simulated
    values: dict[Key, float] = {}
    powers = {
        pairs: [one.rejected(pairs, options.per_unit).too_low for one in at_levels.values()]
        for pairs in options.pairs
    }
    asked = next((place for place, p in enumerate(at_levels) if np.isclose(p, options.association)), None)
    for pairs, by_level in powers.items():
        if asked is not None:
            values[Metric.POWER, f"n={pairs}"] = by_level[asked]
        if by_level:
            values[Metric.SMALLEST, f"n={pairs}"] = smallest_association(list(at_levels), by_level)
    if asked is not None:
        for per_word in PER_WORD:
            rejected = list(at_levels.values())[asked].rejected(SIZE, per_word)
            values[Metric.POWER, f"n={SIZE}, {per_word} a word"] = rejected.too_low
    return values


def _false_alarms(observed: Observed, column: int, options: Options) -> dict[Key, float]:
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
    values: dict[Key, float] = {}
    for condition, members in among.items():
        simulated = _Simulated(observed.where(members), column, options, condition)
        if simulated.possible:
            values[Metric.FALSE_ALARMS, condition] = simulated.rejected(SIZE, options.per_unit).either
            values[Metric.BY_CHANCE, condition] = simulated.by_chance(SIZE, options.per_unit).either
    return values


def _ranks(observed: Observed, confidence: float) -> dict[str, float]:
    """By measure, Spearman's correlation of mean margins with logit p over cells; nan where one of the two
    does not vary. A measure that is defined in fewer than two cells has none."""
    # whichever side is the longer
    of_cells = [cell for _, cell in cells(replace(observed, pairs=observed.pairs.assign(longer_side=None)))]
    ranks = {}
    for column, measure in enumerate(observed.measures):
        defined = [cell for cell in of_cells if cell.trial[:, column].any()]
        if len(defined) > 1:
            margins = np.array([cell.margin[cell.trial[:, column], column].mean() for cell in defined])
            odds = logit(np.array([cell.pairs["p"].iloc[0] for cell in defined]))
            ranks[measure] = spearman(margins.round(DECIMALS), odds, confidence).rho
    return ranks


def _rows(
    measure: str, kind: str, of_kind: Sequence[ModelMetrics], options: Options
) -> Iterator[dict[str, object]]:
    """The rows of one measure and kind of model."""
    families = {one.observed.member.model: one.observed.member.family for one in of_kind}
    by_key: dict[Key, dict[str, float]] = {}
    for one in of_kind:
        for key, value in one.values.get(measure, {}).items():
            by_key.setdefault(key, {})[one.observed.member.model] = value
    order = list(Metric)
    for metric, condition in sorted(by_key, key=lambda key: order.index(key[0])):
        values = by_key[metric, condition]
        if metric == Metric.EXCHANGE:
            over = _exchange(measure, of_kind, by_key, families, options.confidence)
        else:
            over = over_families(values, families, options.confidence)
        low, high = LIMITS.get(metric, (-np.inf, np.inf))
        yield {
            "measure": measure,
            "kind": kind,
            "merit": metric.value,
            "condition": condition,
            "value": over.value,
            "low": np.maximum(over.low, low),
            "high": np.minimum(over.high, high),
            "models": len(values),
            "families": over.families,
        }


def _exchange(
    measure: str,
    of_kind: Sequence[ModelMetrics],
    by_key: Mapping[Key, Mapping[str, float]],
    families: Mapping[str, str],
    confidence: float,
) -> OverFamilies:
    """The ratio of each family's mean slopes over families; nan where the slope on log-odds may be 0."""
    both = by_key[Metric.EXCHANGE, ""]
    slopes, frequencies = (
        {model: by_key[metric, ""][model] for model in both} for metric in (Metric.SLOPE, Metric.FREQUENCY)
    )
    over = over_families(slopes, families, confidence)
    if over.families > 1:
        none = Slope(over.value, over.low, over.high).is_none()
    else:
        # one family has no interval: those of its models by their units
        none = any(one.slopes[measure].is_none() for one in of_kind if one.observed.member.model in both)
    divisors = family_means(slopes, families)
    of_families = {
        family: float("nan") if none else _ratio(value, divisors[family])
        for family, value in family_means(frequencies, families).items()
    }
    return over_families(of_families, {family: family for family in of_families}, confidence)


def _ratio(value: float, by: float) -> float:
    return value / by if abs(by) > NO_SLOPE else float("nan")


def rank_of_worlds(drawn: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Spearman's correlation over worlds of what a measure shows with the association, as METRICS.

    drawn: DRAWN. The interval is that of percentiles of `options.draws` resamples of worlds. nan where a
    measure shows the same of all worlds. No row with fewer than two worlds.
    """
    rows = [
        row
        for measure, of_measure in drawn.groupby("measure", sort=True)
        for row in _ranks_of_worlds(str(measure), of_measure, options)
    ]
    return framed(rows, METRICS)


def _ranks_of_worlds(measure: str, drawn: pd.DataFrame, options: Options) -> Iterator[dict[str, object]]:
    for condition, column in RANKED.items():
        known = drawn[drawn[column].notna()].sort_values("world")
        if len(known) < 2:
            continue
        values, p = known[column].round(DECIMALS).to_numpy(), known["p"].to_numpy()
        rng = generator(options.seed, Metric.RANK_OF_WORLDS.value, measure, condition)
        resampled = rng.integers(len(known), size=(options.draws, len(known)))
        bootstrap = spearman_rows(values[resampled], p[resampled])
        bootstrap = bootstrap[~np.isnan(bootstrap)]
        tail = (1 - options.confidence) / 2
        value = float(spearman_rows(values[None], p[None])[0])
        missing = np.isnan(value) or not len(bootstrap)
        low, high = (np.nan, np.nan) if missing else np.quantile(bootstrap, [tail, 1 - tail])
        yield {
            "measure": measure,
            "kind": ORACLE,
            "merit": Metric.RANK_OF_WORLDS.value,
            "condition": condition,
            "value": value,
            "low": low,
            "high": high,
            "models": len(known),
            "families": len(known),
        }


def spearman_rows(first: Floats, second: Floats) -> Floats:
    """Spearman's correlation of each row of two arrays of one shape; nan where one of them is constant."""
    ranks = [rankdata(values, axis=1) for values in (first, second)]
    one, other = (values - values.mean(axis=1, keepdims=True) for values in ranks)
    both = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    products = (one * other).sum(axis=1)
    rho: Floats = np.divide(products, both, out=np.full(len(first), np.nan), where=both > 0)
    return rho
