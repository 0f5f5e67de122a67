"""Copies of the small study to change, run and not run."""

import copy
import shutil
from pathlib import Path

import pytest

from small_study import Workflow, small_study
from workflow_copy import copy_workflow


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
