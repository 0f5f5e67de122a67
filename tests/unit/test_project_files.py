"""What people expect beside the code: licence, citation, hooks."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = (ROOT / "scripts/unmask/VERSION").read_text().strip()


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def released() -> list[tuple[str, str]]:
    """The changelog's headings as (version, date), the newest first; no date where it is not released."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$", text, re.MULTILINE)


def checks() -> list[str]:
    """The commands of `make check`, without the folder of their programs."""
    makefile = (ROOT / "Makefile").read_text()
    recipe = re.findall(r"^check:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    return [line.strip().removeprefix("$(BIN)/") for line in recipe[0].splitlines()]


def test_the_licence_is_the_same_everywhere() -> None:
    licence = (ROOT / "LICENSE").read_text()
    assert licence.startswith("MIT License\n\nCopyright (c) 2026 The Unmask authors\n")
    assert PROJECT["license"] == loaded("CITATION.cff")["license"] == "MIT"
    assert PROJECT["license-files"] == ["LICENSE"]
    assert PROJECT["authors"] == loaded("CITATION.cff")["authors"] == [{"name": "The Unmask authors"}]


def test_the_citation_is_of_this_version() -> None:
    citation = loaded("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == VERSION
    assert citation["date-released"] == dict(released())[VERSION]
    assert {"message", "title", "authors"} <= set(citation)
    entry = (ROOT / "CITATION.bib").read_text(encoding="utf-8").partition("\n\n")[0]
    assert f"version = {{{VERSION}}}" in entry and f"title = {{{{{citation['title']}}}}}" in entry


def test_the_hooks_are_commands_of_make_check() -> None:
    (repository,) = loaded(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    hooks = repository["hooks"]
    assert [hook["id"] for hook in hooks] == ["ruff", "ruff-format", "snakefmt", "mypy"]
    known = checks()
    for hook in hooks:
        # the programs of .venv, given no files: exactly what `make check` runs
        assert hook["entry"].removeprefix(".venv/bin/") in known, hook["id"]
        assert hook["entry"].startswith(".venv/bin/")
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)


in_a_clone = pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a clone of the repository"
)


def listed(*command: str) -> set[str]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {str((ROOT / line).relative_to(ROOT)) for line in done.stdout.splitlines()}


@in_a_clone
def test_every_python_file_of_the_repository_is_linted() -> None:
    ours = listed("git", "ls-files", "*.py")
    assert "scripts/unmask/results/verifying.py" in ours
    assert ours <= listed(sys.executable, "-m", "ruff", "check", "--show-files")


@in_a_clone
def test_of_results_only_the_readme_is_in_the_repository() -> None:
    def ignored(path: str) -> bool:
        # tracked or not: what the patterns say
        command = ["git", "-C", str(ROOT), "check-ignore", "--quiet", "--no-index", path]
        return subprocess.run(command).returncode == 0

    assert (ROOT / "results/README.md").is_file()
    assert not ignored("results/README.md")
    assert ignored("results/demo/report/index.html") and ignored("results/demo/README.md")
    # the library's own package of that name is not meant
    assert not ignored("scripts/unmask/results/verifying.py")
