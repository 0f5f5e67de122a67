"""Scoring models from Python, and running studies."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from unmask import LIBRARY, workflow_root
from unmask.command.studies import BENCHMARKS, Look, study_of, write_study
from unmask.errors import InputError

if TYPE_CHECKING:
    from unmask.report.study_results import StudyResults


def load(folder: str | Path) -> "StudyResults":
    """The tables of the study whose results are in this folder. Raises InputError where there are none."""
    # pandas, which running a study does without
    from unmask.report.study_results import StudyResults

    return StudyResults(folder)


def score(
    *models: str | Path,
    benchmarks: str | Sequence[str | Path] = BENCHMARKS,
    cores: str | int = "all",
    **look: Unpack[Look],
) -> "StudyResults":
    """Score models as the command `unmask score` does; the tables of that study, as `unmask.load` gives them.

    models: folders, GGUF files, or repositories of the hub. benchmarks: names, or files of pairs. data: a
    folder in which the files of named ones are looked for. measures: by default all of the models' kinds but
    PLL. name: of the study and of its folder of results. start: what decoders read before each sentence.
    limit: so many pairs of each benchmark, evenly spread. quick: AUL and AULA (decoders: LL) alone, and no
    controls. device: auto, cpu, cuda or cuda:N. dtype: float32, tf32 or bfloat16.
    Raises InputError for models and benchmarks that are not there, and where a job fails.
    """
    file = write_study(study_of(models, benchmarks, **look))
    if run_study(file, cores):
        raise InputError(f"{file}: not all jobs succeeded; their logs are in {file.parent / 'logs'}")
    return load(file.parent)


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
    root, splitter = workflow_root(), argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    # Snakemake takes one --config, the last
    splitter.add_argument("-C", "--config", nargs="*", action="extend", default=[])
    keys, more = splitter.parse_known_args(more)
    call = [
        *(sys.executable, "-m", "snakemake"),
        # another one in `more` takes its place
        *("--workflow-profile", str(root / "profiles/default")),
        *("--cores", str(cores)),
        *("--logger", "unmask"),
        *("--snakefile", str(root / "Snakefile")),
        *(["--dry-run"] if dry_run else []),
        # takes one value, so that the next may be a file to make
        *("--directory", os.getcwd()),
        *more,
        *("--config", *keys.config, f"study={study}", *([f"data={data}"] if data else [])),
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
