"""The files of a study's results, also of those that lie behind links."""

import os
from pathlib import Path

from unmask.errors import InputError


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
