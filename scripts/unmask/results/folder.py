"""Which folder has the results of a study."""

import re
from pathlib import Path

from unmask.configuration import choose_study
from unmask.errors import InputError
from unmask.installation import workflow_root

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*")
"""As the key `study` has it: a study's name is never a path."""


def results_folder(study: str) -> Path:
    """The folder of results of a study that is chosen as `--config study=STUDY` chooses it.

    Raises InputError where there is no such study, or where its name cannot be that of a folder.
    """
    name = str(choose_study({"study": study}, workflow_root(), []).get("study"))
    if not _NAME.fullmatch(name):
        raise InputError(f"{study}: config key study: {name!r} cannot be the name of a study")
    return Path("results", name)
