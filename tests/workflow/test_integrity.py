"""Results that are not as the study's jobs wrote them are noticed, and not used."""

import copy
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from library import EVIDENCE, read_metadata, read_table, write_table
from small_study import Done, Workflow

SMALL = Path("results/small")


def library(workflow: Workflow, module: str, *arguments: str) -> Done:
    command = [sys.executable, "-m", f"unmask.results.{module}", str(SMALL), *arguments]
    environment = {"PYTHONPATH": str(workflow.folder / "scripts")}
    return subprocess.run(command, cwd=workflow.folder, env=environment, capture_output=True, text=True)


def alter(path: Path) -> None:
    """Another last byte, in place and with the old dates, as a careless tool leaves it."""
    stat = path.stat()
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(b"x" if last != b"x" else b"y")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def the_error(done: Done) -> str:
    assert done.returncode != 0, done.stdout + done.stderr
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: ")]
    assert lines, done.stdout + done.stderr
    return lines[0]


def test_altered_evidence_is_not_used(copied: Workflow) -> None:
    table = copied.folder / SMALL / "evidence/bert/crows/original/none.parquet"
    rows = read_table(table, EVIDENCE)
    rows["log_prob"] -= 1
    written = table.with_suffix(".new")
    write_table(written, rows, EVIDENCE, read_metadata(table))
    written.rename(table)
    scores = SMALL / "scores/bert/crows/original.parquet"
    before = (copied.folder / scores).read_bytes()
    # its other results are made of what is there
    (copied.folder / scores).unlink()
    error = the_error(copied.snakemake(str(scores)))
    assert str(table.relative_to(copied.folder)) in error and "altered" in error
    # as the line says
    table.unlink()
    (table.parents[1] / "digests.json").unlink()
    done = copied.snakemake(str(scores))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (copied.folder / scores).read_bytes() == before


@pytest.mark.parametrize(
    "name",
    [
        "settings.json",
        "register.json",
        "report/index.html",
        "report/summary.txt",
        "report/sections/provenance.json",
        "tables/bias.csv",
        "benchmarks/crows.parquet",
        "scores/bert/crows/original.parquet",
        "statistics/bert/crows/bias.parquet",
        "models/bert/files/model.safetensors",
        "evidence/bert/crows/original/none.parquet",
        "evidence/bert/crows/digests.json",
    ],
)
def test_every_class_of_file_is_verified(copied: Workflow, name: str) -> None:
    alter(copied.folder / SMALL / name)
    done = library(copied, "verifying")
    assert done.returncode != 0
    assert any(name in line for line in (done.stdout + done.stderr).splitlines() if "error: " in line)


@pytest.mark.thorough
def test_results_of_another_seed_put_back_are_noticed(copied: Workflow, tmp_path: Path) -> None:
    backup = shutil.copytree(copied.folder / SMALL, tmp_path / "backup", symlinks=True)
    other = copy.deepcopy(copied.config)
    other.setdefault("statistics", {}).setdefault("chance", {}).update(seed=7)
    copied.run(other)
    assert copied.snakemake(config=other).returncode == 0
    shutil.rmtree(copied.folder / SMALL)
    shutil.copytree(backup, copied.folder / SMALL, symlinks=True)
    error = the_error(copied.snakemake(config=other))
    assert "settings.json" in error and "seed" in error and "--forceall" in error


def test_one_table_of_another_run_is_noticed(copied: Workflow) -> None:
    assert copied.snakemake().returncode == 0
    table = copied.folder / SMALL / "scores/bert/crows/original.parquet"
    alter(table)
    assert str(SMALL / "scores/bert/crows/original.parquet") in the_error(copied.snakemake())


def test_folders_behind_links_are_verified_and_cleaned_like_others(copied: Workflow, tmp_path: Path) -> None:
    plain = library(copied, "verifying"), library(copied, "cleaning")
    assert plain[0].returncode == plain[1].returncode == 0, plain
    evidence = copied.folder / SMALL / "evidence"
    evidence.rename(tmp_path / "elsewhere")
    evidence.symlink_to(tmp_path / "elsewhere")
    linked = library(copied, "verifying"), library(copied, "cleaning")
    assert [done.stdout for done in linked] == [done.stdout for done in plain]
    assert " 0.0 kB" not in linked[1].stdout
    done = library(copied, "cleaning", "--yes")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert evidence.is_symlink() and not list((tmp_path / "elsewhere").rglob("*.parquet"))


@pytest.mark.parametrize("target", ["nowhere", "."])
def test_links_that_lead_nowhere_or_back_are_one_line(copied: Workflow, target: str) -> None:
    (copied.folder / SMALL / "link").symlink_to(target)
    for module in ("verifying", "cleaning"):
        done = library(copied, module)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: {SMALL}/link: a link to ")
