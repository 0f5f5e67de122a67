"""Run one encoder over the stimuli of a suite, each once: an embeddings table."""

from collections.abc import Mapping

import pandas as pd

from unmask.models.job import model_job
from unmask.associations.embeddings import write_embeddings
from unmask.associations.grounded_embedding import embed_with_images, open_region_features
from unmask.associations.schema import STIMULI
from unmask.associations.words import WordFacts, spans_of
from unmask.evidence.tables import model_facts
from unmask.models.embedding import Vectors, embed, load_encoder
from unmask.tables import read_table

with model_job("encoder {params.encoder}, suite {params.suite}") as run:
    params, manifest = run.params, run.manifest
    kind, poolings = manifest["entry"]["kind"], params.poolings
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        **model_facts(manifest, run.device.name),
        **run.record(),
    }
    plurals = WordFacts.from_file(run.input.facts).plurals
    encoder = load_encoder(manifest["directory"], kind, run.device, manifest["max_length"])
    if run.input.features:
        features = open_region_features(run.input.features[0], encoder.network.config.visual_embedding_dim)

        def vectors_of(rows: pd.DataFrame) -> Mapping[str, Vectors]:
            texts, images = rows["text"].tolist(), rows["image"].tolist()
            return embed_with_images(encoder, texts, spans_of(rows, plurals), images, features, poolings)

    else:

        def vectors_of(rows: pd.DataFrame) -> Mapping[str, Vectors]:
            return embed(encoder, rows["text"].tolist(), spans_of(rows, plurals), poolings)

    stimuli = read_table(run.input.stimuli, STIMULI)
    width = encoder.network.config.hidden_size
    write_embeddings(run.output[0], stimuli, width, poolings, vectors_of, facts)
