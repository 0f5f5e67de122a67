"""Reading a table of scores."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.measures.schema import SCORES
from unmask.tables import opened_table, unreadable

OUTCOMES_OF_A_ROW = ["outcome", "lowest", "highest"]


def read_scores(path: str | Path, measures: Sequence[str]) -> pd.DataFrame:
    """A Scores table with its words as categories, which take a tenth of the room of words.

    Its measures come in the order of `measures`, the study's, which scores themselves do not depend on.
    Raises InputError as unmask.tables.read_table does.
    """
    with opened_table(path, SCORES) as file:
        try:
            # column by column, each of which is let go of once it is in the frame
            frame: pd.DataFrame = (
                file.read().unify_dictionaries().to_pandas(self_destruct=True, split_blocks=True)
            )
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path, error) from None
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
