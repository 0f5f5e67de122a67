"""A task: what models are fine-tuned on and then predict."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.terms import BIAS, DEV, FEMALE, TRAIN

WORDS = ("part", "text", "second", "gender", "occupation")
"""Columns of text."""


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
    columns = [name for name in ITEMS.names if name not in ("item", "sampled")]
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
    """The columns of these names, null where the rows lack them."""
    types = dict.fromkeys(WORDS, "str") | {"label": "float", "female_share": "float", "ideal": "object"}
    rows = rows.reindex(columns=list(names))
    return rows.astype({name: type_ for name, type_ in types.items() if name in names})


def female_shares(labels: Sequence[str], examples: pd.DataFrame) -> dict[str, float | None]:
    """For each label, the percentage of women among those examples that have it and state a gender; None
    where there are none. examples: with the columns label (numbers) and gender."""
    known = examples[examples["gender"].notna()]
    shares = known["gender"].eq(FEMALE).groupby(known["label"].astype(int)).mean() * 100
    return {name: float(shares[number]) if number in shares else None for number, name in enumerate(labels)}
