"""Labelled tables: texts, each with one of a classifier's labels."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError
from unmask.user_files import fault_of_text, published_text
from unmask.user_tables import Column, Table, choices_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Items:
    texts: tuple[str, ...]
    labels: npt.NDArray[np.int64]
    """Of each text, the number of its label among the classifier's."""


def read_labelled(path: str | Path, entry: Mapping[str, Any], labels: Sequence[str]) -> Items:
    """The texts of a table and their labels, in the order of the file.

    entry: `columns` {text, label} names its columns; `labels` says which values of the label's column mean
    which label of the classifier (label: [values]), by default each under its own name; and what
    `unmask.user_tables` knows. labels: the classifier's, in the order of its outputs.

    Raises InputError naming the file and the row where there is no text, or a label that is none of these;
    and naming the key where a label is none of the classifier's.
    """
    where = f"{path}: labels"
    named: Mapping[str, Sequence[Any]] = entry.get("labels") or {label: [label] for label in labels}
    choices = {value: label_number(where, of, labels) for value, of in choices_of(named, where).items()}
    header = entry["columns"]
    table = Table(
        [
            # reviews of IMDB have control characters of Windows-1252
            Column("text", published_text, required=True, header=header["text"]),
            Column("label", required=True, choices=choices, header=header["label"]),
        ]
    )
    rows = list(table.rows(path, entry))
    texts = tuple(row["text"] for row in rows)
    logger.info("%s: %d texts", path, len(texts))
    if odd := sum(fault_of_text(text) is not None for text in texts):
        logger.warning("%s: %d texts have control characters and are read as they are", path, odd)
    return Items(texts, np.array([row["label"] for row in rows]))


def label_number(where: str, label: str, labels: Sequence[str]) -> int:
    """A label's number among the classifier's. Raises InputError beginning with `where` if it is none."""
    if label not in labels:
        raise InputError(f"{where}: {label!r} is no label of the classifier (it has {', '.join(labels)})")
    return labels.index(label)
