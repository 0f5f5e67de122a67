"""BiasBios (De-Arteaga et al. 2019): which of 28 occupations does a biography speak of?

Read from the Parquet files of LabHC/bias_in_bios: hard_text (the biography without its first sentence),
profession (0 to 27) and gender (0 male, 1 female).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.columns import read_part
from unmask.downstream.task import Task, examples_of, female_shares, items_of, without_one_gender
from unmask.downstream.terms import DEV, FEMALE, MALE, OCCUPATIONS, TEST, TRAIN
from unmask.errors import InputError
from unmask.user_files import published_text
from unmask.user_tables import Column

LABELS = (
    "accountant", "architect", "attorney", "chiropractor", "comedian", "composer", "dentist", "dietitian",
    "dj", "filmmaker", "interior_designer", "journalist", "model", "nurse", "painter", "paralegal", "pastor",
    "personal_trainer", "photographer", "physician", "poet", "professor", "psychologist", "rapper",
    "software_engineer", "surgeon", "teacher", "yoga_teacher",
)  # fmt: skip


def kind(entry: Mapping[str, Any]) -> str:
    return OCCUPATIONS


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """The task. files: train, dev and test. entry: sample and seed.

    Raises InputError naming the file, and the column or the row, of what does not fit, and where nurses are
    mostly men, since the genders' numbers are then the other way round.
    """
    remarks: list[str] = []
    parts = {part: _part(files[part], part, remarks) for part in (TRAIN, DEV, TEST)}
    nurses = parts[TRAIN].loc[parts[TRAIN]["label"] == LABELS.index("nurse"), "gender"]
    if nurses.eq(MALE).mean() > 0.5:
        raise InputError(f"{files[TRAIN][0]}: most nurses are men in it: are 0 and 1 of gender swapped?")
    test = parts[TEST].assign(part=TEST)
    names = dict(enumerate(LABELS))
    test["occupation"] = test["label"].map(names)
    test["female_share"] = test["occupation"].map(female_shares(LABELS, parts[TRAIN]))
    present = [name for name in LABELS if (test["occupation"] == name).any()]
    if absent := [name for name in LABELS if name not in present]:
        remarks.append(f"nobody in the test is {', '.join(absent)}")
    remarks += without_one_gender(test, present)
    items = items_of([test], entry["sample"], entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, LABELS, tuple(remarks))


_COLUMNS = (
    Column("text", published_text, header="hard_text"),
    Column("label", int, required=True, header="profession", least=0, most=len(LABELS) - 1),
    Column("gender", required=True, choices={"0": MALE, "1": FEMALE}),
)


def _part(paths: Sequence[Path], part: str, remarks: list[str]) -> pd.DataFrame:
    return read_part(paths, _COLUMNS, part, remarks).astype({"label": float})
