"""Look the words of a suite up among word vectors: an embeddings table."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.associations.embeddings import embeddings_of
from unmask.associations.schema import STIMULI, embeddings
from unmask.associations.terms import VECTORS
from unmask.associations.vectors import embed_words
from unmask.errors import InputError
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params = snakemake.input, snakemake.params
    stimuli = read_table(inputs.stimuli, STIMULI)
    try:
        vectors, in_lower_case = embed_words(stimuli, inputs.vectors)
    except InputError as error:
        raise InputError(f"vectors {params.encoder}, suite {params.suite}: {error}") from None
    origin = record(inputs, params.code, "numpy", "pyarrow")
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "width": vectors.shape[1],
        "poolings": [VECTORS],
        "in_lower_case": in_lower_case,
        "vectors": {"path": inputs.vectors, "sha256": origin["made_from"][inputs.vectors]},
        **origin,
    }
    rows = embeddings_of(stimuli.drop_duplicates("stimulus").sort_values("stimulus"), {VECTORS: vectors})
    write_table(snakemake.output[0], rows, embeddings(vectors.shape[1]), facts)
