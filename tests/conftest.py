"""What all tests share: one thread per process, as in jobs, finished studies, a disk small enough to fill."""

import gc
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from filelock import FileLock
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from small_study import Workflow

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# no example has a deadline, which a busy machine would miss
settings.register_profile(
    "dev",
    deadline=None,
    derandomize=True,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("full", settings.get_profile("dev"), max_examples=150)
settings.load_profile("dev")
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


def pytest_collection_finish() -> None:
    """From here on garbage is looked for among what tests make, and not among all that is loaded for them.

    PyTorch, transformers and pandas are so many objects that looking through them takes .3 s and more, and
    jobs that run models do it themselves.
    """
    gc.collect()
    gc.freeze()


def shared_study(
    factory: pytest.TempPathFactory, worker: str, name: str, study: Callable[[Path], dict[str, Any]]
) -> "Workflow":
    """A finished study, run once for all workers of pytest-xdist; each has a copy of its own.

    `study` gives the configuration, and may write what it needs into the folder of the workflow.
    """
    # here, as it takes seconds that tests without it need not wait
    from small_study import Workflow
    from workflow_copy import copy_workflow

    own = factory.getbasetemp()
    folder = (own if worker == "master" else own.parent) / "shared" / name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        done = folder / "study.json"
        if not done.exists():
            workflow = Workflow(copy_workflow(folder / "unmask"))
            workflow.config = study(workflow.folder)
            workflow.run()
            done.write_text(json.dumps(workflow.config))
    copy = factory.mktemp(name) / "unmask"
    shutil.copytree(folder / "unmask", copy, symlinks=True)
    return Workflow(copy, json.loads(done.read_text()))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> "Workflow":
    """The small study, run to its report. Tests only plan with it, or change copies of it."""
    from small_study import small_study

    return shared_study(tmp_path_factory, worker_id, "small", small_study)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> "Workflow":
    """A study of all families, run to its report. Tests only look at it and plan with it."""
    from small_study import whole_study

    return shared_study(tmp_path_factory, worker_id, "whole", whole_study)


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> "Workflow":
    """The demonstration with one of its trained models and the exact one, run to its report."""

    def study(folder: Path) -> dict[str, Any]:
        config: dict[str, Any] = yaml.safe_load((folder / "config.yaml").read_text())
        config["models"] = {name: config["models"][name] for name in ("tiny-bert", "oracle")}
        # the name of another file's study is refused
        config["study"] = "demonstration"
        return config

    return shared_study(tmp_path_factory, worker_id, "demonstration", study)


@pytest.fixture(scope="session")
def families(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> "Workflow":
    """The other families on the world of the demonstration, run to their report."""

    def study(folder: Path) -> dict[str, Any]:
        config: dict[str, Any] = yaml.safe_load((folder / "configs/families.yaml").read_text())
        return config | {"study": "synthetic"}

    return shared_study(tmp_path_factory, worker_id, "families", study)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """The machine's own Chromium, without a window; skipped where there is none."""
    # here, as it takes time that tests without it need not wait
    from playwright.sync_api import Error, sync_playwright

    from browsing import browser_program

    program = browser_program()
    if program is None:
        pytest.skip("there is no Chromium on this machine (.ci/run installs one)")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"{program} does not start: {error.message.splitlines()[0]}")
        yield started
        started.close()
