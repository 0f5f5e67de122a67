"""A study's file says which folder its results lie in, and no two studies share one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from library import InputError, choose_study, results_folder

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".", "$(touch x)", "a b"])
def test_a_name_that_is_no_name_of_a_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(f"study: '{name}'\n")
    with pytest.raises(InputError, match="config key study"):
        results_folder(str(path))


@pytest.mark.parametrize("shipped", ["config.yaml", "configs/paper.yaml"])
def test_a_copy_with_the_name_of_a_study_that_comes_with_unmask(tmp_path: Path, shipped: str) -> None:
    copy = tmp_path / "mine.yaml"
    shutil.copy(ROOT / shipped, copy)
    whole = choose_study({"study": str(ROOT / shipped)}, ROOT, [])
    for config, files in (({"study": str(copy)}, []), (whole, [str(copy)])):
        with pytest.raises(InputError, match=rf"^{copy}: its study is named \w+, as that of {shipped} is"):
            choose_study(config, ROOT, files)
    # the file itself, by whatever path, is no other
    assert choose_study({"study": str(ROOT / "rules/.." / shipped)}, ROOT, [])["study"]


def make(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["make", *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What `make verify` and `make clean-evidence` need, with an environment that counts as installed."""
    for name in ("Makefile", "config.yaml", "configs", "pyproject.toml", "requirements.lock"):
        (tmp_path / name).symlink_to(ROOT / name)
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    command = f'PYTHONPATH={ROOT / "scripts"} exec {sys.executable} -m unmask.command.main "$@"'
    (programs / "unmask").write_text(f"#!/bin/sh\n{command}\n")
    (programs / "unmask").chmod(0o755)
    (tmp_path / ".venv/.installed").touch()
    return tmp_path


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("target", ["verify", "clean-evidence"])
def test_make_asks_for_the_folder(folder: Path, target: str) -> None:
    (folder / "x").mkdir()
    (folder / "x/demo.yaml").write_text("study: t1\n")
    done = make(folder, target, "STUDY=x/demo.yaml")
    assert done.returncode and "results/t1" in done.stderr and "results/demo" not in done.stdout + done.stderr
    done = make(folder, target, "STUDY=nowhere.yaml")
    assert done.returncode and "error: nowhere.yaml: no such file" in done.stderr
