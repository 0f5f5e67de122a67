"""The files of a study's results, also behind links, and what they state that they were made from."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from unmask.errors import InputError
from unmask.evidence.lists import LIST
from unmask.facts import read_facts
from unmask.tables import read_metadata

_STATES_SOURCES = re.compile(
    r"(?!(.*/)?\.)(.+\.parquet|(.+[/.])?facts\.json|.+/digests\.json|models/[^/]+/manifest\.json"
    r"|explorer/[^/]+/[^/]+/[^/]+\.json|report/sections/[^/]+\.json)"
)
"""Files that state what they were made from, as paths in a study's folder; hidden ones are left out."""


def files_below(folder: str | Path) -> list[Path]:
    """All files below a folder, in order, hidden ones too; links to folders are followed.

    Raises InputError for a link that leads nowhere, or back to a folder that it lies in.
    """
    files: list[Path] = []
    for place, folders, names in os.walk(folder, followlinks=True):
        for path in (Path(place, name) for name in [*folders, *names]):
            if path.is_symlink() and not path.exists():
                leads = os.readlink(path)
                raise InputError(f"{path}: a link to {leads}, which leads nowhere; mend or remove it")
            if path.is_symlink() and any(path.samefile(above) for above in path.parents):
                raise InputError(f"{path}: a link to a folder that it lies in; remove it and run again")
        files += [Path(place, name) for name in names]
    return sorted(files)


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
        except (OSError, ValueError, pa.ArrowException) as error:
            yield path, f"cannot be read ({str(error).splitlines()[0]})"
            continue
        yield path, _sources(path, facts) if "made_from" in facts else "does not say what it was made from"


def _sources(path: Path, facts: Mapping[str, Any]) -> dict[str, str]:
    """Also the files of a model, which its manifest lists, and the tables of a list."""
    files = (
        {str(Path(facts["directory"], name)): of["sha256"] for name, of in facts["files"].items()}
        if ("directory" in facts)
        else {}
    )
    tables = facts["tables"].items() if path.name == LIST else ()
    return {**facts["made_from"], **files, **{os.path.abspath(path.parent / name): of for name, of in tables}}
