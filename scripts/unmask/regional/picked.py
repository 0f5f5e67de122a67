"""Likelihoods of some regions and words, out of tables of millions of rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.regional.schema import LIKELIHOODS
from unmask.tables import opened_table, plain_frame

COLUMNS = {"content": "log_prob", "special": "log_prob_special"}
"""The column of each reading."""


def name_rows(path: str | Path) -> pd.DataFrame:
    """The rows of names alone, which come first, as LIKELIHOODS."""
    parts = []
    with opened_table(path, LIKELIHOODS) as file:
        for batch in file.iter_batches():
            alone = pc.is_null(batch.column("word"))
            parts.append(pa.Table.from_batches([batch]).filter(alone))
            if not pc.all(alone, min_count=0).as_py():
                break
    if not parts:
        return plain_frame(LIKELIHOODS.empty_table(), LIKELIHOODS)
    return plain_frame(pa.concat_tables(parts, promote_options="permissive").cast(LIKELIHOODS), LIKELIHOODS)


def log_probs(
    path: str | Path, names: Sequence[str], words: Sequence[str], column: str
) -> npt.NDArray[np.float64]:
    """Equation 1 for these names and words (names x words), both in their order.

    column: one of COLUMNS. Raises InputError naming the file and a sentence that it lacks.
    """
    parts = []
    with opened_table(path, LIKELIHOODS) as file:
        for batch in file.iter_batches(columns=["name", "word", column]):
            wanted = pc.and_(
                pc.is_in(batch.column("name").cast(pa.string()), pa.array(list(names), pa.string())),
                pc.is_in(batch.column("word").cast(pa.string()), pa.array(list(words), pa.string())),
            )
            kept = batch.filter(wanted)
            parts.append(pd.DataFrame({key: kept.column(key).to_pylist() for key in batch.schema.names}))
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["name", "word", column])
    table = rows.set_index(["name", "word"])[column]
    places = pd.MultiIndex.from_product([names, words])
    found = table.reindex(places)
    if found.isna().any():
        name, word = places[int(np.argmax(found.isna().to_numpy()))]
        raise InputError(f"{path}: no likelihood of the region {name!r} with the word {word!r}")
    return found.to_numpy(dtype=float).reshape(len(names), len(words))


def unit_vectors(likelihoods: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Equation 2, v = f/||f||, of each row; a row of zeros stays one."""
    lengths = np.linalg.norm(likelihoods, axis=1, keepdims=True)
    return likelihoods / np.where(lengths > 0, lengths, 1)


def in_two_dimensions(
    vectors: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], tuple[float, float]]:
    """The first two principal components (rows x 2) and the shares of the variance that they hold.

    The sign of a component is such that its largest coordinate is positive.
    """
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    both = np.zeros((len(vectors), 2))
    points = (left * sizes)[:, :2]
    both[:, : points.shape[1]] = points
    signs = np.sign(both[np.abs(both).argmax(axis=0), [0, 1]])
    total = float((sizes**2).sum())
    shares = np.zeros(2)
    if total > 0:
        shares[: min(2, len(sizes))] = sizes[:2] ** 2 / total
    return both * np.where(signs == 0, 1, signs), (float(shares[0]), float(shares[1]))
