"""Names say what a thing is: some words that say nothing name no parameter, variable, function or class."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "scripts").rglob("*.py"))

EMPTY = {"dealt", "found", "given", "made", "own", "picked", "shown", "told", "wanted"}
"""Participles of what happened to a thing, in place of what it is."""

FAMILIES = {
    "associations",
    "calibration",
    "debiasing",
    "downstream",
    "frequency",
    "pairs",
    "regional",
    "templates",
}
"""They share the core, synthetic worlds among it, and of each other read files alone."""

EXCEPTIONS = {
    # a column of its table
    "scripts/unmask/regional/planted.py": {"found"},
}


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def lowered(name: str) -> str:
    """A class by its lower-case name; constants stay as they are."""
    return name if name.isupper() else name.lower()


def test_the_words_are_looked_for() -> None:
    tree = ast.parse("def told(given):\n    found = [own for own in given]\nclass Made: pass\n")
    assert {lowered(name) for _, name in names(tree)} == {"told", "given", "found", "own", "made"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "scripts")))
def test_names_say_what_things_are(path: Path) -> None:
    place = str(path.relative_to(ROOT))
    empty = {
        f"{place}:{line}: {name}"
        for line, name in names(ast.parse(path.read_text(encoding="utf-8")))
        if lowered(name).strip("_") in EMPTY - EXCEPTIONS.get(place, set())
    }
    assert not empty


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
    assert len(modules) > 5
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
