"""Families import neither each other nor are they imported by the core."""

import re
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "scripts/unmask"
FAMILIES = {"associations", "debiasing", "downstream", "frequency", "pairs", "regional"}
"""They share the core, synthetic worlds among it, and of each other read files alone."""
CORE = {"benchmarks", "corpora", "evidence", "fetching", "measures", "models", "report", "results"}
CORE |= {"statistics", "worlds"}


@pytest.mark.parametrize("folder", sorted(FAMILIES | CORE))
def test_a_folder_knows_of_no_other_family(folder: str) -> None:
    modules = {path.name: path.read_text(encoding="utf-8") for path in (LIBRARY / folder).glob("*.py")}
    assert modules
    for name, text in modules.items():
        imported = re.findall(r"^\s*(?:from|import) unmask\.(\w+)", text, re.MULTILINE)
        assert not set(imported) & (FAMILIES - {folder}), name
