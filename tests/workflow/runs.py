"""Runs of a study that a test watches and ends, and what they leave."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil  # type: ignore[import-untyped]
import yaml

from library import sha256_of_file
from small_study import Workflow

Found = TypeVar("Found")
PATIENCE = 1200
"""Seconds after which what does not come is a failure."""


@dataclass
class Run:
    """One call of Snakemake, in a session of its own."""

    process: subprocess.Popen[str]
    log: Path

    def jobs(self) -> list[psutil.Process]:
        """Its processes that run a script of the workflow."""
        try:
            below = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return [process for process in below if script_of(process)]

    def wait_for_job(self, script: str = "") -> psutil.Process | None:
        """A job of that script once there is one; None where the run ends before."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            for job in self.jobs():
                if script in script_of(job):
                    return job
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)
        return None

    def wait_for(self, look: Callable[[], Found | None]) -> Found:
        """What `look` finds while it runs, once there is something."""
        deadline = time.monotonic() + PATIENCE
        while not (found := look()):
            at_work = self.process.poll() is None and time.monotonic() < deadline
            assert at_work, self.log.read_text()
            time.sleep(0.02)
        return found

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def end(self) -> int:
        return self.process.wait(PATIENCE)

    def finish(self) -> str:
        """Wait until it has ended well; what it printed."""
        assert self.end() == 0, self.log.read_text()
        return self.log.read_text()


def script_of(process: psutil.Process) -> str:
    """The name of the script that a job runs; empty for any other process."""
    try:
        words = process.cmdline()
    except psutil.Error:
        return ""
    # Snakemake runs a copy, tmp….name.py
    scripts = [word for word in words if ".snakemake/scripts/" in word and word.endswith(".py")]
    return Path(scripts[0]).name.split(".", 1)[1].removesuffix(".py") if scripts else ""


@contextmanager
def running(
    workflow: Workflow,
    *arguments: str,
    log: str = "run.log",
    python: str = sys.executable,
    place: Sequence[str] = ("--cores", "2"),
    at_end: signal.Signals = signal.SIGKILL,
) -> Iterator[Run]:
    """Snakemake with the workflow's configuration; a run that the block leaves at work gets a signal.

    place: the options that say where jobs run.
    """
    (workflow.folder / "study.yaml").write_text(yaml.safe_dump(workflow.config))
    command = [python, "-m", "snakemake", *arguments, *place, "--configfile", "study.yaml"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    path = workflow.folder / log
    with (
        open(path, "w") as file,
        subprocess.Popen(
            command,
            cwd=workflow.folder,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Run(process, path)
        finally:
            if process.poll() is None:
                process.send_signal(at_end)


def digests(results: Path) -> dict[str, str]:
    """The SHA-256 of every file of a study's results but its logs, hidden ones too."""
    paths = {str(path.relative_to(results)): path for path in sorted(results.rglob("*")) if path.is_file()}
    return {
        name: sha256_of_file(path)
        for name, path in paths.items()
        if path.name not in (".snakemake_timestamp", ".lock") and not name.startswith("logs/")
    }


def differing(one: Path, other: Path) -> list[str]:
    """The files that are not the same in two folders of results."""
    files, others = digests(one), digests(other)
    assert files
    return sorted(name for name in files.keys() | others.keys() if files.get(name) != others.get(name))


def litter(results: Path) -> list[Path]:
    """What no finished study has: partial files, shards, locks."""
    return [path for path in results.rglob(".*") if path.name != ".snakemake_timestamp"]
