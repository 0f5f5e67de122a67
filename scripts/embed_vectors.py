"""Look the words of a suite up among word vectors: an embeddings table."""

from typing import TYPE_CHECKING

from unmask.associations.schema import STIMULI, embeddings
from unmask.associations.terms import VECTORS
from unmask.associations.vectors import embed
from unmask.associations.writing import embeddings_of
from unmask.errors import InputError
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.tables import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = snakemake.input, snakemake.params
    try:
        found = embed(read_table(inputs.stimuli, STIMULI), inputs.vectors, params.missing)
    except InputError as error:
        raise InputError(f"vectors {params.encoder}, suite {params.suite}: {error}") from None
    width = found.values.shape[1]
    made = record(inputs, params.code, "numpy", "pyarrow")
    facts = {
        "encoder": params.encoder,
        "suite": params.suite,
        "width": width,
        "poolings": [VECTORS],
        "left_out": found.left_out,
        "remarks": list(found.remarks),
        "vectors": {"path": inputs.vectors, "sha256": made["made_from"][inputs.vectors]},
        **made,
    }
    rows = embeddings_of(found.stimuli, {VECTORS: found.values})
    write_table(snakemake.output[0], rows, embeddings(width), facts)
