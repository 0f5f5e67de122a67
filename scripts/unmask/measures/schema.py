"""The Scores table."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.errors import faults_of
from unmask.tables import UNREADABLE, opened_table, schema

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

OUTCOMES_OF_A_ROW = ["outcome", "lowest", "highest"]


def read_scores(path: str | Path, measures: Sequence[str]) -> pd.DataFrame:
    """A Scores table with its words as categories, which take a tenth of the room of words.

    Its measures come in the order of `measures`, the study's, which scores themselves do not depend on.
    Raises InputError as unmask.tables.read_table does.
    """
    with opened_table(path, SCORES) as file, faults_of(path, UNREADABLE):
        # column by column, each of which is let go of once it is in the frame
        frame: pd.DataFrame = (
            file.read().unify_dictionaries().to_pandas(self_destruct=True, split_blocks=True)
        )
    known = sorted({word for name in OUTCOMES_OF_A_ROW for word in frame[name].cat.categories})
    for name in OUTCOMES_OF_A_ROW:
        # of one set of categories, so that they compare
        frame[name] = frame[name].cat.set_categories(known)
    order = {measure: place for place, measure in enumerate(measures)}
    there = [order.get(measure, len(order)) for measure in frame["measure"].drop_duplicates()]
    if there == sorted(there):
        return frame
    places = np.array([order.get(measure, len(order)) for measure in frame["measure"].cat.categories])
    return frame.iloc[places[frame["measure"].cat.codes].argsort(kind="stable")].reset_index(drop=True)
