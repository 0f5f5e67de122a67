"""The Scores table."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from unmask.tables import read_table, schema

SCORES = schema(
    """
    pair_id         word  the pair
    measure         word  the measure
    protocol        word  published (as the papers' code has it) or corrected (as the formulas have it)
    stereotype      f64?  score of the stereotypical sentence, in the measure's unit; null where it has
                          nothing to score
    antistereotype  f64?  score of the other sentence, likewise
    margin          f64?  stereotype minus antistereotype, as compared (after any rounding of the protocol)
    outcome         word  which sentence is preferred: stereotype, antistereotype, tie, or undefined
    error           f64?  how far float error may move the margin, before any rounding, in the unit of the
                          margin
    lowest          word  the outcome if the margin is lower by that error
    highest         word  the outcome if it is higher by that error; a pair where the two differ is a near-tie
    """
)
"""One row per pair, measure and protocol."""


def read_scores(path: str | Path, measures: Sequence[str]) -> pd.DataFrame:
    """A table of SCORES with its measures in the order of `measures`, the study's, which scores themselves do
    not depend on. Raises InputError as unmask.tables.read_table does."""
    order = {measure: place for place, measure in enumerate(measures)}
    return read_table(path, SCORES).sort_values(
        "measure",
        key=lambda names: names.map(order).fillna(len(order)),
        kind="stable",
        ignore_index=True,
    )
