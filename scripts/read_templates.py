"""Run one model over the templates of one test: a Targets table (LPBS) or a Fills table (DisCo)."""

from typing import TYPE_CHECKING

import torch

import unmask.job_start  # noqa: F401
from unmask.errors import InputError
from unmask.evidence.origin import SOURCE_KEYS
from unmask.facts import read_facts, record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.loading import load
from unmask.tables import write_table
from unmask.templates.asking import read_fills, read_targets
from unmask.templates.schema import FILLS, TARGETS
from unmask.templates.study import read_words
from unmask.templates.terms import LPBS

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params = snakemake.input, snakemake.params
    torch.set_num_threads(runtime["threads"])
    manifest = read_facts(inputs.manifest)
    check_files(manifest)
    entry, measure, templates = manifest["entry"], params.entry["measure"], params.entry["templates"]
    words, longest = read_words(inputs.words), manifest["max_length"]
    model = load(manifest["directory"], device, with_attention=False)
    try:
        if measure == LPBS:
            schema, (rows, left_out) = (
                TARGETS,
                read_targets(templates, params.entry["targets"], words, model, longest),
            )
        else:
            schema, (rows, left_out) = FILLS, read_fills(templates, words, model, longest)
    except InputError as error:
        raise InputError(f"model {params.model}, template test {params.test}: {error}") from None
    facts = {
        "model": params.model,
        "test": params.test,
        "words": str(inputs.words),
        "left_out": left_out,
        "device": device.name,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
        **record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow"),
    }
    write_table(snakemake.output[0], rows, schema, facts)
