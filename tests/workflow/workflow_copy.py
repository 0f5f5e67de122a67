"""A copy of what a clone of the repository has of the workflow."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "Snakefile",
    "rules",
    "scripts",
    "profiles",
    "envs",
    "configs",
    "resources",
    "config.yaml",
    "workflow",
    "CITATION.bib",
)


def copy_workflow(folder: Path) -> Path:
    """Copy what a clone of the repository would have, and what Python has compiled of it, to save time."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("*.egg-info"))
        else:
            shutil.copy2(source, folder / part)
    return folder
