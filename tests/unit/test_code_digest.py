"""The digest of code: what it depends on, and what it does not."""

import re
from pathlib import Path

import pytest

from library import PLUMBING
from library import code_digest as digests
from library import code_digest_code_digest as code_digest

FILES = {
    "script.py": "import json\nfrom unmask.measures.aul import x\n",
    "unmask/__init__.py": "",
    "unmask/measures/__init__.py": "",
    "unmask/measures/aul.py": "from unmask import files, tables\nW = 'resources/words.yaml'\n",
    "unmask/tables.py": "A = 1\n",
    "unmask/other.py": "B = 1\n",
    "unmask/files.py": "A = 1\n",
    "unmask/formats/__init__.py": "",
    "unmask/formats/one.py": "from unmask import other\n",
    "resources/words.yaml": "a: 1\n",
}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(digests, "LIBRARY", tmp_path / "unmask")
    monkeypatch.setattr(digests, "workflow_root", lambda: tmp_path)
    return tmp_path


def digest(folder: Path, *modules: str) -> str:
    for cached in (digests._read, digests._files):
        cached.cache_clear()
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
def test_what_counts(library: Path, file: str, before: str, after: str, counts: bool) -> None:
    seen = set()
    for content in (before, after):
        (library / file).write_text(content)
        seen.add(digest(library))
    assert (len(seen) == 2) == counts


def test_a_module_loaded_by_name_counts_with_what_it_imports(library: Path) -> None:
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


def test_analysis_never_imports_torch() -> None:
    networks = re.compile(r"^\s*(import|from) (torch|transformers)\b", re.MULTILINE)
    with_networks = {path for path in SCRIPTS.rglob("*.py") if networks.search(path.read_text())}
    scripts = [path for path in SCRIPTS.glob("*.py") if path.name not in WITH_NETWORKS]
    assert len(scripts) > 20
    assert {path.name: each for path in scripts if (each := digests.files_of(path) & with_networks)} == {}


def test_plumbing_imports_plumbing_alone() -> None:
    allowed = {SCRIPTS / each for each in PLUMBING} | {SCRIPTS / "unmask/__init__.py"}
    assert {file for path in PLUMBING for file in digests.files_of(SCRIPTS / path)} <= allowed
