"""The tables of association tests."""

from collections.abc import Mapping
from typing import Any

from unmask.associations.schema import ASSOCIATIONS, EMBEDDINGS, STIMULI

TABLES: Mapping[str, tuple[str, Any]] = {
    "associations": ("associations/{encoder}/{suite}/associations.parquet", ASSOCIATIONS),
    "associations_stimuli": ("associations/suites/{suite}.parquet", STIMULI),
    "associations_embeddings": ("associations/{encoder}/{suite}/embeddings.parquet", EMBEDDINGS),
}
