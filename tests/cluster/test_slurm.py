"""The workflow on a real Slurm: the same results, GPUs shared, nothing lost."""

import copy
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cluster_run import on_slurm, scoring, wait_for_scoring
from library import STATISTICS
from runs import PATIENCE, Run, differing
from slurm_here import GPUS, Slurm, why_not
from small_study import Workflow

pytestmark = pytest.mark.thorough

TARGET = "present_pairs"
BY_SCORING = ("evidence", "scores")
"""What is made by jobs that run a model, and the scores."""
OF_SCORES = (
    *(f"statistics/*/*/{name}.parquet" for name in STATISTICS),
    "tables/bias.csv",
)
"""What leads from the tables to these: as long as it is there, nobody misses them."""


def as_here(local: Workflow, workflow: Workflow) -> bool:
    """Whether the results are those of the run on this machine, in every byte."""
    one, other = (each.folder / "results" / each.config["study"] for each in (local, workflow))
    return differing(one, other) == []


def unfinished(finished: Workflow, folder: Path) -> Workflow:
    """The small study without some of its evidence and what follows from it, up to the tables."""
    shutil.copytree(finished.folder, folder, symlinks=True)
    results = folder / "results/small"
    for place in ("evidence/bert/crows", "scores/bert/crows", "statistics/bert/crows", "tables"):
        shutil.rmtree(results / place)
    return Workflow(folder, copy.deepcopy(finished.config))


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """A Slurm with two pretended GPUs; skipped where there can be none."""
    reason = why_not()
    if reason:
        pytest.skip(f"no Slurm: {reason}")
    with Slurm(tmp_path_factory.mktemp("slurm") / "cluster") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def stuck(
    slurm: Slurm, finished: Workflow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workflow, Run]]:
    """A run whose scoring job may take one minute, then an hour, and hangs at the first attempt."""
    workflow = unfinished(finished, tmp_path_factory.mktemp("stuck") / "unmask")
    limits = ["evidence:runtime=1 if attempt == 1 else 60", "evidence:slurm_partition=gpu"]
    with on_slurm(workflow, TARGET, "--set-resources", *limits) as run:
        _, processes = wait_for_scoring(slurm, workflow, run)
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        yield workflow, run


@pytest.fixture(scope="module")
def demonstrating(
    slurm: Slurm, demonstration: Workflow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workflow, Run]]:
    """A run of the demonstration with one model, from its evidence to its tables."""
    folder = tmp_path_factory.mktemp("demonstration-slurm") / "unmask"
    shutil.copytree(demonstration.folder, folder, symlinks=True)
    results = folder / "results" / demonstration.config["study"]
    for place in BY_SCORING:
        shutil.rmtree(results / place)
    for path in (path for pattern in OF_SCORES for path in results.glob(pattern)):
        path.unlink()
    workflow = Workflow(folder, copy.deepcopy(demonstration.config))
    with on_slurm(workflow, TARGET, python=workflow.python) as run:
        yield workflow, run


@pytest.fixture(scope="module")
def node_failed(
    slurm: Slurm, finished: Workflow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[tuple[Workflow, Run]]]:
    """Two runs whose scoring jobs are on a node when it fails; Slurm may run that of the first again."""
    elsewhere = ["--set-resources", "evidence:gpu=0", "evidence:slurm_partition=failing"]
    with ExitStack() as stack:
        runs = []
        for options in ([], ["--slurm-no-requeue"]):
            workflow = unfinished(finished, tmp_path_factory.mktemp("failing") / "unmask")
            runs.append((workflow, stack.enter_context(on_slurm(workflow, TARGET, *elsewhere, *options))))
        for workflow, run in runs:
            _, processes = wait_for_scoring(slurm, workflow, run)
            # held until the other run has its job there too
            for process in processes:
                os.kill(process, signal.SIGSTOP)
        slurm.fail("failing")
        yield runs


@pytest.fixture(scope="module", autouse=True)
def begun(stuck: object, node_failed: object, demonstrating: object) -> None:
    """They take minutes and mostly wait: the first tests run beside them, the last ones wait for them."""


def test_a_cancelled_job_is_tried_again(slurm: Slurm, finished: Workflow, tmp_path: Path) -> None:
    workflow = unfinished(finished, tmp_path / "unmask")
    with on_slurm(workflow, TARGET) as run:
        job, _ = wait_for_scoring(slurm, workflow, run)
        slurm.ask("scancel", str(job.number))
        said = run.finish()
    first, second = scoring(slurm, workflow)
    assert (first.state, second.state) == ("CANCELLED", "COMPLETED")
    assert second.minutes == 2 * first.minutes
    assert f"SLURM-job '{first.number}' failed, SLURM status is: 'CANCELLED'" in said
    assert as_here(finished, workflow)


def test_a_job_over_its_memory_is_tried_again_with_more(
    slurm: Slurm, finished: Workflow, tmp_path: Path
) -> None:
    workflow = unfinished(finished, tmp_path / "unmask")
    # PyTorch alone takes more than the first attempt may
    limits = ["evidence:mem_mb=200 if attempt == 1 else 4000 * attempt", "evidence:slurm_partition=gpu"]
    with on_slurm(workflow, TARGET, "--set-resources", *limits) as run:
        run.finish()
    first, second = scoring(slurm, workflow)
    # OUT_OF_MEMORY is said by a Slurm with control groups
    assert (first.state, second.state) == ("FAILED", "COMPLETED")
    # Snakemake shows it only where the job had come to a log of its own
    (log,) = workflow.folder.glob(f".snakemake/slurm_logs/**/{first.number}.log")
    assert "exceeded memory limit" in log.read_text()
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
        end = time.monotonic() + PATIENCE
        while len(scoring(slurm, workflow)) < 2:
            assert again.process.poll() is None and time.monotonic() < end, again.log.read_text()
            time.sleep(0.2)
        for process in processes:
            os.kill(process, signal.SIGCONT)
        again.finish()
    # the first run's job was left to itself, beside the second run's
    assert [job.state for job in scoring(slurm, workflow)] == ["COMPLETED", "COMPLETED"]
    assert as_here(finished, workflow)
    done = workflow.snakemake(TARGET)
    assert "Nothing to be done" in done.stdout + done.stderr


def test_the_demonstration_gives_the_same_results(
    demonstration: Workflow, demonstrating: tuple[Workflow, Run]
) -> None:
    workflow, run = demonstrating
    run.finish()
    assert as_here(demonstration, workflow)


def test_jobs_that_run_a_model_have_a_gpu_each_and_no_others(
    slurm: Slurm, demonstrating: tuple[Workflow, Run]
) -> None:
    demonstrating[1].finish()
    # those for the node that fails ask for none, though they run a model
    jobs = [job for job in slurm.jobs("COMPLETED") if job.facts["Partition"] != "failing"]
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


def test_a_job_out_of_time_is_tried_again_with_more(
    slurm: Slurm, finished: Workflow, stuck: tuple[Workflow, Run]
) -> None:
    workflow, run = stuck
    run.finish()
    first, second = scoring(slurm, workflow)
    assert (first.state, second.state) == ("TIMEOUT", "COMPLETED")
    assert (first.minutes, second.minutes) == (1, 60)
    assert as_here(finished, workflow)


def test_slurm_has_the_job_of_a_failed_node_run_by_another(
    slurm: Slurm, finished: Workflow, node_failed: list[tuple[Workflow, Run]]
) -> None:
    workflow, run = node_failed[0]
    run.finish()
    (job,) = scoring(slurm, workflow)
    assert (job.state, job.facts["Restarts"], job.facts["BatchHost"]) == ("COMPLETED", "1", "without")
    assert as_here(finished, workflow)


def test_snakemake_has_it_run_where_slurm_may_not(
    slurm: Slurm, finished: Workflow, node_failed: list[tuple[Workflow, Run]]
) -> None:
    workflow, run = node_failed[1]
    said = run.finish()
    first, second = scoring(slurm, workflow)
    assert (first.state, second.state) == ("NODE_FAIL", "COMPLETED")
    assert second.facts["BatchHost"] == "without"
    assert second.minutes == 2 * first.minutes
    assert f"SLURM-job '{first.number}' failed due to a node failure" in said
    assert as_here(finished, workflow)
