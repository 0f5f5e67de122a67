"""Tables of likelihoods as matrices of names and words, and as the rows of a tree's regions."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.regional.herb import Rows
from unmask.regional.schema import LIKELIHOODS
from unmask.tables import opened_table

ALONE = ""
"""The column of sentences that are the name alone."""


def read_likelihoods(paths: Sequence[str | Path], schema: pa.Schema = LIKELIHOODS) -> pd.DataFrame:
    """Mean log-likelihoods by name (rows) and word (columns, and ALONE), of the tables of several lists.

    A sentence that is in no table is nan. Raises InputError as `read_table` does.
    """
    columns = ["name", "word", "log_prob"]
    # dictionaries stay what they are: a table may have millions of sentences of few names and words
    table = pa.concat_tables([opened_table(path, schema).read(columns) for path in paths])
    frame = table.unify_dictionaries().to_pandas()
    frame["word"] = frame["word"].cat.add_categories([ALONE]).fillna(ALONE)
    # the names alone stand in the tables of several lists of the released code
    frame = frame.drop_duplicates(["name", "word"])
    matrix: pd.DataFrame = frame.pivot(index="name", columns="word", values="log_prob").astype(float)
    return matrix


def rows_of(names: Sequence[str], words: Sequence[str], likelihoods: pd.DataFrame) -> Rows:
    """What a model makes of regions of these names by a list of words, one dimension a word.

    The row of the first region, the root, is nan: no score looks at it. Raises InputError naming a region and
    word that have no likelihood.
    """
    some = likelihoods.reindex(index=list(names[1:]), columns=[*words, ALONE]).to_numpy()
    if np.isnan(some).any():
        row, column = np.argwhere(np.isnan(some))[0]
        what = f"with the word {words[column]!r}" if column < len(words) else "alone"
        raise InputError(f"no likelihood of a sentence with the region {names[row + 1]!r} {what}")
    whole = np.vstack([np.full(len(words) + 1, np.nan), some])
    return Rows(whole[:, :-1], whole[:, -1])
