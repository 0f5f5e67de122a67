"""Scoring models from Python, and running studies."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from unmask.command.studies import BENCHMARKS, study_of, write_study
from unmask.errors import InputError
from unmask.installation import LIBRARY, workflow_root
from unmask.study_results import StudyResults


def score(
    *models: str,
    benchmarks: Sequence[str] = BENCHMARKS,
    data: str | None = None,
    measures: Sequence[str] = (),
    name: str | None = None,
    cores: str | int = "all",
    start: str | None = None,
) -> StudyResults:
    """The tables of a study of these models, which is run where it is not finished.

    start: what decoders read before each sentence, as the key `start` of a model. Raises InputError for
    models and benchmarks that are not there, and where a job fails.
    """
    file = write_study(study_of(models, benchmarks, data, measures, name, start))
    if run_study(file, cores):
        raise InputError(f"{file}: not all jobs succeeded; their logs are in {file.parent / 'logs'}")
    return StudyResults(file.parent)


def run_study(
    study: str | Path,
    cores: str | int = "all",
    dry_run: bool = False,
    data: str | None = None,
    more: Sequence[str] = (),
) -> int:
    """Run the workflow on a study; its exit status. Results and Snakemake's record lie where one stands.

    more: further options of Snakemake, and files to make.
    """
    root = workflow_root()
    profile = ["--workflow-profile", str(root / "profiles/default")]
    call = [
        *(sys.executable, "-m", "snakemake"),
        *([] if any(option.startswith("--workflow-profile") for option in more) else profile),
        *("--cores", str(cores)),
        *("--logger", "unmask"),
        *("--snakefile", str(root / "Snakefile")),
        *(["--dry-run"] if dry_run else []),
        # takes one value, so that the next may be a file to make
        *("--directory", os.getcwd()),
        *more,
        *("--config", f"study={study}", *([f"data={data}"] if data else [])),
    ]
    # the library that runs is the one that was called, in jobs too
    path = os.pathsep.join(filter(None, [str(LIBRARY.parent), os.getenv("PYTHONPATH")]))
    return subprocess.call(call, env=os.environ | {"PYTHONPATH": path} | _caches())


def _caches() -> dict[str, str]:
    """Where caches are, in variables of the environment, if the usual folder cannot be written: Snakemake
    starts nowhere else. A cache of the hub that is there stays in use."""
    usual = os.path.expanduser(os.getenv("XDG_CACHE_HOME") or "~/.cache")
    place = os.path.join(usual, "snakemake")
    with suppress(OSError):
        os.makedirs(place, exist_ok=True)
        if os.access(place, os.W_OK | os.X_OK):
            return {}
    caches = os.path.abspath(".snakemake/caches")
    print(f"{usual} cannot be written: caches are in {caches} (or in XDG_CACHE_HOME)", file=sys.stderr)
    hub = os.getenv("HF_HOME") or os.path.join(usual, "huggingface")
    return {"XDG_CACHE_HOME": caches} | ({"HF_HOME": hub} if os.path.isdir(hub) else {})
