"""Check that a model is what it is said to be, and write its manifest."""

from pathlib import Path
from typing import TYPE_CHECKING

from unmask import by_name
from unmask.facts import read_facts, write_facts
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    params, entry = snakemake.params, dict(snakemake.params.entry)
    directory, kind = Path(params.directory), by_name.load("models/kinds", entry["kind"])
    kind.check(directory, params.name)
    # a model that some rule made has facts about it; the files themselves are described below
    facts = [] if entry["source"] == "path" else list(snakemake.input)
    for path in facts:
        entry |= read_facts(path)
    made = record(facts, params.code, "torch", "transformers", "tokenizers")
    described = kind.describe(directory)
    write_facts(snakemake.output[0], described | made | {"directory": str(directory), "entry": entry})
