"""The tables of association tests."""

from collections.abc import Mapping

from unmask.associations.schema import ASSOCIATIONS, CONSTRUCTED, DRAWS, STIMULI, embeddings
from unmask.result_files import ResultFiles

TABLES: Mapping[str, ResultFiles] = {
    "associations": ResultFiles("associations/{encoder}/{suite}/associations.parquet", ASSOCIATIONS),
    "associations_draws": ResultFiles("associations/{encoder}/{suite}/draws.parquet", DRAWS),
    "associations_constructed": ResultFiles("associations/constructed.parquet", CONSTRUCTED),
    "associations_stimuli": ResultFiles("associations/suites/{suite}.parquet", STIMULI),
    "associations_embeddings": ResultFiles(
        "associations/{encoder}/{suite}/embeddings.parquet", lambda facts: embeddings(facts["width"])
    ),
}
