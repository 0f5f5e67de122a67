"""Make all association tests of one suite with the embeddings of one encoder."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.associations.embeddings import read_embeddings
from unmask.associations.schema import ASSOCIATIONS, STIMULI
from unmask.associations.testing import Options, association_tests
from unmask.facts import record
from unmask.joblog import job_log
from unmask.tables import read_metadata, read_table, write_table

EMBEDDED = ("weights", "tokenizer", "vectors", "device")
"""What results say of their embeddings, which may be cleaned away."""

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    stimuli, of_embeddings = read_table(inputs.stimuli, STIMULI), read_metadata(inputs.embeddings)
    vectors = read_embeddings(inputs.embeddings, of_embeddings["width"])
    options = Options(**params.options)
    outcome = association_tests(stimuli, vectors, options)
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "options": options._asdict(),
        "embedded": {key: of_embeddings[key] for key in EMBEDDED if key in of_embeddings},
        **record(inputs, params.code, "numpy", "pandas", "pyarrow"),
    }
    of_rows = facts | {"remarks": outcome.remarks, "means": outcome.means, "cells": outcome.cells}
    write_table(snakemake.output[0], outcome.rows, ASSOCIATIONS, of_rows)
