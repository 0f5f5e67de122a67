"""The files of a study's results, also behind links, and what they state that they were made from."""

import os
import re
from collections.abc import Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.evidence.lists import LIST
from unmask.files import read_facts
from unmask.tables import read_metadata

_STATES_SOURCES = re.compile(
    r"(?!(.*/)?\.)(.+\.parquet|(.+[/.])?facts\.json|.+/digests\.json|models/[^/]+/manifest\.json"
    r"|explorer/[^/]+/[^/]+/[^/]+\.json|report/sections/[^/]+\.json)"
)
"""Files that state what they were made from, as paths in a study's folder; hidden ones are left out."""


def files_below(folder: str | Path) -> list[Path]:
    """All files below a folder, in order, hidden ones too; links to folders are followed."""
    names = glob("**", root_dir=folder, recursive=True, include_hidden=True)
    return sorted(path for path in (Path(folder, name) for name in names) if path.is_file())


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
