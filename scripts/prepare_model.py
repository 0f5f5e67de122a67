"""Check that a model is fit for scoring, and write its manifest."""

from pathlib import Path
from typing import TYPE_CHECKING

from unmask.facts import read_facts, write_facts
from unmask.joblog import job_log
from unmask.models.preparing import check, describe
from unmask.record import record

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    directory, entry = Path(snakemake.params.directory), dict(snakemake.params.entry)
    check(directory, snakemake.params.name)
    # a model that some rule made has facts about it; the files themselves are described below
    facts = [] if entry["source"] == "path" else list(snakemake.input)
    for path in facts:
        entry |= read_facts(path)
    made = record(facts, snakemake.params.code, "torch", "transformers", "tokenizers")
    write_facts(
        snakemake.output[0], describe(directory) | made | {"directory": str(directory), "entry": entry}
    )
