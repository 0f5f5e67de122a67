"""Comparing a study's results with what they state: their checksums, and what they were made from."""

import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.lists import LIST, altered
from unmask.facts import read_facts
from unmask.files import sha256_of_file
from unmask.results.checksums import FILE, read_checksums
from unmask.results.cleaning import DOWNLOADS, EVIDENCE
from unmask.results.walking import files_below
from unmask.tables import read_metadata

_STATES_SOURCES = re.compile(
    r"(?!(.*/)?\.)(.+\.parquet|(.+[/.])?facts\.json|.+/digests\.json|models/[^/]+/manifest\.json"
    r"|explorer/[^/]+/[^/]+/[^/]+\.json|report/sections/[^/]+\.json)"
)
"""Files that state what they were made from, as paths in a study's folder; hidden ones are left out."""


@dataclass
class Verified:
    """What was compared: each problem is one line that begins with a file's path."""

    results: int = 0
    """Files with the checksum that the study's list states."""
    inputs: int = 0
    """Inputs that are still those that results were made from, each counted once for each result."""
    removed: set[Path] = field(default_factory=set)
    """Inputs that are not there and need not be (unmask.results.cleaning)."""
    problems: list[str] = field(default_factory=list)


def verify(folder: str | Path) -> Verified:
    """Check final files by the list of checksums, evidence by the list beside it, and every other table and
    section by the record in itself. Raises InputError where there are no results."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder of results")
    verified = Verified()
    # a model's files are inputs of many results
    sha256 = functools.cache(sha256_of_file)
    try:
        checksums = read_checksums(folder / FILE)
    except InputError as error:
        verified.problems.append(str(error))
        checksums = {}
    for path, stated in checksums.items():
        if not path.exists():
            verified.problems.append(f"{path}: is missing")
        elif sha256(path.resolve()) != stated:
            verified.problems.append(f"{path}: has changed since it was made")
        else:
            verified.results += 1
    # recorded paths are relative to the folder that Snakemake ran in, also where `results` is a link
    start = Path(os.path.abspath(folder)).parents[1]
    for path in files_below(folder):
        if not _states_sources(path, folder):
            continue
        try:
            facts = read_metadata(path) if path.suffix == ".parquet" else read_facts(path)
        except (OSError, ValueError, pa.ArrowException) as error:
            verified.problems.append(f"{path}: cannot be read ({str(error).splitlines()[0]})")
            continue
        verified.problems += _contradictions(path, facts)
        for source, stated in _sources(facts):
            # an absolute path stays what it is
            there = start / source
            if there.exists():
                same = sha256(there.resolve()) == stated
                verified.inputs += same
                if not same:
                    verified.problems.append(f"{path}: {source} is no longer the file that it was made from")
            elif _may_be_removed(there, folder):
                verified.removed.add(there)
            else:
                verified.problems.append(f"{path}: {source}, which it was made from, is not here")
    return verified


def _states_sources(path: Path, folder: Path) -> bool:
    # the list of a model's tables on a benchmark says what they were made from
    listed = path.name != LIST and any((each / LIST).is_file() for each in path.parents[:2])
    return not listed and bool(_STATES_SOURCES.fullmatch(path.relative_to(folder).as_posix()))


def _may_be_removed(path: Path, folder: Path) -> bool:
    folder = Path(os.path.abspath(folder))
    name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""
    return any(kind.fullmatch(name) for kind in (EVIDENCE, DOWNLOADS))


def _contradictions(path: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    """Problems of what lies beside a file, by what the file states of it."""
    for name, sha256 in facts["tables"].items() if path.name == LIST else ():
        if problem := altered(path.parent / name, sha256):
            yield f"{path.parent / name}: {problem}"
    if "made_from" not in facts:
        yield f"{path}: does not say what it was made from"


def _sources(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from facts.get("made_from", {}).items()
    if "directory" in facts:
        # the manifest of a model lists its files
        for name, file in facts["files"].items():
            yield str(Path(facts["directory"], name)), file["sha256"]
