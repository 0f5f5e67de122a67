"""Plant the faults of faults.yaml, each by itself, in a copy of the project, and run tests that may find it.

python tests/faults/plant.py                all of them
python tests/faults/plant.py holm weat-d    some

Tests that `make test` leaves out are left out. Status 0: a test fails at every fault. 1: at some all pass.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from shutil import copy2
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "scripts/unmask"

Fault = Mapping[str, Any]


def copy_project(folder: Path) -> None:
    """The files that git tracks, or does not ignore, as they are now."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            copy2(ROOT / name, folder / name, follow_symlinks=False)


def preload() -> None:
    """What takes seconds to import, once for all faults."""
    import pandas  # noqa: F401
    import transformers  # noqa: F401


class Failures:
    """A plugin of pytest that notes the tests that fail, and the files that cannot be run."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.names += [report.nodeid] if report.failed else []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.names += [report.nodeid] if report.failed else []


def first_failure(folder: Path, files: list[str]) -> str:
    """The first test that fails; empty where all pass."""
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder / "scripts")
    failures = Failures()
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-m", "not thorough"]
        status = pytest.main([*options, *files], [failures])
    if bool(failures.names) != bool(status):
        raise SystemExit(f"pytest ends with status {status}")
    return failures.names[0].partition("[")[0].rpartition("/")[2] if failures.names else ""


def planted(folder: Path, fault: Fault) -> str:
    """The test that finds a fault; empty where none does."""
    path = folder / LIBRARY / fault["file"]
    right = path.read_text(encoding="utf-8")
    if right.count(fault["code"]) != 1:
        raise SystemExit(f"{fault['file']} has not once: {fault['code']}")
    path.write_text(right.replace(fault["code"], fault["fault"]), encoding="utf-8")
    every = {file.stem: str(file) for file in folder.glob("tests/*/test_*.py")}
    files = [every[name] for name in fault["tests"]]
    try:
        # a process of its own, which imports the library as it is now
        with ProcessPoolExecutor(1, get_context("fork")) as process:
            return process.submit(first_failure, folder, files).result()
    finally:
        path.write_text(right, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant faults, and say which test finds each.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    faults: dict[str, Fault] = yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text("utf-8"))
    os.environ["OMP_NUM_THREADS"] = "1"
    preload()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy_project(Path(folder))
        for name in options.names or faults:
            test = planted(Path(folder), faults[name])
            missed += not test
            print(f"{name}: {f'found by {test}' if test else 'not found'}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
