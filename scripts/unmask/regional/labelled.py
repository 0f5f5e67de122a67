"""Labelled tables: texts, each with one of a classifier's labels."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.benchmarks.cells import cell, check_text, labels_by_value, value_text
from unmask.benchmarks.rows import read_rows
from unmask.errors import InputError

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
    `unmask.benchmarks.rows` knows. labels: the classifier's, in the order of its outputs.

    Raises InputError naming the file and the row where there is no text, or a label that is none of these;
    and naming the key where a label is none of the classifier's.
    """
    path = Path(path)
    number_of = _numbers(path, entry, labels)
    left_out = {value_text(value) for value in entry.get("leave_out") or ()}
    text_column, label_column = entry["columns"]["text"], entry["columns"]["label"]
    texts: list[str] = []
    numbers: list[int] = []
    passed_over = 0
    for place, fields in read_rows(path, entry):
        where = f"{path}: {place}"
        text = cell(fields, text_column, where, "text")
        value = cell(fields, label_column, where, "label")
        if value_text(value) in left_out:
            passed_over += 1
            continue
        if value_text(value) not in number_of:
            raise InputError(f"{where}: label {value!r} is none of those known ({', '.join(number_of)})")
        texts.append(check_text(text, where, text_column))
        numbers.append(number_of[value_text(value)])
    if not texts:
        raise InputError(f"{path}: no labelled texts in it")
    counts = Counter(labels[number] for number in numbers)
    told = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    logger.info("%s: %d texts (%s), %d passed over", path, len(texts), told, passed_over)
    return Items(tuple(texts), np.array(numbers))


def _numbers(path: Path, entry: Mapping[str, Any], labels: Sequence[str]) -> dict[str, int]:
    """The number of the label that each value stands for."""
    named: Mapping[str, Sequence[Any]] = entry.get("labels") or {label: [label] for label in labels}
    numbers = {label: label_number(f"{path}: labels", label, labels) for label in named}
    label_of = labels_by_value(named, f"{path}: labels")
    for value in entry.get("leave_out") or ():
        if value_text(value) in label_of:
            raise InputError(f"{path}: leave_out: the value {value!r} is under labels too")
    return {value: numbers[label] for value, label in label_of.items()}


def label_number(where: str, label: str, labels: Sequence[str]) -> int:
    """A label's number among the classifier's. Raises InputError beginning with `where` if it is none."""
    if label not in labels:
        raise InputError(f"{where}: {label!r} is no label of the classifier (it has {', '.join(labels)})")
    return labels.index(label)
