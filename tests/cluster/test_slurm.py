"""The workflow on a real Slurm: the same results, GPUs shared, nothing lost."""

import copy
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runs import Run, differing, running
from slurm_here import GPUS, Job, Slurm, why_not
from small_study import Workflow

pytestmark = pytest.mark.thorough

TARGET = "present_pairs"
PROFILE = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
"""As a user says it, but with an eye on the jobs sooner, as they are short."""


@contextmanager
def on_slurm(workflow: Workflow, *arguments: str, log: str = "run.log") -> Iterator[Run]:
    """Snakemake at work on the cluster; it is ended with the block, and cancels its jobs."""
    with running(workflow, *arguments, log=log, place=PROFILE, at_end=signal.SIGINT) as run:
        yield run


def scoring(slurm: Slurm, workflow: Workflow) -> list[Job]:
    """The jobs that score for a workflow, or have done so, in the order of their submission."""
    return [
        job
        for job in slurm.jobs()
        if job.facts["WorkDir"] == str(workflow.folder) and job.name.startswith("rule_evidence")
    ]


def command_of(process: int) -> str:
    """The command line of a process; empty where it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


def wait_for_scoring(slurm: Slurm, workflow: Workflow, run: Run) -> tuple[Job, list[int]]:
    """A scoring job of a workflow, once its script is at work, and its processes."""

    def at_work() -> tuple[Job, list[int]] | None:
        for job in scoring(slurm, workflow):
            processes = slurm.processes(job)
            if any("score_evidence.py" in command_of(process) for process in processes):
                return job, processes
        return None

    return run.wait_for(at_work)


def as_here(local: Workflow, workflow: Workflow) -> bool:
    """Whether the results are those of the run on this machine, in every byte."""
    one, other = (each.folder / "results" / each.config["study"] for each in (local, workflow))
    return differing(one, other) == []


def unfinished(finished: Workflow, folder: Path, which: str = "bert/crows") -> Workflow:
    """The small study without the evidence of some models and benchmarks, and what follows from it."""
    shutil.copytree(finished.folder, folder, symlinks=True)
    results = folder / "results/small"
    for place in ("evidence", "scores", "statistics"):
        for path in results.glob(f"{place}/{which}"):
            shutil.rmtree(path)
    shutil.rmtree(results / "tables")
    return Workflow(folder, copy.deepcopy(finished.config))


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """A Slurm with two pretended GPUs; skipped where there can be none."""
    reason = why_not()
    if reason:
        pytest.skip(f"no Slurm: {reason}")
    with Slurm(tmp_path_factory.mktemp("slurm") / "cluster") as cluster:
        yield cluster


def test_a_cancelled_job_is_tried_again_with_twice_as_much(
    slurm: Slurm, finished: Workflow, tmp_path: Path
) -> None:
    workflow = unfinished(finished, tmp_path / "unmask")
    with on_slurm(workflow, TARGET) as run:
        job, _ = wait_for_scoring(slurm, workflow, run)
        slurm.ask("scancel", str(job.number))
        said = run.finish()
    first, second = scoring(slurm, workflow)
    assert (first.state, second.state) == ("CANCELLED", "COMPLETED")
    assert [job.facts["TimeLimit"] for job in (first, second)] == ["08:00:00", "16:00:00"]
    assert [job.facts["MinMemoryNode"] for job in (first, second)] == ["4000M", "8000M"]
    assert f"SLURM-job '{first.number}' failed, SLURM status is: 'CANCELLED'" in said
    assert as_here(finished, workflow)


def test_a_killed_snakemake_is_followed_by_one_that_finishes(
    slurm: Slurm, finished: Workflow, tmp_path: Path
) -> None:
    workflow = unfinished(finished, tmp_path / "unmask")
    with on_slurm(workflow, TARGET) as run:
        _, processes = wait_for_scoring(slurm, workflow, run)
        # held until the second run has its own job, however long that one takes to plan
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        run.signal(signal.SIGKILL)
        run.end()
    with on_slurm(workflow, TARGET, log="again.log") as again:
        again.wait_for(lambda: len(scoring(slurm, workflow)) == 2)
        for process in processes:
            os.kill(process, signal.SIGCONT)
        again.finish()
    # the first run's job was left to itself, beside the second run's
    assert [job.state for job in scoring(slurm, workflow)] == ["COMPLETED", "COMPLETED"]
    assert as_here(finished, workflow)
    done = workflow.snakemake(TARGET)
    assert "Nothing to be done" in done.stdout + done.stderr


def test_jobs_that_run_a_model_have_a_gpu_each_and_no_others(
    slurm: Slurm, finished: Workflow, tmp_path: Path
) -> None:
    workflow = unfinished(finished, tmp_path / "unmask", "*/*")
    with on_slurm(workflow, TARGET) as run:
        run.finish()
    assert as_here(finished, workflow)
    jobs = [job for job in slurm.jobs("COMPLETED") if job.facts["WorkDir"] == str(workflow.folder)]
    devices = slurm.devices()
    with_gpu = [job for job in jobs if job.gpus]
    assert {job.name.split("_")[1] for job in with_gpu} == {"evidence"}
    assert {job.name.split("_")[1] for job in jobs if not job.gpus} >= {"measure", "present"}
    for job in jobs:
        expected = [{"0"}, {"1"}] if job.gpus else [{""}]
        assert devices[job.number] in expected, job
        assert job.facts["Partition"] == ("gpu" if job.gpus else "cpu")
    begins = [job.span[0] for job in with_gpu]
    at_once = [sum(job.span[0] <= moment < job.span[1] for job in with_gpu) for moment in begins]
    assert max(at_once) == GPUS


def test_slurm_has_the_job_of_a_failed_node_run_by_another(
    slurm: Slurm, finished: Workflow, tmp_path: Path
) -> None:
    workflow = unfinished(finished, tmp_path / "unmask")
    elsewhere = ["--set-resources", "evidence:gpu=0", "evidence:slurm_partition=failing"]
    with on_slurm(workflow, TARGET, *elsewhere) as run:
        wait_for_scoring(slurm, workflow, run)
        slurm.fail("failing")
        run.finish()
    (job,) = scoring(slurm, workflow)
    assert (job.state, job.facts["Restarts"], job.facts["BatchHost"]) == ("COMPLETED", "1", "without")
    assert as_here(finished, workflow)
