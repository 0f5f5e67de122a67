"""Tasks: what models are fine-tuned on and then predict, as readers put it together, and checks of it."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.terms import BIAS, DEV, FEMALE, MALE, SEARCH, SIMILARITY, TRAIN
from unmask.errors import InputError

MOST_LABELS = 1 << 15
"""More are taken for a mistake, such as a column of numbers that are no labels."""

READ_COLUMNS = [name for name in ITEMS.names if name not in ("item", "sampled")]

_TYPES: dict[str, Any] = {
    "part": "str",
    "text": "str",
    "second": "str",
    "label": "Float64",
    "gender": "str",
    "occupation": "str",
    "female_share": "Float64",
    "template": "Int32",
}


@dataclass(frozen=True)
class Task:
    """A task as its reader gives it."""

    examples: pd.DataFrame
    """As EXAMPLES."""
    items: pd.DataFrame
    """As ITEMS."""
    labels: tuple[str, ...] | None
    """The names of the labels by number; None for similarity."""
    remarks: tuple[str, ...] = ()
    """What a reader of the numbers should know: what was left out, and why."""
    truth: Mapping[str, Any] | None = None
    """Of a synthetic task, as the metadata of ITEMS has it."""


def examples_of(train: pd.DataFrame, dev: pd.DataFrame) -> pd.DataFrame:
    """Examples of both parts as EXAMPLES; a column that neither has is null."""
    rows = pd.concat([train.assign(part=TRAIN), dev.assign(part=DEV)], ignore_index=True)
    return _with_columns(rows, EXAMPLES.names)


def items_of(parts: Sequence[pd.DataFrame], sample: int | None, seed: int) -> pd.DataFrame:
    """Items as ITEMS, in the order of the parts, from rows that lack `item` and `sampled` and maybe more.

    sample: so many units of each part are marked `sampled` (None: all), drawn without replacement; a unit of
    the test is an item, and one of bias all items of a template and an occupation, so that pairs stay whole.
    """
    rows = pd.concat([_with_columns(part, READ_COLUMNS) for part in parts if len(part)], ignore_index=True)
    rows["sampled"] = True
    if sample is not None:
        for part in rows["part"].unique():
            places = np.flatnonzero((rows["part"] == part).to_numpy())
            units: npt.NDArray[Any] = np.arange(len(places))
            if part == BIAS:
                keys = rows.loc[places, ["template", "occupation"]]
                units = keys.groupby(["template", "occupation"], dropna=False, sort=False).ngroup().to_numpy()
            count = int(units.max()) + 1
            if count > sample:
                # Python's Mersenne Twister, so that every machine draws the same
                chosen = random.Random(f"sampled {part} {seed}").sample(range(count), sample)
                rows.loc[places, "sampled"] = np.isin(units, chosen)
    rows["item"] = np.arange(len(rows), dtype=np.int32)
    items: pd.DataFrame = rows[ITEMS.names]
    return items


def _with_columns(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The columns of these names with their types, null where the rows lack them."""
    types = {name: type_ for name, type_ in _TYPES.items() if name in names}
    absent: dict[str, Any] = {
        name: pd.array([None] * len(rows), dtype=_TYPES[name]) for name in names if name not in rows
    }
    return rows.assign(**absent)[list(names)].astype(types)


def female_shares(labels: Sequence[str], examples: pd.DataFrame) -> dict[str, float | None]:
    """For each label, the percentage of women among those examples that have it and tell of a gender.

    examples: with the columns label (numbers) and gender. None where there are none.
    """
    known = examples[examples["gender"].notna()]
    shares = known["gender"].eq(FEMALE).groupby(known["label"].astype(int)).mean() * 100
    return {name: float(shares[number]) if number in shares else None for number, name in enumerate(labels)}


def without_one_gender(items: pd.DataFrame, labels: Sequence[str]) -> list[str]:
    """A sentence for each occupation that has no test people of one gender or of both."""
    counts = items.groupby(["occupation", "gender"]).size()
    remarks = []
    for label in labels:
        missing = [gender for gender in (FEMALE, MALE) if (label, gender) not in counts.index]
        if missing:
            remarks.append(f"{label} has no {' and no '.join(missing)} people in the test, and so no gap")
    return remarks


def check_task(task: Task, kind: str, entry: Mapping[str, Any]) -> None:
    """Raise InputError naming what is wrong with a task, or with how it is to be learnt.

    entry: the settings of fine-tuning, completed. Refused are: no examples to train on, or to choose by in a
    search; no items; a search with a fixed number of steps; second sentences in some rows only; labels of
    examples that are none of the task's, scores that are not from 0 to 1; fewer than 2 labels or more than
    MOST_LABELS.
    """
    if (kind == SIMILARITY) != (task.labels is None):
        raise InputError(f"a task of the kind {kind} {'without' if task.labels is None else 'with'} labels")
    if not (task.examples["part"] == TRAIN).any():
        raise InputError(f"there are no examples of the part {TRAIN} to train on")
    if task.items.empty:
        raise InputError("there are no items to predict")
    if entry["how"] == SEARCH:
        if not (task.examples["part"] == DEV).any():
            raise InputError(f"there are no examples of the part {DEV} to choose settings by")
        if entry["steps"] is not None:
            raise InputError("fine_tuning.steps cannot be stated in a search, which chooses the epochs")
    _check_seconds(task)
    _check_labels(task)


def _check_seconds(task: Task) -> None:
    has = {}
    for what, frame in (("examples", task.examples), ("items", task.items)):
        present = frame["second"].notna().to_numpy()
        has[what] = bool(present.any())
        if has[what] and not present.all():
            raise InputError(
                f"row {int((~present).argmax())} of the {what} has no second sentence, others have"
            )
    if has["examples"] != has["items"]:
        alone = "items" if has["examples"] else "examples"
        raise InputError(f"the {alone} have no second sentences, as the others have")


def _check_labels(task: Task) -> None:
    labels = task.examples["label"].to_numpy(np.float64)
    if task.labels is None:
        valid = (labels >= 0) & (labels <= 1)
        expected = "a score from 0 to 1"
    else:
        number = len(task.labels)
        if not 2 <= number <= MOST_LABELS:
            raise InputError(f"{number} labels: there must be at least 2 and at most {MOST_LABELS}")
        valid = np.isin(labels, np.arange(number))
        expected = f"the number of one of the {number} labels"
    if not valid.all():
        row = int(valid.argmin())
        raise InputError(f"row {row} of the examples: the label {labels[row]:g} is not {expected}")
