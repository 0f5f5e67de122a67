"""Putting together the items that fine-tuned models predict, and the examples that they are fine-tuned on."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.terms import BIAS, DEV, FEMALE, MALE, TRAIN

OF_ITEMS = [name for name in ITEMS.names if name not in ("item", "sampled")]


def examples_of(train: pd.DataFrame, dev: pd.DataFrame) -> pd.DataFrame:
    """Examples of both parts as EXAMPLES; a column that neither has is null."""
    rows = pd.concat([train.assign(part=TRAIN), dev.assign(part=DEV)], ignore_index=True)
    return _with_columns(rows, EXAMPLES.names)


def items_of(parts: Sequence[pd.DataFrame], sample: int | None, seed: int) -> pd.DataFrame:
    """Items as ITEMS, in the order given, from rows that lack `item` and `sampled` and maybe more.

    sample: so many units of each part are marked `sampled` (None: all), drawn without replacement; a unit of
    the test is an item, and one of bias all items of a template and an occupation, so that pairs stay whole.
    """
    rows = pd.concat([_with_columns(part, OF_ITEMS) for part in parts if len(part)], ignore_index=True)
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
                drawn = random.Random(f"sampled {part} {seed}").sample(range(count), sample)
                rows.loc[places, "sampled"] = np.isin(units, drawn)
    rows["item"] = np.arange(len(rows), dtype=np.int32)
    told: pd.DataFrame = rows[ITEMS.names]
    return told


def _with_columns(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    absent: dict[str, Any] = {name: _null(name, len(rows)) for name in names if name not in rows}
    told: pd.DataFrame = rows.assign(**absent)[list(names)].astype(
        {name: type_ for name, type_ in _TYPES.items() if name in names}
    )
    return told


def _null(name: str, rows: int) -> Any:
    return pd.array([None] * rows, dtype=_TYPES[name])


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
    told = []
    for label in labels:
        missing = [gender for gender in (FEMALE, MALE) if (label, gender) not in counts.index]
        if missing:
            told.append(f"{label} has no {' and no '.join(missing)} people in the test, and so no gap")
    return told
