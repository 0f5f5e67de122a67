"""The files and folders of a study's results, also of those that lie behind links."""

import os
from pathlib import Path

from unmask.errors import InputError


def paths_below(folder: str | Path) -> list[Path]:
    """All files and folders below a folder, in order, hidden ones too; links to folders are followed.

    Raises InputError for a link that leads nowhere, or back to a folder that it lies in.
    """
    paths: list[Path] = []
    waiting = [(Path(folder), frozenset[str]())]
    while waiting:
        place, above = waiting.pop()
        real = os.path.realpath(place)
        if real in above:
            raise InputError(f"{place}: a link to {real}, which it lies in; remove it and run again")
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir() or entry.is_file():
                    paths.append(Path(entry.path))
                if entry.is_dir():
                    waiting.append((Path(entry.path), above | {real}))
                elif entry.is_symlink() and not entry.is_file():
                    leads = os.readlink(entry.path)
                    raise InputError(
                        f"{entry.path}: a link to {leads}, which leads nowhere; mend or remove it"
                    )
    return sorted(paths)
