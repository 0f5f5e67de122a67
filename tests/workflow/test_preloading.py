"""A Python with its libraries loaded runs programs as any Python does."""

import json
import os
import subprocess
from pathlib import Path

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
