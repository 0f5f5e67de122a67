"""The digest of code: what it depends on, and what it does not."""

import re
from pathlib import Path

import pytest

from unmask import provenance
from unmask.provenance import code_digest


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "unmask"
    (package / "measures").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "measures" / "__init__.py").touch()
    (package / "tables.py").write_text("A = 1\n")
    (package / "other.py").write_text("B = 1\n")
    (package / "measures" / "aul.py").write_text("from unmask import tables\n")
    (tmp_path / "script.py").write_text("import json\nfrom unmask.measures.aul import x\n")
    monkeypatch.setattr(provenance, "LIBRARY", package)
    return tmp_path


def digest(folder: Path) -> str:
    for cached in (provenance._tree, provenance._code, provenance._imports):
        cached.cache_clear()
    return code_digest(folder / "script.py")


def test_a_module_imported_indirectly_counts(library: Path) -> None:
    before = digest(library)
    (library / "unmask" / "tables.py").write_text("A = 2\n")
    assert digest(library) != before


def test_a_module_that_is_not_imported_does_not_count(library: Path) -> None:
    before = digest(library)
    (library / "unmask" / "other.py").write_text("B = 2\n")
    assert digest(library) == before


def test_comments_and_formatting_do_not_count(library: Path) -> None:
    before = digest(library)
    (library / "script.py").write_text("# why\nimport json\nfrom unmask.measures.aul import (\n    x,\n)\n")
    assert digest(library) == before


def test_the_place_of_the_checkout_does_not_count(
    library: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    before = digest(library)
    moved = tmp_path_factory.mktemp("z") / "elsewhere"
    library.rename(moved)
    provenance.LIBRARY = moved / "unmask"
    assert digest(moved) == before


SCRIPTS = Path(provenance.__file__).resolve().parents[1]
RULES = SCRIPTS.parent / "rules"


def files_of(script: str) -> set[Path]:
    """The script and every library module that it imports, directly or not."""
    seen: set[Path] = set()
    waiting = [SCRIPTS / script]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(provenance._imports(path))
    return seen


def analysis_scripts() -> list[str]:
    """The scripts whose rules have the environment without torch."""
    rules = "".join(path.read_text() for path in RULES.glob("*.smk"))
    return [
        re.search(r"scripts/(\w+\.py)", rule)[1]  # type: ignore[index]
        for rule in rules.split("\nrule ")
        if "envs/analysis.yaml" in rule
    ]


def test_evidence_does_not_depend_on_measures_nor_measures_on_evidence() -> None:
    evidence, measures = (
        {path.relative_to(SCRIPTS).as_posix() for path in files_of(script)}
        for script in ("score_evidence.py", "score_pairs.py")
    )
    later = ("unmask/measures/", "unmask/statistics/", "unmask/report/")
    assert not {module for module in evidence if module.startswith(later)}
    assert not {module for module in measures if module.startswith(("unmask/evidence/", "unmask/models/"))}
    assert "unmask/evidence/engine.py" in evidence and "unmask/measures/formulas.py" in measures


@pytest.mark.parametrize("script", analysis_scripts())
def test_analysis_never_imports_torch(script: str) -> None:
    for path in files_of(script):
        assert not re.search(r"^\s*(import|from) (torch|transformers)\b", path.read_text(), re.MULTILINE), (
            path
        )
