"""Families import neither each other nor are they imported by the core."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FAMILIES = {
    "associations",
    "debiasing",
    "downstream",
    "frequency",
    "pairs",
    "regional",
}
"""They share the core, synthetic worlds among it, and of each other read files alone."""


def imports(path: Path) -> set[str]:
    """The folders of the library that a module imports from."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {module.split(".")[1] for module in modules if module.startswith("unmask.")}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_families_know_of_no_other(family: str) -> None:
    modules = sorted((ROOT / "scripts/unmask" / family).rglob("*.py"))
    assert modules
    others = {
        f"{path.relative_to(ROOT)}: {other}"
        for path in modules
        for other in imports(path) & (FAMILIES - {family})
    }
    assert not others


def test_the_core_knows_of_no_family() -> None:
    core = {
        "benchmarks",
        "corpora",
        "evidence",
        "fetching",
        "measures",
        "models",
        "report",
        "results",
        "statistics",
        "worlds",
    }
    known = {
        f"{path.relative_to(ROOT)}: {other}"
        for folder in core
        for path in (ROOT / "scripts/unmask" / folder).rglob("*.py")
        for other in imports(path) & FAMILIES
    }
    assert not known
