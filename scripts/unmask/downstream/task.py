"""A task: what models are fine-tuned on and then predict."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.terms import BIAS, DEV, FEMALE, TRAIN
from unmask.tables import framed


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
    return framed(pd.concat([train.assign(part=TRAIN), dev.assign(part=DEV)], ignore_index=True), EXAMPLES)


def items_of(parts: Sequence[pd.DataFrame], sample: int | None, seed: int) -> pd.DataFrame:
    """Items as ITEMS, in the order of the parts, from rows that lack `item` and `sampled` and maybe more.

    sample: so many units of each part are marked `sampled` (None: all). A unit of the test is an item, and
    one of bias all items of a template and an occupation, so that pairs stay whole.
    """
    rows = pd.concat([framed(part, ITEMS) for part in parts if len(part)], ignore_index=True)
    rows = rows.astype({"label": "float", "female_share": "float"})
    rows = rows.assign(item=np.arange(len(rows), dtype=np.int32), sampled=True, ideal=None)
    for part, of_part in rows.groupby("part", sort=False):
        keys = ["template", "occupation"] if part == BIAS else ["item"]
        units = of_part.groupby(keys, dropna=False, sort=False).ngroup()
        if sample is not None and (count := int(units.max()) + 1) > sample:
            # Python's Mersenne Twister, so that every machine draws the same
            chosen = random.Random(f"sampled {part} {seed}").sample(range(count), sample)
            rows.loc[units.index, "sampled"] = units.isin(chosen)
    return rows


def female_shares(labels: Sequence[str], examples: pd.DataFrame) -> dict[str, float | None]:
    """For each label, the percentage of women among those examples that have it and state a gender; None
    where there are none. examples: with the columns label (numbers) and gender."""
    known = examples[examples["gender"].notna()]
    shares = known["gender"].eq(FEMALE).groupby(known["label"].astype(int)).mean() * 100
    return {name: float(shares[number]) if number in shares else None for number, name in enumerate(labels)}
