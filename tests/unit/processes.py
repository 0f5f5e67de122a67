"""Running a few lines of Python in a process of its own, to be killed."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"


def start(code: str, *arguments: str | Path) -> "subprocess.Popen[str]":
    """A process that runs `code`, with the library on its path; its output is text in a pipe."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: "subprocess.Popen[str]", word: str) -> None:
    """Wait until the process has printed a line that is `word`."""
    assert process.stdout and process.stderr
    line = process.stdout.readline()
    assert line == f"{word}\n", line + process.stderr.read()
