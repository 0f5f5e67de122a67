"""Debias a model of the study."""

from pathlib import Path
from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.debiasing.inputs import Base, Texts
from unmask.debiasing.stereotypes import read_stereotypes
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.gendered_words import read_word_pairs
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.manifest import write_manifest
from unmask.models.training import work_folder
from unmask.plugins import load

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# what the machine has is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, entry = snakemake.input, snakemake.params, snakemake.params.entry
    torch.set_num_threads(runtime["threads"])
    manifest = read_facts(inputs.manifest)
    check_files(manifest)
    neutral = inputs.get("neutral")
    texts = Texts(
        lines=Path(inputs.texts),
        held_out=params.held_out,
        neutral=Path(neutral) if neutral else None,
        words=read_word_pairs(inputs.words),
        stereotypes=read_stereotypes(inputs.stereotypes),
    )
    provenance = record(inputs, params.code, "torch", "transformers", "tokenizers")
    try:
        with work_folder(snakemake.output.directory, {"entry": dict(entry), "made": provenance}) as work:
            facts = load("debiasing/methods", entry["method"]).debias(
                Base(Path(manifest["directory"]), manifest["max_length"]),
                texts,
                entry,
                Path(snakemake.output.directory),
                work,
                device,
            )
    except InputError as error:
        raise InputError(f"model {params.name}: {error}") from None
    keys = ("from", "method", "reading", "seed", "training", "options")
    write_facts(
        snakemake.output.facts,
        {key: entry[key] for key in keys} | facts | provenance | {"device": device.name},
    )
    write_manifest(snakemake.output.manifest, params.manifest, [snakemake.output.facts])
