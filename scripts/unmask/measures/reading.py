"""Reading a table of scores."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from unmask.measures.schema import SCORES
from unmask.tables import opened_table, unreadable

OUTCOMES_OF_A_ROW = ["outcome", "lowest", "highest"]


def read_scores(path: str | Path) -> pd.DataFrame:
    """A Scores table with its words as categories, which take a tenth of the room of words.

    Raises InputError as unmask.tables.read_table does.
    """
    with opened_table(path, SCORES) as file:
        try:
            frame: pd.DataFrame = file.read().unify_dictionaries().to_pandas(self_destruct=True)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path, error) from None
    known = sorted({word for name in OUTCOMES_OF_A_ROW for word in frame[name].cat.categories})
    for name in OUTCOMES_OF_A_ROW:
        # of one set of categories, so that they compare
        frame[name] = frame[name].cat.set_categories(known)
    return frame
