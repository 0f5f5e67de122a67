"""Read a task, or make one: what models are fine-tuned on, and what they then predict."""

from pathlib import Path
from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.downloads import reading_download
from unmask.downstream.read_task import read_task
from unmask.downstream.schema import EXAMPLES, ITEMS
from unmask.downstream.sources import source_text
from unmask.downstream.synthetic import read_synthetic
from unmask.errors import InputError
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params, output = snakemake.input, snakemake.params, snakemake.output
    entry = params.entry
    files = {
        name: [Path(each) for each in ([paths] if isinstance(paths, str) else paths)]
        for name, paths in inputs.items()
    }
    try:
        task = read_synthetic(entry) if "world" in entry else read_task(files, entry)
    except InputError as error:
        # where it was downloaded, how it is fetched again
        every = [path for paths in files.values() for path in paths]
        named = next((path for path in every if str(error).startswith(str(path))), None)
        with reading_download(named or ""):
            raise InputError(f"task {params.name}: {error}") from None
    facts = {
        "task": params.name,
        "format": entry["format"],
        "kind": entry["kind"],
        "labels": task.labels,
        "published_rows": entry.get("published_rows"),
        "source": source_text(entry),
        "remarks": task.remarks,
        **record(inputs, params.code, "pandas", "pyarrow"),
    }
    write_table(output.examples, task.examples, EXAMPLES, facts)
    write_table(output.items_table, task.items, ITEMS, facts)
