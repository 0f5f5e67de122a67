"""Tables of likelihoods as matrices of names and words, and as the rows of a tree's regions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.regional.bias import Rows
from unmask.regional.hierarchy import Ints, Tree
from unmask.regional.pairs import Floats
from unmask.regional.schema import LIKELIHOODS, PADDED
from unmask.tables import opened_table, plain_frame

CONTENT, SPECIAL = "content", "special"
READINGS = {CONTENT: "log_prob", SPECIAL: "log_prob_special"}
"""Columns of LIKELIHOODS: the mean over a sentence's own tokens, and over these and the special ones."""


@dataclass(frozen=True)
class Likelihoods:
    """Mean log-likelihoods of sentences by name and word; the last column is the names alone.

    `known` says which sentences the tables have; `where` names the tables.
    """

    where: str
    names: Mapping[str, int]
    words: Mapping[str, int]
    values: Floats
    known: npt.NDArray[np.bool_]

    def select(self, names: Sequence[str], words: Sequence[str]) -> tuple[Floats, Floats]:
        """Those of sentences (names × words), and of the names alone, both in this order.

        Raises InputError where a sentence is not there, or its likelihood is no finite number.
        """
        rows = self._places(self.names, names, "region")
        columns = np.append(self._places(self.words, words, "word"), len(self.words))
        cells = np.ix_(rows, columns)
        values = self.values[cells]
        for bad, what in (
            (~self.known[cells], "no likelihood of"),
            (~np.isfinite(values), "the likelihood is no finite number of"),
        ):
            if bad.any():
                row, column = np.argwhere(bad)[0]
                sentence = "alone" if column == len(words) else f"with the word {words[column]!r}"
                raise InputError(f"{self.where}: {what} the region {names[row]!r} {sentence}")
        return values[:, :-1], values[:, -1]

    def _places(self, known: Mapping[str, int], texts: Sequence[str], what: str) -> Ints:
        for text in texts:
            if text not in known:
                raise InputError(f"{self.where}: no likelihood of a sentence with the {what} {text!r}")
        return np.array([known[text] for text in texts], np.int64)


def read_likelihoods(paths: Sequence[str | Path], reading: str) -> Likelihoods:
    """The likelihoods of all lists, by one of the READINGS. Raises InputError as `read_table` does."""
    return _read(paths, LIKELIHOODS, READINGS[reading])


def read_padded(paths: Sequence[str | Path]) -> Likelihoods:
    """Those of the released code's protocol."""
    return _read(paths, PADDED, "log_prob")


def _read(paths: Sequence[str | Path], schema: pa.Schema, column: str) -> Likelihoods:
    columns = ["name", "word", column]
    # dictionaries stay what they are: a table may have millions of sentences of few names and words
    table = pa.concat_tables([opened_table(path, schema).read(columns) for path in paths])
    table = table.unify_dictionaries().combine_chunks()
    names, words = (_codes(table.column(part)) for part in ("name", "word"))
    rows, places = names[1], np.where(words[1] < 0, len(words[0]), words[1])
    values = np.full((len(names[0]), len(words[0]) + 1), np.nan)
    known = np.zeros(values.shape, bool)
    values[rows, places] = table.column(column).to_numpy()
    known[rows, places] = True
    return Likelihoods(", ".join(map(str, paths)), names[0], words[0], values, known)


def _codes(column: pa.ChunkedArray) -> tuple[dict[str, int], npt.NDArray[np.int64]]:
    """The words of a dictionary column by their codes, and the code of each row, -1 for null."""
    array = (
        column.chunk(0) if column.num_chunks else pa.DictionaryArray.from_arrays(pa.array([], "int32"), [])
    )
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return {word: code for code, word in enumerate(array.dictionary.to_pylist())}, codes.astype(np.int64)


def read_names(path: str | Path) -> pd.DataFrame:
    """The rows of names alone, as LIKELIHOODS. Raises InputError as `read_table` does."""
    table = opened_table(path, LIKELIHOODS).read()
    return plain_frame(table.filter(pc.is_null(table.column("word"))), LIKELIHOODS)


def rows_of(tree: Tree, likelihoods: Likelihoods, words: Sequence[str]) -> Rows:
    """What a model makes of the regions of a tree by a list of words, one dimension a word: sets of one.

    The root's row is nan, as is its name: no score looks at them. Raises InputError as `select` does.
    """
    f, names = np.full((1, len(tree), len(words)), np.nan), np.full((1, len(tree)), np.nan)
    f[0, 1:], names[0, 1:] = likelihoods.select(tree.names[1:], words)
    return Rows(f, names)


def words_at(words: pd.DataFrame, rows: Sequence[int] | Ints, column: str) -> list[str]:
    """The words of some rows of a table WORDS, `word` or `word_published`."""
    return [str(word) for word in words[column].iloc[list(rows)]]
