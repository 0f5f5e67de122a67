"""The tables of association tests."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from unmask.associations.schema import ASSOCIATIONS, STIMULI, embeddings


def embeddings_of_file(facts: Mapping[str, Any]) -> pa.Schema:
    return embeddings(facts["width"])


embeddings_of_file.__doc__ = embeddings.__doc__

TABLES: Mapping[str, tuple[str, Any]] = {
    "associations": ("associations/{encoder}/{suite}/associations.parquet", ASSOCIATIONS),
    "associations_stimuli": ("associations/suites/{suite}.parquet", STIMULI),
    "associations_embeddings": ("associations/{encoder}/{suite}/embeddings.parquet", embeddings_of_file),
}
