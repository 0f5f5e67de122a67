"""Items of small tasks, and predictions of made-up models whose bias is known."""

from collections.abc import Sequence
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
    rows: list[dict[str, object]] = []
    chance: list[float] = []
    counts = [(each, each)] * len(gaps) if isinstance(each, int) else list(each)
    for label, (gap, (women, men)) in enumerate(zip(gaps, counts, strict=True)):
        for gender, count, sign in (("female", women, 1), ("male", men, -1)):
            for _ in range(count):
                rows.append(
                    {
                        "item": len(rows),
                        "part": TEST,
                        "text": f"text {len(rows)}",
                        "label": float(label),
                        "gender": gender,
                        "occupation": f"occupation {label:02}",
                        "female_share": 5.0 + 90 * label / max(1, len(gaps) - 1),
                        "sampled": True,
                    }
                )
                chance.append(0.6 + sign * gap / 2)
    labels = np.array([row["label"] for row in rows]).astype(int)
    right = rng.random((runs, len(rows))) < chance
    predicted = np.where(right, labels, (labels + 1) % len(gaps))
    logits = rng.normal(0, 0.1, (runs, len(rows), len(gaps)))
    np.put_along_axis(logits, predicted[:, :, None], 5.0, axis=2)
    return framed(rows, ITEMS).assign(ideal=None), logits


def cells(templates: int, occupations: int, tests: int = 30, each: int = 1) -> pd.DataFrame:
    """Items of every template and occupation, `each` a gender, and of `tests` tests."""
    rows: list[dict[str, object]] = []
    for template in range(templates):
        for occupation in range(occupations):
            for gender in ("female", "male"):
                for _ in range(each):
                    rows.append(
                        {
                            "part": BIAS,
                            "gender": gender,
                            "occupation": f"occupation {occupation:02}",
                            "female_share": 5.0 + 90 * occupation / max(1, occupations - 1),
                            "template": template,
                        }
                    )
    rows += [{"part": TEST, "label": float(place % 3)} for place in range(tests)]
    common = {"second": "b", "sampled": True}
    items = [{"item": place, "text": f"a {place}", **common, **row} for place, row in enumerate(rows)]
    return framed(items, ITEMS).assign(ideal=None)


def runs_of(logits: Logits, first: int = 0) -> Runs:
    """Runs, of the seeds from `first` on, that predict all items at one step."""
    facts = [{"seed": first + place} for place in range(len(logits))]
    return Runs(facts, {1: (np.arange(logits.shape[1]), logits)})


def write_items(path: Path, items: pd.DataFrame, kind: str, **facts: Any) -> None:
    about: dict[str, Any] = {
        "task": "made",
        "kind": kind,
        "labels": None,
        "source": "made",
        "remarks": [],
        "truth": None,
    }
    if kind == ENTAILMENT:
        about["labels"] = list(ENTAILMENT_LABELS)
    if kind == OCCUPATIONS:
        about["labels"] = sorted(items["occupation"].dropna().unique())
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
