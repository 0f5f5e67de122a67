"""Merge an adapter into the weights of another model of the study."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.adapters import merge_adapter
from unmask.models.directory import check_files
from unmask.models.manifest import write_manifest

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    entry, base = snakemake.params.entry, read_facts(snakemake.input.manifest)
    check_files(base)
    outputs = snakemake.output
    try:
        facts = merge_adapter(
            base["directory"], entry["adapter"], outputs.directory, entry["kind"], base["entry"].get("repo")
        )
    except InputError as error:
        raise InputError(f"model {entry['name']}: {error}") from None
    # of an adapter of the hub
    fetched = [read_facts(path) for path in snakemake.input.adapter if path.endswith(".facts.json")]
    for each in fetched:
        facts["adapter"] |= {key: each[key] for key in ("repo", "revision", "commit")}
    provenance = record(snakemake.input, snakemake.params.code, "torch", "transformers")
    write_facts(outputs.facts, {"from": entry["from"]} | facts | provenance)
    write_manifest(outputs.manifest, snakemake.params.manifest, [outputs.facts])
