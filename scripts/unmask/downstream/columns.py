"""Parts of a task in Parquet files, as data sets are published."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from unmask.errors import InputError
from unmask.labels import fault_of_text
from unmask.user_files import faults_of
from unmask.user_tables import Column, Table

PARQUET = {"type": "parquet"}


def read_part(
    paths: Sequence[Path], columns: Sequence[Column], part: str, remarks: list[str]
) -> pd.DataFrame:
    """The rows of one or several files that have a text, as `with_text` says.

    Raises InputError naming the file, and the column or the row of what does not fit.
    """
    table = Table(columns)
    return with_text(table.frame(row for path in paths for row in table.rows(path, PARQUET)), part, remarks)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, whatever its name. Raises InputError where it cannot be read."""
    with faults_of(path), path.open("rb") as file:
        return file.read(4) == b"PAR1"


def with_text(rows: pd.DataFrame, part: str, remarks: list[str]) -> pd.DataFrame:
    """The rows that have a text (and, where there are two, both); says in `remarks` how many have none, and
    how many have control characters in it.

    Raises InputError where none has.
    """
    texts = rows[[column for column in ("text", "second") if column in rows]]
    empty = texts.isna().any(axis=1)
    if empty.any():
        remarks.append(f"{int(empty.sum())} rows of {part} have no text and are left out")
    if empty.all():
        raise InputError(f"{part}: no row has a text")
    if odd := int(texts[~empty].map(fault_of_text).notna().any(axis=1).sum()):
        what = "have control characters or U+FFFD in a text, and are read as they are"
        remarks.append(f"{odd} rows of {part} {what}")
    return rows[~empty].reset_index(drop=True)
