"""A job of the workflow: what Snakemake gives its script, and what its results state of how they were made.

A script imports this module, or unmask.models.job, before all else of the library.
"""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if hasattr(sys.modules["__main__"], "snakemake"):
    # what imports make lives until the job ends: collecting garbage among it takes a quarter of a short job
    gc.disable()

from unmask.errors import InputError
from unmask.files import record, sha256_of_file
from unmask.joblog import job_log

TABLES = ("numpy", "pandas", "pyarrow", "scipy", "statsmodels")
"""Packages that numbers of tables depend on; results state their versions."""

NETWORKS = (*TABLES, "tokenizers", "torch", "transformers")
"""Those that numbers of models depend on."""


class Job:
    """What Snakemake gives a script, by Snakemake's names."""

    def __init__(self, snakemake: Any, packages: Iterable[str]) -> None:
        self.packages = tuple(packages)
        self.input = snakemake.input
        self.output = snakemake.output
        self.params = snakemake.params
        self.wildcards = snakemake.wildcards
        self.threads: int = snakemake.threads
        self.config: Mapping[str, Any] = snakemake.config
        """The study. Only what shall redo nothing is read from it, as how the machine is used."""

    def record(self, inputs: Iterable[str | Path] | None = None, code: str | None = None) -> dict[str, Any]:
        """What a result states of how it was made (unmask.files.record): of all inputs, or of these."""
        inputs = self.input if inputs is None else inputs
        return record(inputs, self.params.code if code is None else code, *self.packages)


@contextmanager
def job(about: str = "", packages: Iterable[str] = TABLES) -> Iterator[Job]:
    """The job whose script this is, with its log (unmask.joblog.job_log), and its users' files unchanged.

    about: words that begin the line of an InputError, with `{params.…}` or `{wildcards.…}` in them.
    packages: whose versions its results state.
    """
    snakemake = vars(sys.modules["__main__"])["snakemake"]
    with job_log(snakemake.log[0]):
        run = Job(snakemake, packages)
        try:
            yield run
            _check_unchanged(run.params.get("input_sha256", {}))
        except InputError as error:
            subject, line = about.format(params=run.params, wildcards=run.wildcards), str(error)
            for path in run.input:
                if line.startswith(f"{path}: ") and Path(f"{path}.facts.json").exists():
                    line += f"; it was downloaded: delete {path} and run again to fetch it anew"
            raise InputError(line if line.startswith(subject) else f"{subject}: {line}") from None


def _check_unchanged(digests: Mapping[str, str]) -> None:
    """Raise InputError naming a user's file that is not the one that this run was planned with."""
    for path, sha256 in digests.items():
        try:
            current = sha256_of_file(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
        if current != sha256:
            raise InputError(f"{path}: was replaced since this run was planned; run again")
