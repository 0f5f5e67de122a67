"""Train a model of the study on the sentences on regions that it finds the most likely."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.facts import read_facts, record, write_facts
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.kinds import write_manifest
from unmask.models.training import work_folder
from unmask.regional.schema import LIKELIHOODS, WORDS
from unmask.regional.training_sentences import likely_sentences, train_on
from unmask.tables import read_metadata, read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# what the machine has is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, entry = snakemake.input, snakemake.params, snakemake.params.entry
    torch.set_num_threads(runtime["threads"])
    base = read_facts(inputs.manifest)
    check_files(base)
    words = read_table(inputs.words, WORDS)
    keys = ("from", "epochs", "top", "learning_rate", "seed")
    provenance = record(inputs, params.code, "torch", "transformers", "tokenizers")
    about = {key: entry[key] for key in keys} | {"list": params.list} | provenance
    output = snakemake.output.directory
    try:
        sentences = likely_sentences(
            read_table(inputs.likelihoods, LIKELIHOODS),
            list(words.loc[words["list"] == params.list, "word"]),
            read_metadata(inputs.likelihoods)["template"],
            entry["top"],
        )
        with work_folder(output, about) as work:
            facts = train_on(
                base["directory"],
                sentences,
                output,
                entry["epochs"],
                entry["learning_rate"],
                entry["seed"],
                device,
                base["max_length"],
                work,
            )
    except InputError as error:
        raise InputError(f"model {params.name}: {error}") from None
    write_facts(snakemake.output.facts, about | facts | {"device": device.name})
    write_manifest(snakemake.output.manifest, params.manifest, [snakemake.output.facts])
