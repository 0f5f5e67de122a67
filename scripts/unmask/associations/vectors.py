"""Word vectors of a file, for the words of a suite."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.associations.arrays import Numbers
from unmask.associations.vector_files import READERS
from unmask.errors import InputError

ERROR, DROP = "error", "drop"
MISSING = (ERROR, DROP)
"""What becomes of words without a vector: an error, or they are left out of their sets."""


@dataclass(frozen=True)
class Vectors:
    """Vectors of the words that were found: words[i] has values[i]; float32, shape (words, width)."""

    where: str
    words: tuple[str, ...]
    values: npt.NDArray[np.float32]
    spelt: Mapping[str, str]
    """Words that the file has in lower case alone -> how."""


def read_vectors(path: str | Path, requested: Iterable[str]) -> Vectors:
    """The vectors of the requested words, in their order; of each, the word as it is, and
    where the file does not have that, in lower case.

    Of text and Parquet no more than some rows are in memory at once. Raises InputError naming the file, and
    the line, row or array, of what cannot be read: a row of another width, a value that is no finite number,
    a word that is there twice. Of the rows of other words, those of text are looked at for their width.
    """
    path = Path(path)
    rows_of = READERS.get(path.suffix.lower())
    if rows_of is None:
        raise InputError(f"{path}: what kind of word vectors are these? Known are {', '.join(READERS)}")
    order = list(dict.fromkeys(requested))
    forms = {form for word in order for form in (word, word.lower())}
    vector_of: dict[str, tuple[str, Numbers]] = {}
    width: int | None = None
    for place, word, vector in rows_of(path, forms):
        if word in vector_of:
            raise InputError(f"{path}: {place}: {word!r} is there twice (first: {vector_of[word][0]})")
        width = width or len(vector)
        if len(vector) != width:
            raise InputError(f"{path}: {place}: {word!r}: {len(vector)} numbers, others have {width}")
        vector_of[word] = (place, vector)
    spelt = {word: word.lower() for word in order if word not in vector_of and word.lower() in vector_of}
    words = tuple(word for word in order if word in vector_of or word in spelt)
    rows = [vector_of[spelt.get(word, word)][1] for word in words]
    values = np.stack(rows) if rows else np.empty((0, 0), np.float32)
    return Vectors(str(path), words, values, spelt)


@dataclass(frozen=True)
class Embedded:
    """Vectors of stimuli: float32, shape (stimuli, width); `stimuli` has the number of each, rising."""

    stimuli: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    left_out: Mapping[int, str]
    """Stimulus -> why it has none."""
    remarks: tuple[str, ...]


def embed(stimuli: pd.DataFrame, path: str | Path, missing: str = ERROR) -> Embedded:
    """The vectors of a table STIMULI: of each stimulus, that of its word.

    missing: one of MISSING; a word that is left out is so of items and of words. Raises InputError as
    `read_vectors` does; naming the file, test and word where one has no vector and that is an error; and,
    where it is not, naming the test and set that have no word left.
    """
    if missing not in MISSING:
        raise InputError(f"missing: {missing!r} is none of {', '.join(MISSING)}")
    vectors = read_vectors(path, [str(word) for word in stimuli["word"]])
    place_of = {word: number for number, word in enumerate(vectors.words)}
    lost = ~stimuli["word"].isin(place_of)
    if lost.any() and missing == ERROR:
        first = stimuli[lost].iloc[0]
        more = stimuli.loc[lost, "word"].nunique() - 1
        others = f" (nor for {more} other words)" if more else ""
        raise InputError(
            f"{path}: test {first['test']}: no vector for {first['word']!r}{others};"
            " `missing: drop` leaves words out"
        )
    for (test, set_), of_set in lost.groupby([stimuli["test"], stimuli["set"]], sort=False):
        if of_set.all():
            word = stimuli["word"].loc[of_set.index[0]]
            raise InputError(f"{path}: test {test}: {set_}: none of its words has a vector (first: {word!r})")
    once = stimuli.drop_duplicates("stimulus").sort_values("stimulus")
    present = once[once["word"].isin(place_of)]
    left_out = {
        int(number): f"no vector for {word!r}"
        for number, word in zip(once["stimulus"], once["word"], strict=True)
        if word not in place_of
    }
    return Embedded(
        present["stimulus"].to_numpy(np.int32),
        vectors.values[present["word"].map(place_of).to_numpy(np.int64)],
        left_out,
        tuple(_remarks(stimuli, lost, vectors)),
    )


def _remarks(stimuli: pd.DataFrame, lost: "pd.Series[bool]", vectors: Vectors) -> Iterable[str]:
    for test, rows in stimuli[lost].groupby("test", sort=False):
        words = list(dict.fromkeys(rows["word"]))
        yield f"{test}: {len(words)} words have no vector and are left out: {', '.join(words)}"
    if vectors.spelt:
        yield f"{len(vectors.spelt)} words are there in lower case alone: {', '.join(vectors.spelt.values())}"
