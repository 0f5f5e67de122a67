"""The real benchmarks, tokenizers and models, where the environment says they are."""

import os
from pathlib import Path

import pytest


def real_data(*parts: str) -> Path:
    """A path below the directory UNMASK_DATA; the test is skipped where it is not there."""
    root = os.environ.get("UNMASK_DATA")
    if not root:
        pytest.skip("UNMASK_DATA names no directory with the real data")
    path = Path(root, *parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not in UNMASK_DATA")
    return path
