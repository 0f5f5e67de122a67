"""Read a benchmark into the Pairs table."""

from pathlib import Path
from typing import TYPE_CHECKING

from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.downloads import reading_download
from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    name, entry, source = snakemake.params.name, snakemake.params.entry, snakemake.input[0]
    try:
        with reading_download(source):
            pairs = read_benchmark(source, entry)
    except InputError as error:
        raise InputError(f"benchmark {name}: {error}") from None
    facts = {
        "benchmark": name,
        "format": entry["format"],
        "source": entry.get("url") or Path(source).name,
        "sha256": sha256_of_file(source),
        "rows": len(pairs),
        **record(snakemake.input, snakemake.params.code, "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], pairs, PAIRS, facts)
