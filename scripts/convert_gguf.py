"""Write the model in a GGUF file out as a model directory."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.gguf_files import convert_gguf
from unmask.models.kinds import write_manifest

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    outputs = snakemake.output
    try:
        facts = convert_gguf(snakemake.input.file, outputs.directory, snakemake.params.start)
    except InputError as error:
        raise InputError(f"model {snakemake.params.name}: {error}") from None
    if fetched := snakemake.input.get("fetched"):
        origin = read_facts(fetched)
        facts["gguf"] |= {key: origin[key] for key in ("repo", "revision", "commit", "file")}
    provenance = record(snakemake.input, snakemake.params.code, "torch", "transformers")
    write_facts(outputs.facts, facts | provenance)
    write_manifest(outputs.manifest, snakemake.params.manifest, [outputs.facts])
