"""The parts that a corpus is counted in: its files."""

import glob
import os
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from unmask.urls import file_name


def files_of(pattern: str) -> dict[str, str]:
    """The files that a path or a pattern (*, ?, [], and ** for folders) matches, in order.

    Each has a name, its path from the folder in which the pattern begins, which stays when others come.
    """
    if os.path.isfile(pattern):
        return {Path(pattern).name: pattern}
    root = Path(*takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
    files = sorted(path for path in glob.glob(pattern, recursive=True) if Path(path).is_file())
    return {str(Path(path).relative_to(root)): path for path in files}


def fetched_shards(entry: Mapping[str, Any]) -> dict[str, str | int | None]:
    """The names of the files that a corpus with a `url` or on the hub is fetched in, and which each is:
    a path in the repository, or a number among its files."""
    if "url" in entry:
        return {file_name(entry["url"]): None}
    if isinstance(entry["shards"], int):
        return {f"{number:05}.parquet": number for number in range(entry["shards"])}
    return {file: file for file in entry["shards"]}
