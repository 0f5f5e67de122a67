"""Digests of code: what they depend on, and what not; and of files of users: content decides, not dates."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from library import PLUMBING, DigestCache, InputError, code_digest, digests, sha256_of_file

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
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(digests, "LIBRARY", tmp_path / "unmask")
    monkeypatch.setattr(digests, "workflow_root", lambda: tmp_path)
    yield tmp_path
    forget_files()


def forget_files() -> None:
    for cached in (digests._read, digests._files):
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


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, which counts as written long ago."""
    monkeypatch.setattr(digests, "SETTLED", -1)
    path = tmp_path / "file"
    path.write_text("one")
    return path


@pytest.mark.parametrize("settled", [-1, 1000])
def test_a_file_is_read_once_for_all_runs_unless_it_was_just_written(
    file: Path, tmp_path: Path, settled: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Mock(wraps=sha256_of_file)
    monkeypatch.setattr(digests, "SETTLED", settled)
    monkeypatch.setattr(digests, "sha256_of_file", reading)
    for _ in range(3):
        assert DigestCache(tmp_path / "cache/digests").of(file) == sha256_of_file(file)
    assert reading.call_count == (1 if settled < 0 else 3)


@pytest.mark.parametrize("replace", ["written", "moved", "copied"])
def test_a_replaced_file_is_read_again_whatever_its_date(file: Path, tmp_path: Path, replace: str) -> None:
    cache = DigestCache(tmp_path / "digests")
    before, date = cache.of(file), file.stat().st_mtime_ns
    other = tmp_path / "other"
    other.write_text("two")
    for path in (other, file):
        os.utime(path, ns=(date, date))
    if replace == "written":
        file.write_text("two")
        os.utime(file, ns=(date, date))
    elif replace == "moved":
        other.replace(file)
    else:
        shutil.copy2(other, file)
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (date, 3)
    assert DigestCache(tmp_path / "digests").of(file) == cache.of(file) != before


def test_a_broken_or_unwritable_cache_costs_time_alone(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "digests"
    for content in (b'["cut sho', b"\xff\xff", b"[1]\n{}\n3\n"):
        cache.write_bytes(content)
        assert DigestCache(cache).of(file) == sha256_of_file(file)
    assert DigestCache(tmp_path / "file/digests").of(file) == sha256_of_file(file)
    with pytest.raises(InputError, match="missing: no such file"):
        DigestCache(cache).of(tmp_path / "missing")
