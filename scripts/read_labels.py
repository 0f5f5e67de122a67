"""Read the labels that annotators gave to a benchmark's sentences."""

from typing import TYPE_CHECKING

from unmask.benchmarks.labelled import LABELS
from unmask.benchmarks.reading_labels import read_labels
from unmask.downloads import reading_download
from unmask.errors import InputError
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    name, source = snakemake.params.name, snakemake.input[0]
    try:
        with reading_download(source):
            labels = read_labels(source, snakemake.params.format)
    except InputError as error:
        raise InputError(f"benchmark {name}: {error}") from None
    facts = {
        "benchmark": name,
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], labels, LABELS, facts)
