"""What the corruption of masked language modelling does to measures that read visible tokens: the table KEPT.

Training masks some of the tokens that it chooses, keeps some and makes some random. Models are those that
were trained, or exact models of one world over a grid of such shares.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.calibration.dose_response import score_of
from unmask.calibration.exact_model import CONTEXTS, ExactModel
from unmask.calibration.planted_pairs import observe_exact, planted_pairs
from unmask.calibration.population import EXACT, KEPT, TRAINED, Member, Observed
from unmask.calibration.schema import KEPT as KEPT_TABLE
from unmask.calibration.slopes import association_slopes, frequency_slopes
from unmask.tables import framed
from unmask.terms import STEREO
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY, World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption

KEPT_SHARES = (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
RANDOM_SHARE = 0.1
NOTHING_RANDOM = Corruption(masked=0.5, kept=0.5, random=0)
COUNTS = Counts(per_occupation=6, per_trait=6)
"""Of more pairs the slopes hardly differ: pairs of one unit differ in words that tell nothing."""

CONFIDENCE = 0.95
"""Of the interval by which an exact model has an association at all."""

NAN = float("nan")


def corruption_table(population: Sequence[Observed], association: float, confidence: float) -> pd.DataFrame:
    """A row per measure and model that was trained, with its world's corruption or its own, as KEPT.

    population: of each model on all its pairs; causal language models, which have no corruption, are left
    out. association: the p of the pairs behind `associated`.
    """
    trained = [
        observed
        for observed in population
        if observed.member.role in (TRAINED, KEPT) and observed.member.corruption is not None
    ]
    rows = [row for observed in trained for row in _rows(observed, association, confidence)]
    return framed(rows, KEPT_TABLE)


def exact_corruption_table(
    name: str, settings: Mapping[str, Any], measures: Sequence[str], association: float
) -> pd.DataFrame:
    """The KEPT rows of exact models of the world `name`, by corruption, context and measure.

    association: the p at which `associated` is asked for; null where the world has none such.
    Raises InputError as World.from_config does.
    """
    world = World.from_config(name, settings)
    pairs, facts = planted_pairs(world, COUNTS)
    rows: list[dict[str, object]] = []
    for corruption in corruptions():
        for context in CONTEXTS:
            model = f"{context}, kept {corruption.kept:g}, random {corruption.random:g}"
            member = Member(model, EXACT, None, name, context, corruption._asdict())
            exact = ExactModel(world, corruption, context)
            rows += _rows(observe_exact(member, pairs, facts, exact, measures), association, CONFIDENCE)
    return framed(rows, KEPT_TABLE)


def corruptions() -> tuple[Corruption, ...]:
    """The grid of shares: kept tokens beside few random ones, then none random."""
    grid = (Corruption(round(1 - kept - RANDOM_SHARE, 2), kept, RANDOM_SHARE) for kept in KEPT_SHARES)
    return (*grid, NOTHING_RANDOM)


def _rows(observed: Observed, association: float, confidence: float) -> Iterator[dict[str, object]]:
    """The rows of one model."""
    by_association, by_frequency = (
        slopes(observed, confidence) for slopes in (association_slopes, frequency_slopes)
    )
    pairs = observed.pairs
    associated = observed.where((pairs["factor"] == ASSOCIATION) & np.isclose(pairs["p"], association))
    frequency = observed.of_factor(FREQUENCY)
    greatest = frequency.pairs["ratio"] == frequency.pairs["ratio"].max()
    rarer = frequency.where(greatest & (frequency.pairs["direction"] == STEREO))
    for column, measure in enumerate(observed.measures):
        slope, of_frequency = by_association.get(measure), by_frequency.get(measure)
        exchange = NAN
        if slope is not None and of_frequency is not None and not slope.is_none():
            exchange = of_frequency.value / slope.value
        yield {
            **observed.member.facts(),
            "context": observed.member.context,
            **(observed.member.corruption or {}),
            "measure": measure,
            "association": NAN if slope is None else slope.value,
            "frequency": NAN if of_frequency is None else of_frequency.value,
            "exchange": exchange,
            "associated": score_of(associated, column, confidence)[0],
            "rarer": score_of(rarer, column, confidence)[0],
        }
