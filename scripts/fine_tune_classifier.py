"""Fine-tune a model of the study as a text classifier on a labelled table."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.regional.fine_tuned import fine_tune_on
from unmask.regional.labelled import read_labelled

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# what the machine has is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, output = snakemake.input, snakemake.params, snakemake.output
    torch.set_num_threads(runtime["threads"])
    base = read_facts(inputs.manifest)
    check_files(base)
    about = {
        **params.entry,
        "columns": params.table_entry,
        "labels": params.labels,
        **record(inputs, params.code, "torch", "transformers", "tokenizers"),
    }
    try:
        items = read_labelled(inputs.table, params.table_entry, params.labels)
        with work_folder(output.directory, about) as work:
            facts = fine_tune_on(
                base["directory"],
                items,
                params.labels,
                output.directory,
                params.entry,
                device,
                base["max_length"],
                work,
            )
    except InputError as error:
        raise InputError(f"model {params.name}: {error}") from None
    write_facts(output.facts, about | facts | {"device": device.name})
    write_manifest(output.manifest, params.manifest, [output.facts])
