"""Scoring models from Python, and running studies."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from unmask.command.studies import BENCHMARKS, study_of, write_study
from unmask.errors import InputError
from unmask.installation import LIBRARY, workflow_root
from unmask.study_results import StudyResults, load


def score(
    *models: str,
    benchmarks: Sequence[str] = BENCHMARKS,
    data: str | None = None,
    measures: Sequence[str] = (),
    name: str | None = None,
    cores: str | int = "all",
) -> StudyResults:
    """The tables of a study of these models, which is run where it is not finished.

    Raises InputError for models and benchmarks that are not there, and where a job fails.
    """
    file = write_study(study_of(models, benchmarks, data, measures, name))
    if run_study(file, cores):
        raise InputError(f"{file}: not all jobs succeeded; their logs are in {file.parent / 'logs'}")
    return load(file.parent)


def run_study(
    study: str | Path,
    cores: str | int = "all",
    dry_run: bool = False,
    data: str | None = None,
    targets: Sequence[str] = (),
) -> int:
    """Run the workflow on a study; its exit status. Results and Snakemake's record lie where one stands.

    targets: the files that are made, with all that they need; by default all of the study.
    """
    root = workflow_root()
    call = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(root / "Snakefile"),
        "--directory",
        os.getcwd(),
    ]
    call += [
        "--cores",
        str(cores),
        "--workflow-profile",
        str(root / "profiles/default"),
        "--logger",
        "unmask",
    ]
    call += [
        *(["--dry-run"] if dry_run else []),
        "--config",
        f"study={study}",
        *([f"data={data}"] if data else []),
        *(["--", *targets] if targets else []),
    ]
    # the library that runs is the one that was called, in jobs too
    path = os.pathsep.join(filter(None, [str(LIBRARY.parent), os.getenv("PYTHONPATH")]))
    return subprocess.call(call, env=os.environ | {"PYTHONPATH": path})
