"""Word vectors in a .npz file of numpy: an array for each word; or `words` (texts) and `vectors`, a row each.

Arrays of single words are read one by one; `vectors` as a whole. Nothing pickled is read.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from unmask.associations.checked_vector import Row, checked
from unmask.errors import InputError
from unmask.user_files import faults_of

WORDS, VECTORS = "words", "vectors"


def rows(path: Path, wanted: Collection[str]) -> Iterator[Row]:
    """Rows of the wanted words. Raises InputError also where `words` and `vectors` do not go together."""
    with faults_of(path):
        path.open("rb").close()
    try:
        file = np.load(path, allow_pickle=False)
    except Exception as error:  # of zip, of numpy and of the system, by what is wrong with the bytes
        raise InputError(f"{path}: not a readable .npz file ({error})") from None
    if not isinstance(file, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: one array, not a .npz file")
    with file:
        names = file.files
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise InputError(f"{path}: the array {twice!r} is there twice")
        if set(names) == {WORDS, VECTORS}:
            yield from _of_matrix(path, file, wanted)
            return
        for name in names:
            if name in wanted:
                yield "array", name, checked(path, "array", name, _array(path, file, name))


def _of_matrix(path: Path, file: np.lib.npyio.NpzFile, wanted: Collection[str]) -> Iterator[Row]:
    words, vectors = _array(path, file, WORDS), _array(path, file, VECTORS)
    if words.ndim != 1 or words.dtype.kind != "U":
        raise InputError(f"{path}: words: {words.dtype} of shape {words.shape}, not a row of texts")
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise InputError(f"{path}: vectors: shape {vectors.shape}, but there are {len(words)} words")
    for number, word in enumerate(words.tolist()):
        if word in wanted:
            yield f"row {number}", word, checked(path, f"row {number}", word, vectors[number])


def _array(path: Path, file: np.lib.npyio.NpzFile, name: str) -> npt.NDArray[np.generic]:
    try:
        array = np.asarray(file[name])
    except Exception as error:  # as above: only now are its bytes read
        raise InputError(f"{path}: array {name!r}: not readable ({error})") from None
    return array
