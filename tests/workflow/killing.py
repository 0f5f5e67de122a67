"""Running a study with real processes that are killed, and telling what was finished, kept and done again."""

import base64
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import yaml

from library import sha256_of_file
from small_study import Workflow

PATIENCE = 300
"""Seconds after which a run or a job that does not come is a failure."""
MAIN, JOB, ALL = "Snakemake", "a job", "all"
Stamp = tuple[int, int]


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

    def wait_for_line(self, words: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while words not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def end(self) -> int:
        return self.process.wait(PATIENCE)


def script_of(process: psutil.Process) -> str:
    """The name of the script that a job runs; empty for any other process."""
    try:
        words = process.cmdline()
    except psutil.Error:
        return ""
    # Snakemake runs a copy, tmp….name.py
    found = [word for word in words if ".snakemake/scripts/" in word and word.endswith(".py")]
    return Path(found[0]).name.split(".", 1)[1].removesuffix(".py") if found else ""


@contextmanager
def running(workflow: Workflow, *arguments: str, log: str = "run.log") -> Iterator[Run]:
    """Snakemake with the workflow's configuration; what is left of it is killed when the block ends."""
    (workflow.folder / "study.yaml").write_text(yaml.safe_dump(workflow.config))
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, "--configfile", "study.yaml"]
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
                process.kill()


def end_session(run: Run) -> None:
    """End the jobs that a killed Snakemake has left behind, of this session alone."""
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == run.process.pid:
                process.kill()
        except (ProcessLookupError, psutil.Error):
            continue


def finished_outputs(folder: Path) -> dict[str, Stamp]:
    """The outputs that Snakemake has on record as whole, each with its inode and time."""
    records, unfinished = (
        {record(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        for place in (folder / ".snakemake/metadata", folder / ".snakemake/incomplete")
    )
    outputs = {name: folder / name for name in records - unfinished}
    stats = {name: path.stat() for name, path in outputs.items() if path.exists()}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


def record(path: Path) -> str:
    return base64.urlsafe_b64decode("".join(part.removeprefix("@") for part in path.parts)).decode()


def digests(results: Path) -> dict[str, str]:
    """The SHA-256 of every file of a study's results but its logs, hidden ones too."""
    paths = {str(path.relative_to(results)): path for path in sorted(results.rglob("*")) if path.is_file()}
    return {
        name: sha256_of_file(path)
        for name, path in paths.items()
        if path.name != ".snakemake_timestamp" and not name.startswith("logs/")
    }


def litter(results: Path) -> list[Path]:
    """What no finished study has: partial files, shards, locks."""
    return [path for path in results.rglob(".*") if path.name != ".snakemake_timestamp"]


@dataclass
class Kill:
    """One kill, as planned, and what came of it."""

    target: str
    signal: signal.Signals
    nth: int
    """At which job of the run, or since the kill before, counted from 1 …"""
    delay: float
    """… and how many seconds into it."""
    status: int | None = None
    """What Snakemake ended with, negative for a signal; None where it went on."""
    finished: dict[str, Stamp] = field(default_factory=dict)
    """Outputs on record then; when it had ended, if it did."""
    again: list[str] = field(default_factory=list)
    """Of these, the ones that were made again before the study was done."""


def schedule(kills: int, seed: int) -> Iterator[Kill]:
    """Kills in random order, each target with each signal about as often."""
    draw = random.Random(seed)
    signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    every = [(target, number) for target in (MAIN, JOB, ALL) for number in signals]
    chosen = [every[number % len(every)] for number in range(kills)]
    draw.shuffle(chosen)
    for target, number in chosen:
        yield Kill(target, number, draw.choice((1, 2, 3, 4)), draw.uniform(0, 1.5))


def disturb(run: Run, kill: Kill, draw: random.Random) -> bool:
    """Kill a run as planned; False where it comes to its end before."""
    start, seen = time.monotonic(), set[int]()
    moment = start
    while len(seen) < kill.nth or time.monotonic() < moment:
        if run.process.poll() is not None:
            return False
        assert time.monotonic() - start < PATIENCE, run.log.read_text()
        if len(seen) < kill.nth:
            seen |= {job.pid for job in run.jobs()}
            moment = time.monotonic() + kill.delay
        time.sleep(0.02)
    if kill.target == JOB and run.wait_for_job() is None:
        return False
    jobs = run.jobs()
    try:
        if kill.target == JOB:
            draw.choice(jobs).send_signal(kill.signal)
        else:
            run.signal(kill.signal, group=kill.target == ALL)
    except (IndexError, psutil.NoSuchProcess, ProcessLookupError):
        # it ended at this very moment
        return False
    return True
