"""Read a benchmark into the Pairs table, and the labels of its sentences; find the flaws of its pairs."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.benchmarks.labelled import LABELS, read_labels
from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.downloads import reading_download
from unmask.errors import InputError
from unmask.facts import record
from unmask.files import sha256_of_file
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.statistics.flaws import flaws_table
from unmask.statistics.schema import FLAWS
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    name, entry, source = snakemake.params.name, snakemake.params.entry, snakemake.input[0]
    outputs = dict(snakemake.output.items())
    try:
        with reading_download(source):
            pairs = read_benchmark(source, entry)
            # most sources have none
            labels = read_labels(source, entry["format"]) if "labels" in outputs else None
    except InputError as error:
        raise InputError(f"benchmark {name}: {error}") from None
    code, packages = snakemake.params.code, ("pandas", "pyarrow")
    facts = {
        "benchmark": name,
        "format": entry["format"],
        "source": entry.get("url") or Path(source).name,
        "sha256": sha256_of_file(source),
        "rows": len(pairs),
        **record(snakemake.input, code, *packages),
    }
    write_table(outputs["pairs"], pairs, PAIRS, facts)
    if labels is not None:
        facts = {"benchmark": name, **record(snakemake.input, code, *packages)}
        write_table(outputs["labels"], labels, LABELS, facts)
    of_flaws = [outputs[table] for table in ("labels", "pairs") if table in outputs]
    facts = {"benchmark": name, **record(of_flaws, code, *packages)}
    write_table(outputs["flaws"], flaws_table(pairs, labels), FLAWS, facts)
