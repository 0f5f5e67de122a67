"""Labelled tables: texts, each with one of a classifier's labels."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unmask.benchmarks.rows import read_rows
from unmask.errors import InputError
from unmask.strict import HALF

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
    left_out = {_shown(value) for value in entry.get("leave_out") or ()}
    text_column, label_column = entry["columns"]["text"], entry["columns"]["label"]
    texts: list[str] = []
    numbers: list[int] = []
    passed_over = 0
    for place, fields in read_rows(path, entry):
        for key, column in (("text", text_column), ("label", label_column)):
            if column not in fields:
                known = ", ".join(str(field) for field in fields)
                raise InputError(f"{path}: {place}: no column {column!r} for {key} (columns: {known})")
        value, text = fields[label_column], fields[text_column]
        if _shown(value) in left_out:
            passed_over += 1
            continue
        if _shown(value) not in number_of:
            raise InputError(
                f"{path}: {place}: label {value!r} is none of those known ({', '.join(number_of)})"
            )
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{path}: {place}: no text in column {text_column!r}")
        if HALF.search(text):
            raise InputError(f"{path}: {place}: column {text_column!r} has half of a character in it")
        texts.append(text)
        numbers.append(number_of[_shown(value)])
    if not texts:
        raise InputError(f"{path}: no labelled texts in it")
    counts = Counter(labels[number] for number in numbers)
    told = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    logger.info("%s: %d texts (%s), %d passed over", path, len(texts), told, passed_over)
    return Items(tuple(texts), np.array(numbers))


def _numbers(path: Path, entry: Mapping[str, Any], labels: Sequence[str]) -> dict[str, int]:
    """The number of the label that each value stands for."""
    named: Mapping[str, Sequence[Any]] = entry.get("labels") or {label: [label] for label in labels}
    numbers: dict[str, int] = {}
    for label, values in named.items():
        number = label_number(f"{path}: labels", label, labels)
        for value in values:
            if numbers.setdefault(_shown(value), number) != number:
                raise InputError(f"{path}: labels: the value {value!r} is under two labels")
    for value in entry.get("leave_out") or ():
        if _shown(value) in numbers:
            raise InputError(f"{path}: leave_out: the value {value!r} is under labels too")
    return numbers


def label_number(where: str, label: str, labels: Sequence[str]) -> int:
    """A label's number among the classifier's. Raises InputError beginning with `where` if it is none."""
    if label not in labels:
        raise InputError(f"{where}: {label!r} is no label of the classifier (it has {', '.join(labels)})")
    return labels.index(label)


def _shown(value: object) -> str:
    """A value of the label's column as text: 1, true and "1" are written in many ways."""
    return str(value).lower() if isinstance(value, bool) else str(value)
