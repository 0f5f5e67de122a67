"""Make all association tests of one suite with the embeddings of one encoder."""

from unmask.job import job
from unmask.associations.embeddings import read_embeddings
from unmask.associations.schema import ASSOCIATIONS, STIMULI
from unmask.associations.weat import association_tests, cell_means
from unmask.tables import read_metadata, read_table, write_table

EMBEDDED = ("weights", "tokenizer", "vectors", "device", "in_lower_case")
"""What results say of their embeddings, which may be cleaned away."""

with job("encoder {params.encoder}, suite {params.suite}") as run:
    stimuli, embedded = read_table(run.input.stimuli, STIMULI), read_metadata(run.input.embeddings)
    vectors = read_embeddings(run.input.embeddings)
    seed, confidence = run.params.seed, run.params.confidence
    facts = {
        "encoder": run.params.encoder,
        "suite": run.params.suite,
        "seed": seed,
        "confidence": confidence,
        "embedded": {key: embedded[key] for key in EMBEDDED if key in embedded},
        "cells": cell_means(stimuli, vectors),
    }
    rows = association_tests(stimuli, vectors, seed, confidence)
    write_table(run.output[0], rows, ASSOCIATIONS, facts | run.record())
