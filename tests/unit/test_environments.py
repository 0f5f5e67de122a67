"""The conda environments, pyproject and the lock name the same packages."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENVIRONMENTS = sorted((ROOT / "envs").glob("*.yaml"))
CONDA_NAMES = {"pytorch": "torch", "huggingface_hub": "huggingface-hub"}
OF_THE_WORKFLOW = {"jsonschema", "snakemake", "rich"}
"""Needed where Snakemake runs, not by its jobs."""


def bounds(requirements: list[str]) -> dict[str, str]:
    pairs = (re.split(r"(?=[<>=])", requirement, maxsplit=1) for requirement in requirements)
    return {CONDA_NAMES.get(name, name): bound for name, *rest in pairs for bound in ("".join(rest),)}


def conda_bounds(path: Path) -> dict[str, str]:
    every = yaml.safe_load(path.read_text())["dependencies"]
    # a package that conda-forge lacks comes by pip
    by_pip = [package for each in every if isinstance(each, dict) for package in each["pip"]]
    return bounds([each for each in every if isinstance(each, str) and each != "pip"] + by_pip)


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_environments_have_the_bounds_of_the_project(path: Path) -> None:
    extra = PROJECT["optional-dependencies"].get(path.stem, [])
    project = bounds([*PROJECT["dependencies"], *extra]) | {"python": PROJECT["requires-python"]}
    found = conda_bounds(path)
    assert found
    assert found == {name: project[name] for name in found}


def test_every_package_of_the_project_is_in_an_environment() -> None:
    in_some = {name for path in ENVIRONMENTS for name in conda_bounds(path)}
    assert set(bounds(PROJECT["dependencies"])) - in_some == OF_THE_WORKFLOW


def test_every_package_of_the_project_is_locked() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    locked = {
        re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lock.splitlines() if "==" in line
    }
    extras = PROJECT["optional-dependencies"]
    # the development extra takes in the others
    others = ("cluster", "gguf")
    of_extras = [package for extra in (*others, "dev") for package in extras[extra]]
    named = bounds([*PROJECT["dependencies"], *of_extras])
    assert {named.pop(f"unmask[{extra}]") for extra in others} == {""}
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in named} <= locked


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_what_is_locked_is_within_the_bounds_of_an_environment(path: Path) -> None:
    """What conda may solve for an environment has the versions that the tests run with."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    for name, bound in conda_bounds(path).items():
        if name != "python":
            assert SpecifierSet(bound).contains(locked[name.lower()], prereleases=True), name
