"""Snakemake with profiles/slurm, and its scoring jobs."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs import PATIENCE, Run, running
from slurm_here import Job, Slurm
from small_study import Workflow

PROFILE = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
"""As a user says it, but with an eye on the jobs sooner, as they are short."""


@contextmanager
def on_slurm(
    workflow: Workflow, *arguments: str, log: str = "run.log", python: str = sys.executable
) -> Iterator[Run]:
    """Snakemake at work on the cluster; it is ended with the block, and cancels its jobs.

    `python` is its interpreter, and that of its jobs, which must be the real one where Slurm is to end them.
    """
    with running(workflow, *arguments, log=log, python=python, place=PROFILE, at_end=signal.SIGINT) as run:
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
    end = time.monotonic() + PATIENCE
    while True:
        for job in scoring(slurm, workflow):
            processes = slurm.processes(job)
            if any("score_evidence.py" in command_of(process) for process in processes):
                return job, processes
        assert run.process.poll() is None and time.monotonic() < end, run.log.read_text()
        time.sleep(0.2)
