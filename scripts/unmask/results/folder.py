"""Which folder has the results of a study: `python -m unmask.results.folder STUDY` prints it."""

import argparse
import re
import sys
from pathlib import Path

from unmask.configuration import choose_study
from unmask.errors import InputError
from unmask.installation import workflow_root

ROOT = workflow_root()
"""The folder of the workflow."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*")
"""As rules/schemas/study.yaml has it: a study's name is never a path."""


def results_folder(study: str, root: Path = ROOT) -> Path:
    """The folder of results of a study that is chosen as `--config study=STUDY` chooses it.

    Raises InputError where there is no such study, or where its name cannot be that of a folder.
    """
    name = str(choose_study({"study": study}, root, []).get("study"))
    if not _NAME.fullmatch(name):
        raise InputError(f"{study}: config key study: {name!r} cannot be the name of a study")
    return Path("results", name)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the folder that has the results of a study.")
    parser.add_argument("study", help="the name of a study, or the path of its file")
    try:
        print(results_folder(parser.parse_args().study))
    except InputError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
