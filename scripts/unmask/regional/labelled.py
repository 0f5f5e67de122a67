"""Labelled tables: texts, each with one of a classifier's labels."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.errors import InputError
from unmask.labels import fault_of_text
from unmask.user_files import published_text
from unmask.user_tables import Column, Table, choices_of, value_text

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Items:
    texts: tuple[str, ...]
    labels: npt.NDArray[np.int64]
    """Of each text, the number of its label among the classifier's."""


def read_labelled(path: str | Path, entry: Mapping[str, Any], labels: Sequence[str]) -> Items:
    """The texts of a table and their labels, in the order of the file.

    entry: `columns` {text, label} names its columns; `labels` says which values of the label's column mean
    which label of the classifier (label: [values]), each of its labels being found under its own name where
    nothing is said; rows with one of the values `leave_out` are passed over; and what
    `unmask.user_tables` knows. labels: the classifier's, in the order of its outputs.

    Raises InputError naming the file and the row where there is no text, or a label that is none of these;
    and naming the key where a label is none of the classifier's.
    """
    path = Path(path)
    named: Mapping[str, Sequence[Any]] = entry.get("labels") or {label: [label] for label in labels}
    numbers: dict[str, int | None] = {
        value: label_number(f"{path}: labels", label, labels)
        for value, label in choices_of(named, f"{path}: labels").items()
    }
    for value in entry.get("leave_out") or ():
        if numbers.setdefault(value_text(value), None) is not None:
            raise InputError(f"{path}: leave_out: the value {value!r} is under labels too")
    header = entry["columns"]
    table = Table(
        [
            # reviews of IMDB have control characters of Windows-1252
            Column("text", published_text, header=header["text"]),
            Column("label", required=True, choices=numbers, header=header["label"]),
        ]
    )
    items: list[tuple[str, int]] = []
    passed_over = 0
    for row in table.rows(path, entry):
        if row["label"] is None:
            passed_over += 1
        elif row["text"] is None:
            raise row.fault("text", "is empty")
        else:
            items.append((row["text"], row["label"]))
    if not items:
        raise InputError(f"{path}: no labelled texts in it")
    counts = Counter(labels[number] for _, number in items)
    summary = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    logger.info("%s: %d texts (%s), %d passed over", path, len(items), summary, passed_over)
    texts, of_texts = zip(*items, strict=True)
    if odd := sum(fault_of_text(text) is not None for text in texts):
        logger.warning("%s: %d texts have control characters and are read as they are", path, odd)
    return Items(texts, np.array(of_texts))


def label_number(where: str, label: str, labels: Sequence[str]) -> int:
    """A label's number among the classifier's. Raises InputError beginning with `where` if it is none."""
    if label not in labels:
        raise InputError(f"{where}: {label!r} is no label of the classifier (it has {', '.join(labels)})")
    return labels.index(label)
