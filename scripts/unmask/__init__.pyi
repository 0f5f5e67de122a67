from pathlib import Path

from unmask.command.scoring import load, score

__all__ = ["__version__", "load", "score"]

__version__: str
LIBRARY: Path

def workflow_root() -> Path: ...
