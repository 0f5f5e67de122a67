"""Tables of evidence that outlast the jobs whose outputs they are.

Snakemake removes what a job is to give before it runs, and when it fails. So a job writes each of its tables
into a hidden folder beside them, and gives all of them out when the last is whole: from then on each is one
file by two names. Whatever job comes next finds there what need not be done again, and knows by a digest
beside it that it is as it was given out: what damages the file under one name damages it under the other.
"""

from collections.abc import Iterable
from pathlib import Path

from unmask.files import sha256_of_file, write_text

FOLDER = ".kept"


def kept(table: Path) -> Path:
    """Where a table lies before it is given out, and its second name afterwards."""
    return table.parent / FOLDER / table.name


def digest_of(table: Path) -> Path:
    """The file with the digest of a table that was given out."""
    return kept(table).with_suffix(".sha256")


def is_intact(table: Path) -> bool:
    """Whether a kept table is as it was given out; one that was not given out yet is as its job wrote it."""
    digest = digest_of(table)
    return not digest.is_file() or (
        kept(table).is_file() and sha256_of_file(kept(table)) == digest.read_text(encoding="utf-8").strip()
    )


def forget(table: Path) -> None:
    """Remove what is kept of a table that is to be made anew."""
    kept(table).unlink(missing_ok=True)
    digest_of(table).unlink(missing_ok=True)


def give_out(tables: Iterable[Path]) -> None:
    """Give every table its own name; on a file system without hard links it loses the second one.

    All become younger than what they are made from, or Snakemake would have them made again.
    Raises OSError where that cannot be done.
    """
    for table in tables:
        write_text(digest_of(table), f"{sha256_of_file(kept(table))}\n")
        kept(table).touch()
        table.unlink(missing_ok=True)
        try:
            table.hardlink_to(kept(table))
        except OSError:
            kept(table).replace(table)
