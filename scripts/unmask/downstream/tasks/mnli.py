"""MNLI (Williams et al. 2018): does a sentence follow from another? With the bias items of Dev et al. 2020.

Read from the Parquet files of GLUE: premise, hypothesis, label (0 entailment, 1 neutral, 2 contradiction).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.columns import read_part
from unmask.downstream.frames import PUBLISHED, entailment_items, read_archive, read_frames
from unmask.downstream.task import Task, examples_of, items_of
from unmask.downstream.templates import read_occupations
from unmask.downstream.terms import DEV, ENTAILMENT, ENTAILMENT_LABELS, TEST, TRAIN
from unmask.user_files import published_text
from unmask.user_tables import Column


def kind(entry: Mapping[str, Any]) -> str:
    return ENTAILMENT


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """The task. files: train, dev, test, and lists (the archive of the authors) or frames and occupations.

    entry: people (their words by gender), sample, seed. Raises InputError naming the file, and the column or
    the row, of what does not fit.
    """
    remarks: list[str] = []
    parts = {part: _part(files[part], part, remarks) for part in (TRAIN, DEV, TEST)}
    if "lists" in files:
        frames, occupations = read_archive(files["lists"][0])
        if (counts := (len(frames), len(occupations))) != PUBLISHED:
            remarks.append(
                f"the lists give {counts[0]} frames and {counts[1]} occupations, not the {PUBLISHED[0]} and "
                f"{PUBLISHED[1]} of the paper's"
            )
    else:
        frames = read_frames(files["frames"][0])
        occupations = read_occupations(files["occupations"][0])
    bias = entailment_items(frames, occupations, entry["people"])
    items = items_of([parts[TEST].assign(part=TEST), bias], entry["sample"], entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, ENTAILMENT_LABELS, tuple(remarks))


_COLUMNS = (
    Column("text", published_text, header="premise"),
    Column("second", published_text, header="hypothesis"),
    Column("label", int, required=True, least=0, most=len(ENTAILMENT_LABELS) - 1),
)


def _part(paths: Sequence[Path], part: str, remarks: list[str]) -> pd.DataFrame:
    return read_part(paths, _COLUMNS, part, remarks).astype({"label": float})
