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


def cached(table: Path) -> Path:
    """Where a table lies before it is given out, and its second name afterwards."""
    return table.parent / FOLDER / table.name


def digest_file(table: Path) -> Path:
    """The file with the digest of a table that was given out."""
    return cached(table).with_suffix(".sha256")


def is_intact(table: Path) -> bool:
    """Whether a kept table is as it was given out; one that was not given out yet is as its job wrote it."""
    digest = digest_file(table)
    return not digest.is_file() or (
        cached(table).is_file()
        and sha256_of_file(cached(table)) == digest.read_text(encoding="utf-8").strip()
    )


def discard(table: Path) -> None:
    """Remove what is kept of a table that is to be made anew."""
    cached(table).unlink(missing_ok=True)
    digest_file(table).unlink(missing_ok=True)


def publish(tables: Iterable[Path]) -> None:
    """Give every table its own name; on a file system without hard links it loses the second one.

    All become younger than what they are made from, or Snakemake would have them made again.
    Raises OSError where that cannot be done.
    """
    for table in tables:
        write_text(digest_file(table), f"{sha256_of_file(cached(table))}\n")
        cached(table).touch()
        table.unlink(missing_ok=True)
        try:
            table.hardlink_to(cached(table))
        except OSError:
            cached(table).replace(table)
