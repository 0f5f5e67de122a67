"""Comparing a study's results with what they state: their checksums, and what they were made from."""

import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.files import LIST, read_facts, sha256_of_file
from unmask.results.cleaning import files_below, may_be_removed
from unmask.results.settings import CHECKSUMS
from unmask.tables import read_metadata

_STATES_SOURCES = re.compile(
    r"(?!(.*/)?\.)(.+\.parquet|(.+[/.])?facts\.json|.+/digests\.json|models/[^/]+/manifest\.json"
    r"|explorer/[^/]+/[^/]+/[^/]+\.json|report/sections/[^/]+\.json)"
)
"""Files that state what they were made from, as paths in a study's folder; hidden ones are left out."""


@dataclass
class Verified:
    """What was compared: each problem is one line that begins with a file's path.

    results: files with the checksum that the study's list states. inputs: that are still those that results
    were made from, each counted once for each result. removed: inputs that are not there and need not be.
    """

    results: int = 0
    inputs: int = 0
    removed: set[Path] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


def verify(folder: str | Path) -> Verified:
    """Check final files by the list of checksums, and every other table and section by what it states of its
    sources. Raises InputError where this is no folder of a study that was run to its end."""
    folder, verified = Path(folder), Verified()
    checksums = folder / CHECKSUMS
    if not checksums.is_file():
        raise InputError(f"{checksums}: no such file; has this study been run to its end?")
    # a model's files are inputs of many results
    sha256 = functools.cache(sha256_of_file)
    for line in checksums.read_text(encoding="utf-8").splitlines():
        stated, _, name = line.partition("  ")
        path = folder / name
        if path.exists() and sha256(path.resolve()) == stated:
            verified.results += 1
        else:
            fault = "has changed since it was made" if path.exists() else "is missing"
            verified.problems.append(f"{path}: {fault}")
    # `results` may be a link, and inputs lie beside it
    above = Path(os.path.abspath(folder)).parents[1]
    for path, sources in sources_below(folder):
        if isinstance(sources, str):
            verified.problems.append(f"{path}: {sources}")
            continue
        for source, stated in sources.items():
            # an absolute path stays what it is
            there = above / source
            if not there.exists() and may_be_removed(there, folder):
                verified.removed.add(there)
            elif not there.exists():
                verified.problems.append(f"{path}: {source}, which it was made from, is not here")
            elif sha256(there.resolve()) != stated:
                verified.problems.append(f"{path}: {source} is no longer the file that it was made from")
            else:
                verified.inputs += 1
    return verified


def sources_below(folder: Path) -> Iterator[tuple[Path, dict[str, str] | str]]:
    """Each file that states what it was made from, with the SHA-256 of each source by its path there, which
    is relative to where Snakemake ran; or with what is wrong with it, in words."""
    for path in files_below(folder):
        # a table under a list has its sources there
        is_listed = path.name != LIST and any((each / LIST).is_file() for each in path.parents[:2])
        if is_listed or not _STATES_SOURCES.fullmatch(path.relative_to(folder).as_posix()):
            continue
        try:
            facts = read_metadata(path) if path.suffix == ".parquet" else read_facts(path)
        except (InputError, OSError, ValueError) as error:
            yield path, f"cannot be read ({str(error).removeprefix(f'{path}: ')})"
            continue
        yield path, _sources(path, facts) if "made_from" in facts else "does not say what it was made from"


def _sources(path: Path, facts: Mapping[str, Any]) -> dict[str, str]:
    """Also the files of a model, which its manifest lists, and the tables of a list."""
    sources: dict[str, str] = dict(facts["made_from"])
    if "directory" in facts:
        sources |= {str(Path(facts["directory"], name)): of["sha256"] for name, of in facts["files"].items()}
    if path.name == LIST:
        sources |= {os.path.abspath(path.parent / name): of for name, of in facts["tables"].items()}
    return sources
