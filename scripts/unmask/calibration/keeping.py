"""What training does to unmasked prediction: the table KEPT of models that were trained."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from unmask.calibration.doses import score_of
from unmask.calibration.population import KEPT, TRAINED, Observed
from unmask.calibration.schema import KEPT as KEPT_TABLE
from unmask.calibration.slopes import association_slopes, frequency_slopes
from unmask.tables import framed
from unmask.terms import STEREO
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY

NAN = float("nan")


def kept_table(population: Sequence[Observed], association: float, confidence: float) -> pd.DataFrame:
    """A row per measure and model that was trained, with its world's corruption or its own, as KEPT.

    population: of each model on all its pairs. association: the p of the pairs behind `associated`.
    """
    rows: list[dict[str, object]] = []
    for observed in population:
        if observed.member.role in (TRAINED, KEPT):
            rows += kept_rows(observed, association, confidence)
    return framed(rows, KEPT_TABLE)


def kept_rows(observed: Observed, association: float, confidence: float) -> Iterator[dict[str, object]]:
    """The rows of one model."""
    of_odds, of_ratio = (slopes(observed, confidence) for slopes in (association_slopes, frequency_slopes))
    pairs = observed.pairs
    associated = observed.where((pairs["factor"] == ASSOCIATION) & np.isclose(pairs["p"], association))
    frequency = observed.of_factor(FREQUENCY)
    greatest = frequency.pairs["ratio"] == frequency.pairs["ratio"].max()
    rarer = frequency.where(greatest & (frequency.pairs["direction"] == STEREO))
    for column, measure in enumerate(observed.measures):
        slope, by_frequency = of_odds.get(measure), of_ratio.get(measure)
        exchange = NAN
        if slope is not None and by_frequency is not None and not slope.is_none():
            exchange = by_frequency.value / slope.value
        yield {
            **observed.member.facts(),
            "context": observed.member.context,
            **observed.member.corruption,
            "measure": measure,
            "association": NAN if slope is None else slope.value,
            "frequency": NAN if by_frequency is None else by_frequency.value,
            "exchange": exchange,
            "associated": score_of(associated, column, confidence)[0],
            "rarer": score_of(rarer, column, confidence)[0],
        }
