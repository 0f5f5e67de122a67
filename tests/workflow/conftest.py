"""The small study, run once for all tests of the workflow, and copies of it to change."""

import copy
import shutil
from pathlib import Path

import pytest

from small_study import Workflow, copy_workflow, small_study


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """The small study, run to its report. Tests only plan with it, or change copies of it."""
    folder = copy_workflow(tmp_path_factory.mktemp("workflow") / "unmask")
    workflow = Workflow(folder, small_study(folder))
    workflow.run()
    return workflow


@pytest.fixture
def copied(finished: Workflow, tmp_path: Path) -> Workflow:
    """A copy of the finished study, to be changed."""
    folder = tmp_path / "unmask"
    shutil.copytree(finished.folder, folder, symlinks=True)
    return Workflow(folder, copy.deepcopy(finished.config))


@pytest.fixture
def fresh(tmp_path: Path) -> Workflow:
    """The workflow with the small study, nothing run."""
    folder = copy_workflow(tmp_path / "unmask")
    return Workflow(folder, small_study(folder))
