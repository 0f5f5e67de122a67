"""Results that are not as the study's jobs wrote them are noticed, and not used."""

import subprocess
import sys
from pathlib import Path

import pytest

from library import EVIDENCE, read_metadata, read_table, write_table
from small_study import Done, Workflow

SMALL = Path("results/small")


def unmask(workflow: Workflow, *arguments: str) -> Done:
    command = [sys.executable, "-m", "unmask.command.main", *arguments, str(SMALL)]
    environment = {"PYTHONPATH": str(workflow.folder / "scripts")}
    return subprocess.run(command, cwd=workflow.folder, env=environment, capture_output=True, text=True)


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


def test_folders_behind_links_are_verified_and_cleaned_like_others(copied: Workflow, tmp_path: Path) -> None:
    plain = unmask(copied, "verify"), unmask(copied, "clean")
    assert plain[0].returncode == plain[1].returncode == 0, plain
    evidence = copied.folder / SMALL / "evidence"
    evidence.rename(tmp_path / "elsewhere")
    evidence.symlink_to(tmp_path / "elsewhere")
    linked = unmask(copied, "verify"), unmask(copied, "clean")
    assert [done.stdout for done in linked] == [done.stdout for done in plain]
    assert f"{SMALL}/evidence: 0." in linked[1].stdout
    done = unmask(copied, "clean", "--yes")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert evidence.is_symlink() and not list((tmp_path / "elsewhere").rglob("*.parquet"))


@pytest.mark.parametrize("target", ["nowhere", "."])
def test_links_that_lead_nowhere_or_back_are_one_line(copied: Workflow, target: str) -> None:
    (copied.folder / SMALL / "link").symlink_to(target)
    for command in ("verify", "clean"):
        done = unmask(copied, command)
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: {SMALL}/link: a link to ")
