"""Bad input gives one clear line, before any work where it can be known; nothing is lost."""

import copy
import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
import yaml

from killing import Run, digests, litter, running
from library import EVIDENCE, read_metadata, read_table, write_table
from small_study import Done, Workflow, small_study
from tiny_models import tiny_model, tiny_tokenizer
from workflow_copy import copy_workflow

TARGET = "results/small/evidence/bert/crows/digests.json"
SCORES = "results/small/scores/bert/crows/original.parquet"
LOCK = "results/small/logs/evidence/bert/.crows.log.lock"


def lines_of(done: Done) -> list[str]:
    """The lines that say what is wrong."""
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: ")]


def the_error(done: Done) -> str:
    lines = lines_of(done)
    assert done.returncode != 0 and len(lines) == 1, done.stdout + done.stderr
    return lines[0]


def test_a_bad_key_stops_before_any_work(fresh: Workflow) -> None:
    """tests/unit/test_study.py has the other lines."""
    fresh.config["mesures"] = []
    line = "error: config key (top level): unknown key mesures (did you mean measures? known: "
    assert the_error(fresh.snakemake()).startswith(line)
    assert not (fresh.folder / "results").exists()


def test_a_study_by_the_path_of_its_file(fresh: Workflow) -> None:
    (fresh.folder / "mine.yaml").write_text(yaml.safe_dump(fresh.config))
    done = fresh.command("-n", "--config", "study=mine.yaml")
    # and none of the default study's models
    assert "results/small/report/index.html" in done.stdout and "tiny-bert" not in done.stdout, done.stderr
    assert the_error(fresh.command("--config", "study=none.yaml")) == "error: none.yaml: no such file"


def test_a_folder_with_braces_is_one_line(tmp_path: Path) -> None:
    folder = copy_workflow(tmp_path / "a{b}c")
    error = the_error(Workflow(folder, small_study(folder)).snakemake("-n"))
    assert error.startswith(f"error: {folder}: ") and "braces" in error


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_is_in_the_way_of_results_stops_before_any_work(fresh: Workflow, kind: str) -> None:
    results = fresh.folder / "results"
    if kind == "file":
        results.touch()
    else:
        results.symlink_to("/no/such/place")
    assert the_error(fresh.snakemake()).startswith("error: results: not a folder, or a link that")


def test_models_that_cannot_be_read_stop_their_own_jobs_alone(fresh: Workflow) -> None:
    """One without a mask token, one whose weights are not all used, and one without a layer."""
    bert = fresh.config["models"]["bert"]
    tokenizer = tiny_tokenizer("bert")
    tokenizer.mask_token = None
    tokenizer.save_pretrained(tiny_model("bert", fresh.folder / "no-mask"))
    settings = tiny_model("bert", fresh.folder / "half") / "config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"num_hidden_layers": 1}))
    fresh.config["models"] = {
        "bert": bert,
        "half": {"source": "path", "path": "half"},
        "no-mask": {"source": "path", "path": "no-mask"},
        "none": {**bert, "config": {**bert["config"], "num_hidden_layers": 0}},
    }
    fresh.config["measures"] = ["AUL"]
    done = fresh.snakemake(*(SCORES.replace("bert", model) for model in fresh.config["models"]))
    half, no_mask, none = sorted(lines_of(done))
    assert half.startswith("error: model half: ") and "bert.encoder.layer.1." in half
    assert "no-mask" in no_mask and "mask token" in no_mask
    assert none.startswith("error: model none: num_hidden_layers is 0")
    assert [path.name for path in (fresh.folder / "results/small/evidence").iterdir()] == ["bert"]
    assert (fresh.folder / SCORES).exists()


@pytest.fixture
def unrun(finished: Workflow, tmp_path: Path) -> Workflow:
    """The finished study as it was before it was run: what it gives can be held against that."""

    def of_runs(folder: str, names: list[str]) -> set[str]:
        return {"results", ".snakemake"} & set(names) if Path(folder) == finished.folder else set()

    folder = shutil.copytree(finished.folder, tmp_path / "unmask", ignore=of_runs)
    return Workflow(folder, copy.deepcopy(finished.config))


def same(name: str, workflow: Workflow, undisturbed: Workflow) -> bool:
    return (workflow.folder / name).read_bytes() == (undisturbed.folder / name).read_bytes()


def job_at_work(run: Run, script: str, lock: Path) -> psutil.Process:
    """A job of that script, once it holds its lock; it is halted then, so that there is time."""
    job = run.wait_for_job(script)
    assert job, run.log.read_text()
    while not lock.exists():
        assert job.is_running() and run.process.poll() is None, run.log.read_text()
        time.sleep(0.02)
    job.suspend()
    return job


def test_a_killed_run_is_started_again_and_its_jobs_are_waited_for(
    unrun: Workflow, finished: Workflow
) -> None:
    with running(unrun, TARGET) as killed:
        job = job_at_work(killed, "score_evidence", unrun.folder / LOCK)
        killed.signal(signal.SIGKILL)
        assert killed.end() == -signal.SIGKILL
    try:
        with running(unrun, TARGET, log="again.log") as again:
            again.wait_for_line("of a run that was killed is still at this: waiting for it")
            job.resume()
            assert again.end() == 0, again.log.read_text()
    finally:
        with suppress(psutil.NoSuchProcess):
            job.kill()
    assert same(TARGET, unrun, finished)
    # the second job found the first one's tables, of equal facts, and left it at that
    log = unrun.read("logs", "evidence", "bert", "crows.log")
    assert "nothing is left to do" in log and "sequences" not in log
    assert litter(unrun.folder / "results") == []
    assert "Nothing to be done" in unrun.snakemake(TARGET).stderr


@pytest.mark.thorough
def test_two_runs_at_once(unrun: Workflow, finished: Workflow) -> None:
    with running(unrun, TARGET) as first:
        job = job_at_work(first, "score_evidence", unrun.folder / LOCK)
        try:
            # of the same study: refused in one line, but for looking
            error = the_error(unrun.snakemake(TARGET))
            line = "another run is at work in results/small; wait for it or stop it, then run again"
            assert error == f"error: {line}"
            assert unrun.snakemake("-n", TARGET).returncode == 0
            # of another study in the same folder: both go on
            other = yaml.safe_dump(unrun.config | {"study": "other"})
            (unrun.folder / "other.yaml").write_text(other)
            table = "results/other/benchmarks/crows.parquet"
            done = unrun.command(table, "--configfile", "other.yaml")
            assert done.returncode == 0, done.stdout + done.stderr
            assert same(table.replace("other", "small"), unrun, finished)
        finally:
            job.resume()
        assert first.end() == 0, first.log.read_text()
    assert same(TARGET, unrun, finished)
    assert litter(unrun.folder / "results") == []


@pytest.mark.thorough
def test_ctrl_c_is_clean(unrun: Workflow) -> None:
    with running(unrun, TARGET) as run:
        job = job_at_work(run, "score_evidence", unrun.folder / LOCK)
        run.signal(signal.SIGINT, group=True)
        job.resume()
        assert run.end() == 1
    told = run.log.read_text()
    assert "stopped by Ctrl-C" in told and "Traceback" not in told, told
    assert not (unrun.folder / TARGET).exists()
    assert litter(unrun.folder / "results") == []


@pytest.mark.thorough
def test_a_full_disk_and_one_that_takes_no_writing(
    unrun: Workflow, finished: Workflow, small_disk: Path
) -> None:
    def remount(option: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{option}", str(small_disk)], check=True)

    (unrun.folder / "results").symlink_to(small_disk)
    # room for the benchmark, and not for the model
    remount("size=60k")
    error = the_error(unrun.snakemake(TARGET))
    model = "results/small/models/bert/files"
    reason = "No space left on device; fix that and run again"
    assert error == f"error: model bert: {model}: cannot be written: {reason}"
    assert litter(small_disk) == []
    benchmark = unrun.folder / "results/small/benchmarks/crows.parquet"
    before = benchmark.stat().st_mtime_ns
    remount("size=4m")
    done = unrun.snakemake(TARGET)
    assert done.returncode == 0, done.stdout + done.stderr
    assert benchmark.stat().st_mtime_ns == before
    assert same(TARGET, unrun, finished)

    remount("ro")
    kept = digests(small_disk / "small")
    error = the_error(unrun.snakemake())
    reason = "Read-only file system; fix that and run again"
    assert error == f"error: results/small: cannot be written: {reason}"
    assert digests(small_disk / "small") == kept


@pytest.mark.thorough
def test_evidence_that_someone_else_broke_is_not_used(copied: Workflow, finished: Workflow) -> None:
    list_, table = (
        copied.folder / TARGET,
        copied.folder / TARGET.replace("digests.json", "original/none.parquet"),
    )
    list_.write_bytes(list_.read_bytes()[:-100])
    line = f"{TARGET}: not a readable list of tables; delete it and run again"
    assert the_error(copied.snakemake(SCORES)) == f"error: model bert, benchmark crows: {line}"
    list_.unlink()
    done = copied.snakemake(SCORES)
    assert done.returncode == 0, done.stdout + done.stderr
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
    done = copied.snakemake(SCORES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert same(SCORES, copied, finished)


@pytest.mark.thorough
def test_a_model_that_someone_else_broke_is_named(copied: Workflow, finished: Workflow) -> None:
    model = "results/small/models/bert"
    weights = copied.folder / model / "files/model.safetensors"
    os.truncate(weights, weights.stat().st_size // 2)
    (copied.folder / TARGET).unlink()
    error = the_error(copied.snakemake(TARGET))
    weights_name = f"{model}/files/model.safetensors"
    about = "model bert, benchmark crows"
    assert error.startswith(f"error: {about}: {weights_name}: is another file than when")
    assert error.endswith(f"; delete {model} and run again")
    shutil.rmtree(copied.folder / model)
    done = copied.snakemake(TARGET)
    assert done.returncode == 0, done.stdout + done.stderr
    assert same(TARGET, copied, finished)


@pytest.mark.thorough
def test_a_killed_training_is_done_again_to_the_same_model(fresh: Workflow) -> None:
    fresh.config["worlds"] = {"w": {}}
    hasty = {"source": "train", "architecture": "bert", "world": "w", "steps": 200, "gate": False}
    fresh.config["models"] = {"hasty": hasty}
    model = fresh.folder / "results/small/models/hasty"
    manifest = str((model / "manifest.json").relative_to(fresh.folder))
    done = fresh.snakemake(manifest)
    assert done.returncode == 0, done.stdout + done.stderr
    undisturbed = digests(model)
    shutil.rmtree(model)
    log = fresh.folder / "results/small/logs/models/hasty/making.log"
    log.unlink()
    with running(fresh, manifest) as run:
        job = run.wait_for_job("make_model")
        assert job, run.log.read_text()
        while not log.exists() or "step" not in log.read_text():
            assert job.is_running(), run.log.read_text()
            time.sleep(0.02)
        job.kill()
        assert run.end() != 0, run.log.read_text()
    done = fresh.snakemake(manifest)
    assert done.returncode == 0, done.stdout + done.stderr
    assert digests(model) == undisturbed
    assert litter(fresh.folder / "results") == []
