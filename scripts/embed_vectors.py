"""Look the words of a suite up among word vectors: an embeddings table."""

from unmask.job import job
from unmask.associations.embeddings import embeddings_of
from unmask.associations.schema import EMBEDDINGS, STIMULI
from unmask.associations.terms import VECTORS
from unmask.associations.vectors import embed_words
from unmask.tables import read_table, write_table

with job("vectors {params.encoder}, suite {params.suite}") as run:
    path, stimuli = run.input.vectors, read_table(run.input.stimuli, STIMULI)
    vectors, in_lower_case = embed_words(stimuli, path)
    origin, width = run.record(), vectors.shape[1]
    facts = {
        "encoder": run.params.encoder,
        "suite": run.params.suite,
        "width": width,
        "poolings": [VECTORS],
        "in_lower_case": in_lower_case,
        "vectors": {"path": path, "sha256": origin["made_from"][path]},
        **origin,
    }
    rows = embeddings_of(stimuli.drop_duplicates("stimulus").sort_values("stimulus"), {VECTORS: vectors})
    write_table(run.output[0], rows, EMBEDDINGS, facts)
