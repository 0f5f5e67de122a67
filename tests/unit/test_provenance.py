"""The digest of code: what it depends on, and what it does not."""

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


def test_evidence_does_not_depend_on_measures_nor_measures_on_torch() -> None:
    scripts = Path(provenance.__file__).resolve().parents[1]

    def modules(script: str) -> set[str]:
        seen: set[Path] = set()
        waiting = [scripts / script]
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting.extend(provenance._imports(path))
        return {path.relative_to(scripts).as_posix() for path in seen}

    evidence, measures = modules("score_evidence.py"), modules("score_pairs.py")
    assert not {
        m for m in evidence if m.startswith(("unmask/measures/", "unmask/statistics/", "unmask/report/"))
    }
    assert not {m for m in measures if m.startswith(("unmask/evidence/", "unmask/models/"))}
    assert "unmask/evidence/engine.py" in evidence and "unmask/measures/formulas.py" in measures
