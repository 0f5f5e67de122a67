"""What all tests share: one thread per process, as in jobs, finished studies, a disk small enough to fill."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from small_study import Workflow

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# a shell's jobs in the background ignore Ctrl-C, and so would the runs that tests interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB, in memory; skipped where none may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("no mount command: a disk to fill cannot be made")
    if mounted.returncode:
        pytest.skip(f"a disk to fill cannot be mounted: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> "Workflow":
    """The small study, run to its report. Tests only plan with it, or change copies of it."""
    # here, as it takes seconds that tests without it need not wait
    from small_study import Workflow, copy_workflow, small_study

    folder = copy_workflow(tmp_path_factory.mktemp("workflow") / "unmask")
    workflow = Workflow(folder, small_study(folder))
    workflow.run()
    return workflow


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> "Workflow":
    """The demonstration with one of its models, run to its report."""
    from small_study import Workflow, copy_workflow

    folder = copy_workflow(tmp_path_factory.mktemp("demonstration") / "unmask")
    config = yaml.safe_load((folder / "config.yaml").read_text())
    config["models"] = {"tiny-bert": config["models"]["tiny-bert"]}
    workflow = Workflow(folder, config)
    workflow.run()
    return workflow
