"""The digest of code: what it depends on, and what it does not."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from library import PLUMBING
from library import code_digest as digests
from library import code_digest_code_digest as code_digest


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "unmask"
    (package / "measures").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "measures" / "__init__.py").touch()
    (package / "tables.py").write_text("A = 1\n")
    (package / "other.py").write_text("B = 1\n")
    (package / "files.py").write_text("A = 1\n")
    imports = "from unmask import files, tables\nW = 'resources/words.yaml'\n"
    (package / "measures" / "aul.py").write_text(imports)
    (tmp_path / "script.py").write_text("import json\nfrom unmask.measures.aul import x\n")
    monkeypatch.setattr(digests, "LIBRARY", package)
    yield tmp_path
    forget_files()


def forget_files() -> None:
    for cached in (digests._module, digests._imports, digests._files):
        cached.cache_clear()


def digest(folder: Path, *modules: str) -> str:
    forget_files()
    return code_digest(folder / "script.py", *modules)


@pytest.mark.parametrize(
    ("file", "before", "after", "counts"),
    [
        ("unmask/tables.py", "A = 1\n", "A = 2\n", True),
        ("unmask/other.py", "B = 1\n", "B = 2\n", False),
        ("unmask/VERSION", "1", "2", False),
        ("unmask/files.py", "A = 1\n", "A = 2\n", False),
        # comments, formatting, docstrings
        ("unmask/tables.py", "A = f(1, 2)\n", "# why\nA = f(\n    1,\n    2,\n)\n", False),
        ("unmask/tables.py", "A = 1\n", '"""Tables."""\n\nA = 1\n"""What A is."""\n', False),
        ("unmask/tables.py", "def f():\n    return A\n", "def f():\n    'Say A.'\n    return A\n", False),
        ("unmask/tables.py", "A = 1\n", "A = 'Tables.'\n", True),
        # files that a module names
        ("resources/words.yaml", "a: 1\n", "a: 2\n", True),
        ("resources/none.yaml", "a: 1\n", "a: 2\n", False),
        # what columns mean, but not what they are
        ("unmask/tables.py", 'A = schema("a f64? x")', 'A = schema("a f64? other")', False),
        ("unmask/tables.py", 'A = schema("a f64? x")', 'A = schema("b f64? x")', True),
        ("unmask/tables.py", 'A = schema("a f64? x")', 'A = schema("a f64 x")', True),
        ("unmask/tables.py", 'A = other("a f64? x")', 'A = other("a f64? other")', True),
    ],
)
def test_what_counts(
    library: Path, file: str, before: str, after: str, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "workflow_root", lambda: library)
    (library / "resources").mkdir()
    seen = []
    for content in (before, after):
        (library / file).write_text(content)
        seen.append(digest(library))
    assert (seen[0] != seen[1]) == counts


def test_a_module_loaded_by_name_counts_with_what_it_imports(library: Path) -> None:
    (library / "unmask" / "formats").mkdir()
    (library / "unmask" / "formats" / "__init__.py").touch()
    (library / "unmask" / "formats" / "one.py").write_text("from unmask import other\n")
    chosen = "unmask/formats/one.py"
    before = digest(library), digest(library, chosen)
    assert before[0] != before[1]
    (library / "unmask" / "other.py").write_text("B = 2\n")
    assert digest(library) == before[0]
    assert digest(library, chosen) != before[1]
    (library / "script.py").write_text("from unmask import plugins\n")
    (library / "unmask/plugins.py").touch()
    with pytest.raises(ValueError, match=r"script\.py: name the modules"):
        digest(library)
    with pytest.raises(FileNotFoundError):
        digest(library, "unmask/formats/two.py")


SCRIPTS = Path(digests.__file__).resolve().parents[1]
RULES = SCRIPTS.parent / "rules"


WITH_NETWORKS = {
    "embed_names.py",
    "embed_stimuli.py",
    "fetch_model.py",
    "fine_tune.py",
    "make_model.py",
    "prefix_regions.py",
    "check_model.py",
    "score_evidence.py",
    "score_regions.py",
    "score_untrained.py",
}


def analysis_scripts() -> list[str]:
    """The scripts of rules that need no network."""
    rules = "".join(path.read_text() for path in RULES.glob("*.smk"))
    return sorted(set(re.findall(r"scripts/(\w+\.py)\"\n", rules)) - WITH_NETWORKS)


@pytest.mark.parametrize("script", analysis_scripts())
def test_analysis_never_imports_torch(script: str) -> None:
    networks = re.compile(r"^\s*(import|from) (torch|transformers)\b", re.MULTILINE)
    assert [path for path in digests.files_of(SCRIPTS / script) if networks.search(path.read_text())] == []


PACKAGES = {"filelock", "tqdm"}
"""What plumbing imports beside the standard library: locks, and a bar of progress."""


@pytest.mark.parametrize("path", sorted(PLUMBING))
def test_plumbing_imports_plumbing_alone(path: str) -> None:
    allowed = {SCRIPTS / each for each in PLUMBING} | {SCRIPTS / "unmask/__init__.py"}
    assert digests.files_of(SCRIPTS / path) <= allowed
    tops = {name.partition(".")[0] for name in digests._module(SCRIPTS / path).names} - {"unmask"}
    assert tops <= PACKAGES | (set(sys.stdlib_module_names) - {"random"})
