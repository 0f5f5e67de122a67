"""The conda environment, pyproject and the lock name the same packages."""

import re
import tomllib
from pathlib import Path

import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"pytorch": "torch", "huggingface_hub": "huggingface-hub"}
OF_THE_WORKFLOW = {"snakemake"}
"""Needed where Snakemake runs, not by its jobs."""


def bounds(requirements: list[str]) -> dict[str, str]:
    pairs = (re.split(r"(?=[<>=])", requirement, maxsplit=1) for requirement in requirements)
    return {CONDA_NAMES.get(name, name): bound for name, *rest in pairs for bound in ("".join(rest),)}


def conda_bounds() -> dict[str, str]:
    every = yaml.safe_load((ROOT / "envs/unmask.yaml").read_text())["dependencies"]
    # a package that conda-forge lacks comes by pip
    by_pip = [package for each in every if isinstance(each, dict) for package in each["pip"]]
    return bounds([each for each in every if isinstance(each, str) and each != "pip"] + by_pip)


def test_the_environment_has_the_packages_and_bounds_of_the_project() -> None:
    project = bounds([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["gguf"]])
    jobs = {name: bound for name, bound in project.items() if name not in OF_THE_WORKFLOW}
    assert conda_bounds() == jobs | {"python": PROJECT["requires-python"]}


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


def test_what_is_locked_is_within_the_bounds_of_the_environment() -> None:
    """What conda may solve for the environment has the versions that the tests run with."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = dict(line.lower().replace("_", "-").split("==") for line in lines if "==" in line)
    for name, bound in conda_bounds().items():
        if name != "python":
            assert SpecifierSet(bound).contains(locked[name.lower()], prereleases=True), name
