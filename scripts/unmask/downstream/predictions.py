"""Writing predictions of a fine-tuned model: an array for each checkpoint, then one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unmask.atomic import written_whole
from unmask.downstream.schema import PREDICTIONS
from unmask.tables import ROW_GROUP, write_batches


@dataclass(frozen=True)
class Checkpoint:
    """What is predicted after so many steps."""

    step: int
    items: npt.NDArray[np.int64]
    logits: Path
    """A file of NumPy: items × labels, in single precision."""


def keep(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array as a file of NumPy, whole or not at all."""
    with written_whole(path) as partial, open(partial, "wb") as file:
        np.save(file, array)


def write_predictions(
    path: str | Path, checkpoints: Sequence[Checkpoint], metadata: Mapping[str, Any]
) -> None:
    """Write the table PREDICTIONS of all checkpoints, in their order, whole or not at all."""
    write_batches(path, _batches(checkpoints), PREDICTIONS, metadata)


def _batches(checkpoints: Sequence[Checkpoint]) -> Iterator[pa.Table]:
    for checkpoint in checkpoints:
        logits = np.load(checkpoint.logits, mmap_mode="r", allow_pickle=False)
        for start in range(0, len(logits), ROW_GROUP):
            part = np.ascontiguousarray(logits[start : start + ROW_GROUP])
            rows, width = part.shape
            offsets = np.arange(0, rows * width + 1, width, dtype=np.int32)
            columns = [
                np.full(rows, checkpoint.step, dtype=np.int32),
                checkpoint.items[start : start + ROW_GROUP].astype(np.int32),
                pa.ListArray.from_arrays(offsets, part.reshape(-1)),
            ]
            yield pa.table(columns, schema=PREDICTIONS)
