"""Snakemake with profiles/slurm, as a process that a test can watch and end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from slurm_here import Job, Slurm
from small_study import Workflow

PATIENCE = 1200
"""Seconds after which what does not come is a failure."""
PROFILE = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
"""As a user says it, but with an eye on the jobs sooner, as they are short."""


class ClusterRun:
    """One call of Snakemake."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.log = log

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def finish(self) -> str:
        """Wait until it has ended well; what it printed."""
        assert self.process.wait(PATIENCE) == 0, self.log.read_text()
        return self.log.read_text()


@contextmanager
def on_slurm(
    workflow: Workflow, *arguments: str, log: str = "run.log", python: str = sys.executable
) -> Iterator[ClusterRun]:
    """Snakemake at work on the cluster; it is ended with the block, and cancels its jobs.

    `python` is its interpreter, and that of its jobs, which must be the real one where Slurm is to end them.
    """
    (workflow.folder / "study.yaml").write_text(yaml.safe_dump(workflow.config))
    command = [python, "-m", "snakemake", *arguments, *PROFILE, "--configfile", "study.yaml"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    path = workflow.folder / log
    with (
        open(path, "w") as file,
        subprocess.Popen(
            command, cwd=workflow.folder, env=environment, stdout=file, stderr=subprocess.STDOUT, text=True
        ) as process,
    ):
        try:
            yield ClusterRun(process, path)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)


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


def wait_for_scoring(slurm: Slurm, workflow: Workflow, run: ClusterRun) -> tuple[Job, list[int]]:
    """A scoring job of a workflow, once its script is at work, and its processes."""
    end = time.monotonic() + PATIENCE
    while True:
        for job in scoring(slurm, workflow):
            processes = slurm.processes(job)
            if any("score_evidence.py" in command_of(process) for process in processes):
                return job, processes
        assert run.process.poll() is None and time.monotonic() < end, run.log.read_text()
        time.sleep(0.2)


def wait_for_jobs(slurm: Slurm, workflow: Workflow, run: ClusterRun, number: int) -> None:
    """Wait until so many scoring jobs of a workflow have been submitted, by this run or one before it."""
    end = time.monotonic() + PATIENCE
    while len(scoring(slurm, workflow)) < number:
        assert run.process.poll() is None and time.monotonic() < end, run.log.read_text()
        time.sleep(0.2)
