"""A task: what models are fine-tuned on and then predict."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.terms import BIAS, DEV, FEMALE, TRAIN

_TYPES: dict[str, Any] = {
    **dict.fromkeys(("part", "text", "second", "gender", "occupation"), "str"),
    **dict.fromkeys(("label", "female_share"), "Float64"),
    "template": "Int32",
    "ideal": "object",
}


@dataclass(frozen=True)
class Task:
    """examples: as EXAMPLES. items: as ITEMS. labels: their names by number; None for similarity. remarks:
    what a reader of the numbers should know, such as what was left out, and why."""

    examples: pd.DataFrame
    items: pd.DataFrame
    labels: tuple[str, ...] | None
    remarks: tuple[str, ...] = ()


def examples_of(train: pd.DataFrame, dev: pd.DataFrame) -> pd.DataFrame:
    """Examples of both parts as EXAMPLES; a column that neither has is null."""
    rows = pd.concat([train.assign(part=TRAIN), dev.assign(part=DEV)], ignore_index=True)
    return _with_columns(rows, EXAMPLES.names)


def items_of(parts: Sequence[pd.DataFrame], sample: int | None, seed: int) -> pd.DataFrame:
    """Items as ITEMS, in the order of the parts, from rows that lack `item` and `sampled` and maybe more.

    sample: so many units of each part are marked `sampled` (None: all), drawn without replacement; a unit of
    the test is an item, and one of bias all items of a template and an occupation, so that pairs stay whole.
    """
    columns = [name for name in ITEMS.names if name in _TYPES]
    rows = pd.concat([_with_columns(part, columns) for part in parts if len(part)], ignore_index=True)
    rows["sampled"] = True
    for part in rows["part"].unique() if sample is not None else ():
        places = np.flatnonzero((rows["part"] == part).to_numpy())
        units: npt.NDArray[Any] = np.arange(len(places))
        if part == BIAS:
            keys = rows.loc[places, ["template", "occupation"]]
            units = keys.groupby(["template", "occupation"], dropna=False, sort=False).ngroup().to_numpy()
        if sample is not None and (count := int(units.max()) + 1) > sample:
            # Python's Mersenne Twister, so that every machine draws the same
            chosen = random.Random(f"sampled {part} {seed}").sample(range(count), sample)
            rows.loc[places, "sampled"] = np.isin(units, chosen)
    rows["item"] = np.arange(len(rows), dtype=np.int32)
    items: pd.DataFrame = rows[ITEMS.names]
    return items


def _with_columns(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The columns of these names with their types, null where the rows lack them."""
    absent: Mapping[str, Any] = {
        name: pd.array([None] * len(rows), dtype=_TYPES[name]) for name in names if name not in rows
    }
    return rows.assign(**absent)[list(names)].astype({name: _TYPES[name] for name in names})


def female_shares(labels: Sequence[str], examples: pd.DataFrame) -> dict[str, float | None]:
    """For each label, the percentage of women among those examples that have it and state a gender; None
    where there are none. examples: with the columns label (numbers) and gender."""
    known = examples[examples["gender"].notna()]
    shares = known["gender"].eq(FEMALE).groupby(known["label"].astype(int)).mean() * 100
    return {name: float(shares[number]) if number in shares else None for number, name in enumerate(labels)}
