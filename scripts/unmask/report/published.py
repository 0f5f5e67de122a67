"""Values that others have published, to show beside ours: resources/{family}/published.csv.

A file has a row for each value: source and table, columns of its family, value, doubtful and why. Lines
before its header that begin with # say where values were read. Families merge the rows with theirs by keys.
"""

from itertools import takewhile
from pathlib import Path

import pandas as pd

DOUBT = "?"
"""The mark of a printed value that can hardly be meant."""

UNMASKING_THE_MASK = "Kaneko and Bollegala (2022)"
"""The paper that the tables over sentence pairs, and those of word frequency, follow."""

FLAGS = ("doubtful", "dagger", "larger")
"""Columns with `yes` or nothing."""


def read_published(path: str | Path) -> pd.DataFrame:
    """The rows of a file in its order; empty cells are null, and FLAGS true or false.

    doubtful: whether a value can hardly be meant; why: what is odd about it. A row without a value has a
    reason, and is about a whole table.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    head = len([*takewhile(lambda line: line.startswith("#"), lines)])
    # NA is North America
    rows = pd.read_csv(path, skiprows=head, keep_default_na=False, na_values=[""], dtype={"ddof": str})
    rows = rows.astype({name: object for name in rows if rows[name].isna().all()})
    return rows.assign(**{name: rows[name] == "yes" for name in FLAGS if name in rows})


def doubts(published: pd.DataFrame) -> tuple[str, ...]:
    """What is odd about published values, in the order of their rows."""
    return tuple(published["why"].dropna().drop_duplicates())
