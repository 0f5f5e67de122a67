"""Files of a task, checked before they are read.

What is read depends on nothing here, so that another check fine-tunes no model again.
"""

import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from unmask.benchmarks.rows import read_rows
from unmask.downstream.terms import BIAS, DEV, SIMILARITY, TEST, TRAIN
from unmask.errors import InputError
from unmask.labels import Labels, fault_of
from unmask.user_files import faults_of

LARGEST_LIST, LARGEST_ARCHIVE = 1 << 24, 1 << 30
"""Bytes of a list of words in an archive, and of all that the archive unpacks to."""

_LISTS = "word_lists"


def check_files(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> None:
    """Check the files of a task, by name, as its entry (completed) says how they are read.

    Raises InputError naming the file, and the row or the member of the archive, for labels and occupations of
    a table that look alike but are not, and for an archive that unpacks to too much.
    """
    if entry["format"] == "mnli":
        for path in files.get("lists", ()):
            check_archive(path)
    if entry["format"] == "table":
        for column, places in _labelled(files, entry):
            known = Labels()
            for where, label in places:
                if fault := fault_of(label) or known.check(label, where):
                    raise InputError(f"{where}: column {column!r}: {fault}")


def check_archive(path: Path, largest: int = LARGEST_ARCHIVE) -> None:
    """Look through the heads of a tar archive's members, which say how large they are.

    Raises InputError naming the archive and the member where a list of words has more than LARGEST_LIST
    bytes, or all members to that one more than `largest`.
    """
    unpacked = 0
    try:
        with faults_of(path, "not a readable tar archive"), tarfile.open(path) as archive:
            for member in archive:
                # before what it holds is passed over, which takes as long as reading it
                unpacked += member.size
                of_words = _LISTS in PurePosixPath(member.name).parts
                if unpacked > largest or (of_words and member.size > LARGEST_LIST):
                    size, of_list, of_all = (each / 1e6 for each in (member.size, LARGEST_LIST, largest))
                    raise InputError(
                        f"{path}: {member.name} has {size:.0f} MB unpacked; at most {of_list:.0f} MB of a "
                        f"list are read, and {of_all:.0f} MB in all"
                    )
    except (tarfile.TarError, zlib.error) as error:
        raise InputError(f"{path}: not a readable tar archive ({error})") from None


def _labelled(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]
) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """Columns of a table in which equal texts mean the same, and every text of each with its place."""
    label = entry["columns"]["label"]
    if entry["kind"] != SIMILARITY:
        if entry.get("labels") is None:
            yield label, _texts(files, entry, (TRAIN, DEV, TEST), label)
        else:
            # rows have the values that are listed, or are refused
            yield label, ((f"config key labels.{name}", str(name)) for name in entry["labels"])
    yield "occupation", _texts(files, entry, (BIAS,), "occupation")


def _texts(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any], names: Sequence[str], column: str
) -> Iterator[tuple[str, str]]:
    for name in names:
        for path in files.get(name, ()):
            for place, fields in read_rows(path, entry["files"][name]):
                # what is missing, or is no text, is refused by who reads it
                if isinstance(value := fields.get(column), str):
                    yield f"{path}: {place}", value
