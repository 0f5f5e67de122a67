"""The tables of association tests."""

from unmask.associations.schema import ASSOCIATIONS, EMBEDDINGS, STIMULI

TABLES = {
    "associations": ("associations/{encoder}/{suite}/associations.parquet", ASSOCIATIONS),
    "associations_stimuli": ("associations/suites/{suite}.parquet", STIMULI),
    "associations_embeddings": ("associations/{encoder}/{suite}/embeddings.parquet", EMBEDDINGS),
}
