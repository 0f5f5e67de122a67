"""Where the workflow lies: in a checkout beside the library, of an installed wheel inside of it."""

from pathlib import Path

LIBRARY = Path(__file__).resolve().parent
"""The folder of the package `unmask`."""


def workflow_root() -> Path:
    """The folder with the Snakefile, rules, scripts, resources, configs and profiles."""
    inside = LIBRARY / "workflow"
    return inside if (inside / "Snakefile").is_file() else LIBRARY.parents[1]
