"""What stands outside of digests changes no result."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from library import PLUMBING
from library import code_digest as digests
from library import code_digest_code_digest as code_digest
from library import code_digest_files_of as files_of

SCRIPTS = Path(digests.__file__).resolve().parents[1]
PACKAGES = {"filelock", "tqdm"}
"""What plumbing imports beside the standard library: locks, and a bar of progress."""


@pytest.mark.parametrize("path", sorted(PLUMBING))
def test_plumbing_imports_plumbing_alone(path: str) -> None:
    allowed = {SCRIPTS / each for each in PLUMBING} | {SCRIPTS / "unmask/__init__.py"}
    assert files_of(SCRIPTS / path) <= allowed
    tops = {name.partition(".")[0] for name in digests._module(SCRIPTS / path).names} - {"unmask"}
    assert tops <= PACKAGES | (set(sys.stdlib_module_names) - {"random"})


def test_an_input_error_ends_a_job_and_decides_no_result() -> None:
    """No module but `verify`, which lists problems, goes on after one."""
    for path in SCRIPTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ExceptHandler) and node.type and "InputError" in ast.unparse(node.type):
                last = node.body[-1].body[-1] if isinstance(node.body[-1], ast.With) else node.body[-1]
                ends = isinstance(last, ast.Raise) or ast.unparse(last).startswith("sys.exit(")
                assert ends or path.name == "verifying.py", f"{path}: line {node.lineno}"


def test_a_job_collects_garbage_again_but_nothing_that_was_imported(tmp_path: Path) -> None:
    program = f"""
import gc
snakemake = None
import unmask.job
import unmask.tables
assert not gc.isenabled() and gc.get_freeze_count() == 0
with unmask.job.job_log({str(tmp_path / "job.log")!r}):
    assert gc.isenabled() and gc.get_freeze_count() > 10_000
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder: Path = tmp_path / "scripts"
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("*.egg-info"))
    monkeypatch.setattr(digests, "LIBRARY", folder / "unmask")
    yield folder
    forget()


def forget() -> None:
    for cached in (digests._module, digests._imports, digests._module_files):
        cached.cache_clear()


def all_digests(folder: Path) -> dict[str, str]:
    forget()
    return {path.name: code_digest(path) for path in sorted(folder.glob("*.py"))}


def test_editing_plumbing_changes_no_digest_and_editing_another_module_does(copy: Path) -> None:
    before = all_digests(copy)
    for module in PLUMBING:
        with (copy / module).open("a") as file:
            file.write("\nEDITED = True\n")
    assert all_digests(copy) == before
    for module in ("unmask/files.py", "unmask/tables.py", "unmask/job.py"):
        reached = {path.name for path in copy.glob("*.py") if copy / module in files_of(path)}
        source = (copy / module).read_text()
        (copy / module).write_text(f"{source}\nEDITED = True\n")
        after = all_digests(copy)
        (copy / module).write_text(source)
        assert reached == {name for name in before if after[name] != before[name]} != set()
