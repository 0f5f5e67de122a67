"""A Python with its libraries loaded runs programs as any Python does."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from preloading import preloaded_python

TELL = """
import json, os, sys
about = [sys.argv[1:], os.getcwd(), dict(os.environ)]
print(json.dumps([*about, sys.executable, __name__, list(sys.modules)]))
print("aside", file=sys.stderr)
"""


def start(*arguments: str, **settings: object) -> "subprocess.CompletedProcess[str]":
    command = [preloaded_python(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **settings)  # type: ignore


def test_a_script_has_its_own_arguments_folder_environment_and_streams(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text("import own\n" + TELL)
    (tmp_path / "own.py").write_text("")
    environment = {"A": "b c", "PATH": os.environ["PATH"]}
    done = start(str(script), "x y", "ä", cwd=tmp_path, env=environment)
    arguments, folder, seen, python, name, loaded = json.loads(done.stdout)
    assert (arguments, folder, name) == (["x y", "ä"], str(tmp_path), "__main__")
    assert seen.items() >= environment.items() and not {"HOME", "PYTHONPATH"} & seen.keys()
    assert python == preloaded_python()
    assert (done.returncode, done.stderr) == (0, "aside\n")
    # large libraries are loaded, and nothing of Unmask
    assert {"own", "torch", "pandas", "snakemake.cli"} <= set(loaded)
    assert not [each for each in loaded if each.split(".")[0] == "unmask"]


@pytest.mark.parametrize(
    ("code", "status", "told"),
    [
        ("raise SystemExit(7)", 7, ""),
        ("import sys; sys.exit('no')", 1, "no\n"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
        ("import os; os.kill(os.getpid(), 9)", 137, ""),
    ],
)
def test_how_it_ended_is_told(tmp_path: Path, code: str, status: int, told: str) -> None:
    (tmp_path / "end.py").write_text(code)
    done = start(str(tmp_path / "end.py"))
    assert done.returncode == status and done.stderr.endswith(told)
