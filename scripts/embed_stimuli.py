"""Run one encoder over the stimuli of a suite, each once: an embeddings table."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import torch

import unmask.job_start  # noqa: F401
from unmask.associations.embeddings import write_embeddings
from unmask.associations.grounded_embedding import (
    embed_with_images,
    load_vision_language_encoder,
    open_region_features,
)
from unmask.associations.schema import STIMULI
from unmask.associations.words import WordFacts, spans_of
from unmask.errors import InputError
from unmask.evidence.cache import cached, discard, is_intact, publish
from unmask.evidence.origin import SOURCE_KEYS
from unmask.facts import read_facts, record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.models.devices import claim_device
from unmask.models.directory import check_files
from unmask.models.embedding import Vectors, embed, load_encoder
from unmask.tables import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

# how the machine is used changes no result: it is read past Snakemake's rerun triggers on purpose
runtime = snakemake.config["runtime"]
with (
    job_log(snakemake.log[0], snakemake.input),
    unchanged(snakemake.params.input_sha256),
    claim_device(runtime["device"], runtime["batch_tokens"]) as device,
):
    inputs, params, table = snakemake.input, snakemake.params, Path(snakemake.output[0])
    torch.set_num_threads(runtime["threads"])
    manifest = read_facts(inputs.manifest)
    check_files(manifest)
    directory, entry, poolings = manifest["directory"], manifest["entry"], params.poolings
    origin = record(inputs, params.code, "torch", "transformers", "tokenizers", "pyarrow")
    # stimuli and weights have digests of their own below: see `is_done_or_updated`
    digested = (inputs.stimuli, inputs.manifest)
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "device": device.name,
        "weights": manifest["weights_digest"],
        "tokenizer": manifest["tokenizer_digest"],
        "model_source": {key: entry[key] for key in SOURCE_KEYS if key in entry},
        "read_with": {path: digest for path, digest in origin["made_from"].items() if path not in digested},
        **origin,
    }
    if not is_intact(table):
        discard(table)
    stimuli = read_table(inputs.stimuli, STIMULI)
    plurals = WordFacts.from_file(inputs.facts).plurals
    try:
        if features_file := inputs.get("features"):
            encoder = load_vision_language_encoder(directory, device)
            features = open_region_features(features_file, encoder.network.config.visual_embedding_dim)

            def vectors_of(rows: pd.DataFrame) -> Mapping[str, Vectors]:
                texts, images = rows["text"].tolist(), rows["image"].tolist()
                return embed_with_images(encoder, texts, spans_of(rows, plurals), images, features, poolings)

        else:
            encoder = load_encoder(directory, entry["kind"], device, manifest["max_length"])

            def vectors_of(rows: pd.DataFrame) -> Mapping[str, Vectors]:
                return embed(encoder, rows["text"].tolist(), spans_of(rows, plurals), poolings)

        write_embeddings(cached(table), stimuli, encoder.width, poolings, vectors_of, facts)
    except InputError as error:
        raise InputError(f"encoder {params.encoder}, suite {params.suite}: {error}") from None
    publish([table])
