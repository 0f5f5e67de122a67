"""Processes that claim devices, for tests."""

import multiprocessing
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path

from library import claim

PROCESSES = multiprocessing.get_context("fork")
"""A process that starts anew would import the library, which takes longer than all that it does here."""


def hold(folder: str, names: list[str], line: Connection) -> None:
    """Claim a device, start a program that outlives this process, say both, and wait to be told to end."""
    tempfile.tempdir = folder
    with claim(names) as name:
        program = subprocess.Popen(["sleep", "600"])
        line.send((name, program.pid))
        line.recv()


@contextmanager
def held(folder: Path, name: str) -> Iterator[tuple[ForkProcess, Connection]]:
    """A process that holds a device, and the line to it."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=hold, args=(str(folder), [name], there))
    process.start()
    there.close()
    with closing(here):
        try:
            assert here.poll(300)
            found, program = here.recv()
            try:
                assert found == name
                yield process, here
            finally:
                os.kill(program, signal.SIGKILL)
        finally:
            process.kill()
            process.join()
