"""File systems that lack what others have: without locks and hard links the results are the same."""

import shutil
import sys
from pathlib import Path

import pytest

from runs import digests, litter
from small_study import Workflow

SCORES = "results/small/scores/bert/crows/original.parquet"
REFUSING = """
import errno, fcntl, os


def refuse_with(number):
    def refuse(*arguments, **options):
        raise OSError(number, os.strerror(number))

    return refuse


fcntl.flock = refuse_with(errno.ENOLCK)
"""
"""What every Python process reads first: the file system has no locks."""


@pytest.mark.thorough
def test_without_locks_results_are_the_same(copied: Workflow, finished: Workflow, tmp_path: Path) -> None:
    for made in ("results", ".snakemake"):
        shutil.rmtree(copied.folder / made)
    (tmp_path / "refusing").mkdir()
    (tmp_path / "refusing/sitecustomize.py").write_text(REFUSING)
    copied.python = sys.executable
    copied.environment = {"PYTHONPATH": str(tmp_path / "refusing")}
    printed = copied.run(SCORES)

    def without_lock(path: str) -> str:
        return f"{path}: no lock can be had here (No locks available): going on without"

    assert without_lock("results/small/.lock") in printed
    log = copied.read("logs", "evidence", "bert", "crows.log")
    assert without_lock("results/small/logs/evidence/bert/.crows.log.lock") in log

    results = copied.folder / "results"
    assert litter(results) == []
    ours, theirs = digests(results / "small"), digests(finished.folder / "results/small")
    assert SCORES.removeprefix("results/small/") in ours
    assert {name for name, digest in ours.items() if theirs[name] != digest} == set()
    assert "Nothing to be done" in copied.snakemake(SCORES).stderr
