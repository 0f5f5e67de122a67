"""A Slurm of three nodes on this machine: munged, slurmctld, and a slurmd for each, in a temporary folder."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Self

SETTINGS = Path("/etc/slurm")
"""Where the files must lie: Snakemake's plugin clears SLURM_CONF inside jobs."""
FILES = ("slurm.conf", "gres.conf")
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scancel", "sinfo", "setpriv")
NODES = ("with-gpus", "without", "failing")
"""The nodes; those without GPUs are the first to get what asks for none."""
GPUS = 2
CPUS = 4
"""Pretended: a job that has stopped takes none, and there is more waiting than computing."""

SLURM_CONF = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmctldPort={ports[slurmctld]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdTimeout=30
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
KillWait=2
MinJobAge=3600
TaskProlog={folder}/prolog
EnforcePartLimits=ALL
GresTypes=gpu
NodeName=DEFAULT CPUs={cpus} RealMemory={memory} State=UNKNOWN
NodeName=with-gpus NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[with-gpus]} Weight=3 Gres=gpu:{gpus}
NodeName=without NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[without]} Weight=2
NodeName=failing NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[failing]} Weight=1
PartitionName=DEFAULT MaxTime=INFINITE State=UP
PartitionName=cpu Nodes=with-gpus,without Default=YES
PartitionName=gpu Nodes=with-gpus
PartitionName=failing Nodes=without,failing
"""
FIELD = re.compile(r"(\S+?)=(\S*)")


@dataclass(frozen=True, order=True)
class Job:
    """A job, as Slurm shows it."""

    number: int
    name: str
    """The comment that Snakemake gives it: rule_, the rule or group, and the wildcards."""
    facts: dict[str, str] = field(compare=False)

    @property
    def state(self) -> str:
        return self.facts["JobState"]

    @property
    def gpus(self) -> str:
        """Which GPUs it asked for; empty for none."""
        return self.facts.get("TresPerJob", "")

    @property
    def span(self) -> tuple[datetime, datetime]:
        """When it began and ended."""
        begin, end = (datetime.fromisoformat(self.facts[name]) for name in ("StartTime", "EndTime"))
        return begin, end


def why_not() -> str | None:
    """Why Slurm cannot be brought up here; None where it can."""
    if sys.platform != "linux":
        return "Slurm runs on Linux"
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)} (apt-get install slurmctld slurmd slurm-client munge)"
    if os.geteuid() != 0:
        return "slurmd runs jobs as root only"
    for path in (SETTINGS / name for name in FILES):
        if path.exists() and not path.is_symlink():
            return f"{path} is there: this machine has a Slurm of its own"
        if path.exists():
            return f"{path} points to {path.readlink()}: these tests are running here already"
    return None


class Slurm:
    """Daemons of a cluster with three nodes, one of which has two pretended GPUs.

    The partitions are `cpu`, `gpu`, and `failing`, which has a node to fail and one to take its place.

    They are children of this process, and the kernel ends them when it dies, however it dies.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ports = _free_ports("slurmctld", *NODES)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        try:
            self._configure()
            munge = self.folder / "munge"
            files = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
            self._start("munged", "munged", "--foreground", "--force", f"--socket={munge / 'socket'}", *files)
            self._wait_until((munge / "socket").exists, "munged does not answer")
            self._start("slurmctld", "slurmctld", "-D")
            for node in NODES:
                self._start(node, "slurmd", "-D", "-N", node)
            self._wait_until(lambda: all(map(self._is_idle, NODES)), "the nodes do not come up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if (SETTINGS / FILES[0]).exists():
            self.ask("scancel", "--user=root", "--full", check=False)
            end, controller = time.monotonic() + 10, self._daemons.get("slurmctld")
            while controller and controller.poll() is None and time.monotonic() < end:
                if not self.jobs("RUNNING", "COMPLETING"):
                    break
                time.sleep(0.1)
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for path in (SETTINGS / name for name in FILES):
            if path.is_symlink() and path.readlink().parent == self.folder:
                path.unlink()

    def jobs(self, *states: str) -> list[Job]:
        """All jobs since the start, or those in one of the states, in the order of their submission."""
        shown = (dict(FIELD.findall(line)) for line in self.ask("scontrol", "--oneliner", "show", "jobs"))
        jobs = [Job(int(facts["JobId"]), facts["Comment"], facts) for facts in shown if "JobId" in facts]
        return sorted(job for job in jobs if not states or job.state in states)

    def devices(self) -> dict[int, set[str]]:
        """What CUDA_VISIBLE_DEVICES was in the steps of each job; empty where it was not set."""
        found: dict[int, set[str]] = {}
        for line in (self.folder / "devices").read_text().splitlines():
            number, _, device = line.partition(" ")
            found.setdefault(int(number), set()).add(device)
        return found

    def processes(self, job: Job) -> list[int]:
        """The processes of a running job; none yet where it has only just begun."""
        host = job.facts.get("BatchHost", NODES[0])
        # it fails while the job is only about to begin
        lines = self.ask("scontrol", "listpids", str(job.number), host, check=False)
        numbers = [int(line.split()[0]) for line in lines[1:]]
        return [number for number in numbers if number > 0]

    def fail(self, node: str) -> None:
        """A node goes, and with it all that its jobs have there."""
        jobs = [job for job in self.jobs("RUNNING") if job.facts["BatchHost"] == node]
        # Slurm's own processes first: none is to tell what became of the jobs
        keepers = [self._daemons[node].pid, *(process for job in jobs for process in _keepers_of(job))]
        for process in [*keepers, *(process for job in jobs for process in self.processes(job))]:
            os.kill(process, signal.SIGKILL)

    def ask(self, *command: str, check: bool = True) -> list[str]:
        """The lines that one of Slurm's commands prints."""
        done = subprocess.run(command, check=check, capture_output=True, text=True, timeout=20)
        return done.stdout.splitlines()

    def _configure(self) -> None:
        for name in ("state", "munge"):
            (self.folder / name).mkdir(parents=True)
        # munge wants folders that others can pass but not write
        for path in (self.folder, self.folder / "munge"):
            path.chmod(0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        facts = {"folder": self.folder, "ports": self._ports, "cpus": CPUS, "gpus": GPUS, "memory": 64_000}
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(SLURM_CONF.format(host=host, **facts))
        prolog = self.folder / "prolog"
        prolog.write_text(f'#!/bin/sh\necho "$SLURM_JOB_ID $CUDA_VISIBLE_DEVICES" >> {self.folder}/devices\n')
        prolog.chmod(0o755)
        # Slurm sets CUDA_VISIBLE_DEVICES for device files only, and opens none without cgroups
        for number in range(GPUS):
            os.mknod(self.folder / f"nvidia{number}", 0o20666, os.makedev(195, number))
        (self.folder / "gres.conf").write_text(
            f"NodeName=with-gpus Name=gpu File={self.folder}/nvidia[0-{GPUS - 1}] Flags=nvidia_gpu_env\n"
        )
        SETTINGS.mkdir(exist_ok=True)
        for name in FILES:
            # a link that leads nowhere is left from a run that was killed
            (SETTINGS / name).unlink(missing_ok=True)
            (SETTINGS / name).symlink_to(self.folder / name)

    def _start(self, name: str, *command: str) -> None:
        with open(self._log_of(name), "ab") as log:
            self._daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _log_of(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _wait_until(self, ready: Callable[[], bool], failure: str) -> None:
        end = time.monotonic() + 60
        while not ready():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self._daemons.values()):
                logs = (f"{name}:\n{self._log_of(name).read_text()[-2000:]}" for name in self._daemons)
                raise RuntimeError("\n".join([failure, *logs]))
            time.sleep(0.1)

    def _is_idle(self, node: str) -> bool:
        states = self.ask("sinfo", "--noheader", "--Node", f"--nodes={node}", "--format=%T", check=False)
        return {state.strip() for state in states} == {"idle"}


def _free_ports(*names: str) -> dict[str, int]:
    """A port for each, at which no one listens."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in names]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return {name: int(one.getsockname()[1]) for name, one in zip(names, sockets, strict=True)}


def _keepers_of(job: Job) -> list[int]:
    """Slurm's own processes that look after a job on its node."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_text().startswith(f"slurmstepd: [{job.number}."):
                found.append(int(path.parent.name))
    return found
