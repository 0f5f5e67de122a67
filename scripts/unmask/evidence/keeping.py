"""Tables of evidence that outlast the jobs whose outputs they are.

Snakemake removes what a job is to give before it runs, and when it fails. So a job writes each of its tables
into a hidden folder beside them, and gives all of them out when the last is whole: from then on each is one
file by two names. Whatever job comes next finds there what need not be done again.
"""

from collections.abc import Iterable
from pathlib import Path

FOLDER = ".kept"


def kept(table: Path) -> Path:
    """Where a table lies before it is given out, and its second name afterwards."""
    return table.parent / FOLDER / table.name


def give_out(tables: Iterable[Path]) -> None:
    """Give every table its own name; on a file system without hard links it loses the second one.

    All become younger than what they are made from, or Snakemake would have them made again.
    Raises OSError where that cannot be done.
    """
    for table in tables:
        kept(table).touch()
        table.unlink(missing_ok=True)
        try:
            table.hardlink_to(kept(table))
        except OSError:
            kept(table).replace(table)
