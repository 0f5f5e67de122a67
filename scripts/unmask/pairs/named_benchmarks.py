"""Benchmarks that a study names instead of describing them: `benchmarks: [crows-pairs, stereoset]`."""

from collections.abc import Iterable
from os.path import isfile
from pathlib import Path
from typing import Any

from unmask import workflow_root
from unmask.configuration import read_config
from unmask.errors import InputError, known_names


def known_benchmarks() -> dict[str, dict[str, Any]]:
    """What resources/pairs/benchmarks.yaml says of each benchmark: about, files, entry, version_of if any."""
    return read_config(workflow_root() / "resources/pairs/benchmarks.yaml")


def entries(names: Iterable[str], data: object, where: str) -> dict[str, dict[str, Any]]:
    """The entries of named benchmarks: the file of the data directory where it is there, else its url.

    One that is a version of another one says so where that is named, too.

    data: a directory, if any. where: what an error begins with. Raises InputError for an unknown name.
    """
    known, names = known_benchmarks(), list(names)
    result = {}
    for name in names:
        if name not in known:
            raise InputError(f"{where}: there is no {name!r} ({known_names(name, known)})")
        entry = dict(known[name]["entry"])
        if (original := known[name].get("version_of")) in names:
            entry["version_of"] = original
        folder = Path(data) if isinstance(data, str) else None
        if folder and (path := next((p for f in known[name]["files"] if isfile(p := folder / f)), None)):
            del entry["url"]
            entry["path"] = str(path)
        result[name] = entry
    return result
