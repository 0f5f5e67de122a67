"""Bad input gives one clear line, before any work where it can be known; nothing is lost."""

import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
import yaml

from library import EVIDENCE, read_metadata, read_table, write_table
from runs import Run, digests, litter, running
from small_study import Done, Workflow, errors, small_study
from tiny_models import tiny_model, tiny_tokenizer
from workflow_copy import copy_workflow

TARGET = "results/small/evidence/bert/crows/digests.json"
SCORES = "results/small/scores/bert/crows/original.parquet"
LOCK = "results/small/logs/evidence/bert/.crows.log.lock"


def the_error(done: Done) -> str:
    lines = errors(done)
    assert done.returncode != 0 and len(lines) == 1, done.stdout + done.stderr
    return lines[0]


def test_a_bad_key_stops_before_any_work(fresh: Workflow) -> None:
    """tests/unit/test_study.py has the other lines."""
    fresh.config["mesures"] = []
    line = "error: config key (top level): unknown key mesures (did you mean measures? known: "
    assert the_error(fresh.snakemake()).startswith(line)
    assert not (fresh.folder / "results").exists()


def test_a_folder_with_braces_is_one_line(tmp_path: Path) -> None:
    folder = copy_workflow(tmp_path / "a{b}c")
    error = the_error(Workflow(folder, small_study(folder)).snakemake("-n"))
    assert error.startswith(f"error: {folder}: ") and "braces" in error


def test_what_is_in_the_way_of_results_stops_before_any_work(fresh: Workflow) -> None:
    (fresh.folder / "results").symlink_to("/no/such/place")
    assert the_error(fresh.snakemake()).startswith("error: results: not a folder, or a link that")


def test_a_model_that_cannot_be_read_stops_its_own_jobs_alone(fresh: Workflow) -> None:
    """tests/unit/test_models_checking.py has the other lines."""
    tokenizer = tiny_tokenizer("bert")
    tokenizer.mask_token = None
    tokenizer.save_pretrained(tiny_model("bert", fresh.folder / "no-mask"))
    bert, no_mask = fresh.config["models"]["bert"], {"source": "path", "path": "no-mask"}
    fresh.config |= {"models": {"bert": bert, "no-mask": no_mask}, "measures": ["AUL"]}
    error = the_error(fresh.snakemake(SCORES, SCORES.replace("bert", "no-mask")))
    assert "no-mask" in error and "mask token" in error
    assert [path.name for path in (fresh.folder / "results/small/evidence").iterdir()] == ["bert"]
    assert (fresh.folder / SCORES).exists()


def same(name: str, workflow: Workflow, undisturbed: Workflow) -> bool:
    return (workflow.folder / name).read_bytes() == (undisturbed.folder / name).read_bytes()


def job_at_work(run: Run, script: str, lock: Path) -> psutil.Process:
    """A job of that script, once it holds its lock; it is halted then, so that there is time."""
    job = run.wait_for_job(script)
    assert job, run.log.read_text()
    run.wait_for(lock.exists)
    job.suspend()
    return job


def test_a_killed_run_is_started_again_and_its_jobs_are_waited_for(
    fresh: Workflow, finished: Workflow
) -> None:
    with running(fresh, TARGET) as killed:
        job = job_at_work(killed, "score_evidence", fresh.folder / LOCK)
        killed.signal(signal.SIGKILL)
        assert killed.end() == -signal.SIGKILL
    try:
        with running(fresh, TARGET, log="again.log") as again:
            waits = "of a run that was killed is still at this: waiting for it"
            again.wait_for(lambda: waits in again.log.read_text())
            job.resume()
            assert again.end() == 0, again.log.read_text()
    finally:
        with suppress(psutil.NoSuchProcess):
            job.kill()
    assert same(TARGET, fresh, finished)
    # the second job found the first one's tables, of equal facts, and left it at that
    log = fresh.read("logs", "evidence", "bert", "crows.log")
    assert "nothing is left to do" in log
    assert litter(fresh.folder / "results") == []
    assert "Nothing to be done" in fresh.snakemake(TARGET).stderr


@pytest.mark.thorough
def test_two_runs_at_once(fresh: Workflow, finished: Workflow) -> None:
    with running(fresh, TARGET) as first:
        job = job_at_work(first, "score_evidence", fresh.folder / LOCK)
        try:
            # of the same study: refused in one line, but for looking
            error = the_error(fresh.snakemake(TARGET))
            line = "another run is at work in results/small; wait for it or stop it, then run again"
            assert error == f"error: {line}"
            assert fresh.snakemake("-n", TARGET).returncode == 0
            # of another study in the same folder: both go on
            other = yaml.safe_dump(fresh.config | {"study": "other"})
            (fresh.folder / "other.yaml").write_text(other)
            table = "results/other/benchmarks/crows.parquet"
            done = fresh.command(table, "--configfile", "other.yaml")
            assert done.returncode == 0, done.stdout + done.stderr
            assert same(table.replace("other", "small"), fresh, finished)
        finally:
            job.resume()
        assert first.end() == 0, first.log.read_text()
    assert same(TARGET, fresh, finished)
    assert litter(fresh.folder / "results") == []


@pytest.mark.thorough
def test_a_full_disk_and_one_that_takes_no_writing(
    fresh: Workflow, finished: Workflow, small_disk: Path
) -> None:
    def remount(option: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{option}", str(small_disk)], check=True)

    (fresh.folder / "results").symlink_to(small_disk)
    # room for the benchmark, and not for the model
    remount("size=60k")
    error = the_error(fresh.snakemake(TARGET))
    model = "results/small/models/bert/files"
    reason = "No space left on device"
    assert error == f"error: model bert: {model}: cannot be written ({reason})"
    assert litter(small_disk) == []
    benchmark = fresh.folder / "results/small/benchmarks/crows.parquet"
    before = benchmark.stat().st_mtime_ns
    remount("size=4m")
    fresh.run(TARGET)
    assert benchmark.stat().st_mtime_ns == before
    assert same(TARGET, fresh, finished)

    remount("ro")
    kept = digests(small_disk / "small")
    error = the_error(fresh.snakemake())
    reason = "Read-only file system"
    assert error == f"error: results/small: cannot be written ({reason})"
    assert digests(small_disk / "small") == kept


@pytest.mark.thorough
def test_evidence_that_someone_else_broke_is_not_used(copied: Workflow, finished: Workflow) -> None:
    list_ = copied.folder / TARGET
    table = list_.with_name("original") / "none.parquet"
    list_.write_bytes(list_.read_bytes()[:-100])
    line = f"{TARGET}: not a readable list of tables; delete it and run again"
    assert the_error(copied.snakemake(SCORES)) == f"error: model bert, benchmark crows: {line}"
    list_.unlink()
    copied.run(SCORES)
    assert same(TARGET, copied, finished) and same(SCORES, copied, finished)
    # of the right form, and with other numbers
    rows = read_table(table, EVIDENCE)
    rows["log_prob"] -= 1
    write_table(table, rows, EVIDENCE, read_metadata(table))
    (copied.folder / SCORES).unlink()
    error = the_error(copied.snakemake(SCORES))
    assert str(table.relative_to(copied.folder)) in error and "altered" in error
    # as the line says
    table.unlink()
    list_.unlink()
    copied.run(SCORES)
    assert same(SCORES, copied, finished)
