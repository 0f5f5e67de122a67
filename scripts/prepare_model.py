"""Check that a model is fit for scoring, and write its manifest."""

from pathlib import Path
from typing import TYPE_CHECKING

from unmask.facts import write_facts
from unmask.joblog import job_log
from unmask.models.preparing import check, describe

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    directory = Path(snakemake.params.directory)
    check(directory, snakemake.params.name)
    facts = {"directory": str(directory), "entry": dict(snakemake.params.entry)}
    write_facts(snakemake.output[0], describe(directory) | facts)
