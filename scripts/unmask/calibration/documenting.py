"""The numbers of a page of documentation, out of the tables of studies.

    python -m unmask.calibration.documenting results/calibration results/…

copies small tables to docs/calibration/ as CSV, each from the first of these studies that has it, and fills
what stands between the markers of docs/calibration.md from them:

    <!-- table NAME -->                        a table: a name of TABLES
    <!-- end NAME -->
    <!-- number TABLE; COLUMN; KEY=VALUE; … -->0.5<!-- end number -->
                                               the number in COLUMN of the one row with these values

A value may be empty (`condition=`). What no table has is said to be absent, so that a page without numbers
can be seen to be one.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from unmask.calibration.tables import CUT_FROM, ON_PAGES, of_measures_for, without_architectures
from unmask.errors import InputError
from unmask.files import write_text
from unmask.models.detecting import CAUSAL_LM
from unmask.report.rendering import markdown
from unmask.report.sheets import Sheet

ROOT = Path(__file__).resolve().parents[3]
PAGE, FOLDER = ROOT / "docs" / "calibration.md", ROOT / "docs" / "calibration"

TABLES = tuple(name for name in ON_PAGES if name != "lengths")
"""The tables of the page."""

ABSENT = "*This table's study has not been run yet.*"
UNKNOWN = "?"

_TABLE = re.compile(r"<!-- table (\w+) -->\n.*?<!-- end \1 -->", re.DOTALL)
_NUMBER = re.compile(r"<!-- number (.+?) -->.*?<!-- end number -->", re.DOTALL)


def documented(page: str, folder: Path) -> str:
    """The text of a page with what stands between its markers made anew from the CSV files of a folder.

    Raises InputError where a marker names no table, no column, or not one row.
    """
    page = _TABLE.sub(
        lambda match: f"<!-- table {match[1]} -->\n{_table(match[1], folder)}\n<!-- end {match[1]} -->", page
    )
    return _NUMBER.sub(
        lambda match: f"<!-- number {match[1]} -->{_number(match[1], folder)}<!-- end number -->", page
    )


def copy_tables(studies: Sequence[Path], folder: Path) -> None:
    """Copy the tables that the page is made of, each from the first study that has rows of it, and remove
    those that none has.

    studies: folders of results. Raises InputError where one of them has no tables of calibration.
    """
    for study in studies:
        if not any(_of_study(study, name).is_file() for name in TABLES):
            raise InputError(f"{study}: no tables of calibration; run the study first")
    folder.mkdir(exist_ok=True)
    for name in TABLES:
        paths = [path for study in studies if _has_rows(path := _of_study(study, name), name)]
        if paths and name in CUT_FROM:
            rows = of_measures_for(CAUSAL_LM, pd.read_csv(paths[0], dtype=str, keep_default_na=False))
            rows.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
        elif paths:
            shutil.copyfile(paths[0], folder / f"{name}.csv")
        else:
            (folder / f"{name}.csv").unlink(missing_ok=True)


def _of_study(study: Path, name: str) -> Path:
    return study / "tables" / f"calibration_{CUT_FROM.get(name, name)}.csv"


def _has_rows(path: Path, name: str) -> bool:
    """Whether a file is there and has rows for this table."""
    if not path.is_file() or len(path.read_text(encoding="utf-8").splitlines()) < 2:
        return False
    return name not in CUT_FROM or len(of_measures_for(CAUSAL_LM, pd.read_csv(path))) > 0


def _rows(name: str, folder: Path) -> pd.DataFrame | None:
    """The rows of a table, none where there is no file."""
    if name not in TABLES:
        raise InputError(f"docs/calibration.md: {name!r} is no table of it (they are {', '.join(TABLES)})")
    path = folder / f"{name}.csv"
    if not path.is_file():
        return None
    rows = pd.read_csv(path)
    if "condition" in rows:
        # no condition is an empty text, which a CSV file does not tell from nothing
        rows["condition"] = rows["condition"].fillna("")
    return rows


def _sheet(name: str, rows: pd.DataFrame) -> Sheet:
    """What fits the page of the rows of a table."""
    return ON_PAGES[name].sheet(without_architectures(rows) if "kind" in rows else rows)


def _table(name: str, folder: Path) -> str:
    rows = _rows(name, folder)
    return f"\n{ABSENT if rows is None else markdown(_sheet(name, rows)).strip()}\n"


def _number(asked: str, folder: Path) -> str:
    """The number that a marker asks for, as it is read: three digits."""
    name, column, *keys = (part.strip() for part in asked.split(";"))
    rows = _rows(name, folder)
    if rows is None:
        return UNKNOWN
    for key in keys:
        of, _, value = key.partition("=")
        if of not in rows:
            raise InputError(f"docs/calibration.md: the table {name} has no column {of!r}")
        rows = rows[rows[of].map(lambda cell: "" if pd.isna(cell) else f"{cell}") == value]
    if column not in rows:
        raise InputError(f"docs/calibration.md: the table {name} has no column {column!r}")
    if len(rows) != 1:
        raise InputError(f"docs/calibration.md: {asked!r} is {len(rows)} rows, not one")
    return f"{float(rows[column].iloc[0]):.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Fill docs/calibration.md with the numbers of studies.")
    parser.add_argument("studies", metavar="results/STUDY", type=Path, nargs="+")
    arguments = parser.parse_args()
    try:
        copy_tables(arguments.studies, FOLDER)
        write_text(PAGE, documented(PAGE.read_text(encoding="utf-8"), FOLDER))
    except InputError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
