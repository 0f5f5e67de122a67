"""All tables of a calibration that are made from scores."""

import logging
from collections.abc import Mapping

import pandas as pd

from unmask.calibration.controls import controls_table
from unmask.calibration.doses import doses_table
from unmask.calibration.drawn_ranks import rank_of_worlds
from unmask.calibration.keeping import kept_table
from unmask.calibration.merits import merits_table
from unmask.calibration.population import Population
from unmask.calibration.power import Options
from unmask.calibration.schema import CONTROLS, DOSES, KEPT, MERITS

logger = logging.getLogger(__name__)

SCHEMAS = {"doses": DOSES, "merits": MERITS, "controls": CONTROLS, "kept": KEPT}
"""The tables by name."""


def compute(
    population: Population, drawn: pd.DataFrame | None, options: Options
) -> Mapping[str, pd.DataFrame]:
    """The tables by name, each as SCHEMAS has it; drawn: DRAWN, if the study has drawn worlds."""
    by_model = population.by_model()
    logger.info("%d models", len(by_model))
    merits = merits_table(by_model, options)
    if drawn is not None:
        merits = pd.concat([merits, rank_of_worlds(drawn, options)], ignore_index=True)
    tables = {
        "doses": doses_table(by_model, options.confidence),
        "merits": merits,
        "controls": controls_table(population, options.confidence),
        "kept": kept_table(by_model, options.association, options.confidence),
    }
    for name, rows in tables.items():
        logger.info("%s: %d rows", name, len(rows))
    return tables
