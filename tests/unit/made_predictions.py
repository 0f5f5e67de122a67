"""Items of small tasks, and predictions of made-up models whose bias is known."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from library import DOWNSTREAM_BIAS as BIAS
from library import (
    ENTAILMENT,
    ENTAILMENT_LABELS,
    ITEMS,
    OCCUPATIONS,
    PREDICTIONS,
    TEST,
    Runs,
    framed,
    write_table,
)

Logits = npt.NDArray[np.float64]


def people(
    gaps: Sequence[float], each: int | Sequence[tuple[int, int]], rng: np.random.Generator, runs: int = 1
) -> tuple[pd.DataFrame, Logits]:
    """Test people of occupations whose women are predicted right by so much more often than their men,
    around .6.

    each: women and men of an occupation, one number or a pair an occupation. Logits of shape (runs, people,
    occupations).
    """
    counts = [(each, each)] * len(gaps) if isinstance(each, int) else list(each)
    rows = [
        (label, gender, 0.6 + sign * gap / 2)
        for label, (gap, (women, men)) in enumerate(zip(gaps, counts, strict=True))
        for gender, count, sign in (("female", women, 1), ("male", men, -1))
        for _ in range(count)
    ]
    items = pd.DataFrame(rows, columns=["label", "gender", "chance"])
    labels, chance = items["label"].to_numpy(), items.pop("chance").to_numpy()
    items = items.assign(
        part=TEST,
        occupation=items["label"].map("occupation {:02}".format),
        female_share=5.0 + 90 * items["label"] / max(1, len(gaps) - 1),
        label=items["label"].astype(float),
    )
    right = rng.random((runs, len(items))) < chance
    logits = rng.normal(0, 0.1, (runs, len(items), len(gaps)))
    predicted = np.where(right, labels, (labels + 1) % len(gaps))
    np.put_along_axis(logits, predicted[:, :, None], 5.0, axis=2)
    return _items(items), logits


def cells(templates: int, occupations: int, tests: int = 30, each: int = 1) -> pd.DataFrame:
    """Items of every template and occupation, `each` a gender, and of `tests` tests."""
    every = product(range(templates), range(occupations), ("female", "male"), range(each))
    bias = pd.DataFrame(every, columns=["template", "number", "gender", "_"]).assign(part=BIAS)
    bias["occupation"] = bias["number"].map("occupation {:02}".format)
    bias["female_share"] = 5.0 + 90 * bias["number"] / max(1, occupations - 1)
    tested = pd.DataFrame({"label": [float(place % 3) for place in range(tests)]}).assign(part=TEST)
    return _items(pd.concat([bias, tested], ignore_index=True).assign(second="b"))


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    texts = rows.index.map("text {}".format)
    return framed(rows.assign(item=rows.index, text=texts, sampled=True), ITEMS).assign(ideal=None)


def runs_of(logits: Logits, first: int = 0) -> Runs:
    """Runs, of the seeds from `first` on, that predict all items at one step."""
    facts = [{"seed": first + place} for place in range(len(logits))]
    return Runs(facts, {1: (np.arange(logits.shape[1]), logits)})


def write_items(path: Path, items: pd.DataFrame, kind: str, **facts: Any) -> None:
    labels = {ENTAILMENT: list(ENTAILMENT_LABELS), OCCUPATIONS: sorted(items["occupation"].dropna().unique())}
    about = {"task": "made", "kind": kind, "labels": labels.get(kind), "source": "made", "remarks": []}
    write_table(path, items, ITEMS, {**about, **facts})


def write_run(path: Path, steps: dict[int, Logits], model: str, seed: int, kind: str, **facts: Any) -> None:
    """PREDICTIONS of all items at every step."""
    tables = [
        pa.table(
            {
                "step": pa.array(np.full(len(logits), step, np.int32)),
                "item": pa.array(np.arange(len(logits), dtype=np.int32)),
                "logits": pa.array([row.tolist() for row in logits], pa.list_(pa.float32())),
            }
        )
        for step, logits in steps.items()
    ]
    about: dict[str, Any] = {"model": model, "task": "made", "kind": kind, "labels": None, "seed": seed}
    about |= {"fine_tuning": {"how": "fixed"}, "steps": max(steps), "history": [], "tried": None}
    write_table(path, pa.concat_tables(tables), PREDICTIONS, {**about, "device": "cpu", **facts})
