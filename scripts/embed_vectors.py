"""Look the words of a suite up among word vectors: an embeddings table."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.associations.schema import STIMULI, embeddings
from unmask.associations.terms import VECTORS
from unmask.associations.vectors import embed
from unmask.associations.writing import embeddings_of
from unmask.errors import InputError
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, params = snakemake.input, snakemake.params
    try:
        embedded = embed(read_table(inputs.stimuli, STIMULI), inputs.vectors, params.missing)
    except InputError as error:
        raise InputError(f"vectors {params.encoder}, suite {params.suite}: {error}") from None
    width = embedded.values.shape[1]
    origin = record(inputs, params.code, "numpy", "pyarrow")
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "width": width,
        "poolings": [VECTORS],
        "left_out": embedded.left_out,
        "remarks": list(embedded.remarks),
        "vectors": {"path": inputs.vectors, "sha256": origin["made_from"][inputs.vectors]},
        **origin,
    }
    rows = embeddings_of(embedded.stimuli, {VECTORS: embedded.values})
    write_table(snakemake.output[0], rows, embeddings(width), facts)
