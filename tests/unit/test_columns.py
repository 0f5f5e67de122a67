"""What columns mean stands in their schemas, for every table."""

import re

import pyarrow as pa
import pytest

from unmask.result_files import ResultFiles
from unmask.study_results import KEY_MEANINGS, columns_of, declared_tables
from unmask.tables import meaning_of

TABLES = declared_tables()


def schema_of(files: ResultFiles) -> pa.Schema:
    """The schema of a table; of one whose columns are as many as a file's metadata says, of width 1."""
    return files.schema if isinstance(files.schema, pa.Schema) else files.schema({"width": 1})


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_means(name: str) -> None:
    """By itself: a notebook shows some columns without those before them."""
    for column in schema_of(TABLES[name]):
        meaning = meaning_of(column)
        assert meaning and not meaning.endswith(".") and not re.search(r"[|\n]", meaning)
        assert not re.match(r"its |the same|likewise", meaning), (column.name, meaning)


def test_every_key_says_what_it_means() -> None:
    keys = {key for files in TABLES.values() for key in files.keys if key not in schema_of(files).names}
    assert set(KEY_MEANINGS) < keys
    meanings = columns_of(TABLES["evidence"], schema_of(TABLES["evidence"])).set_index("column")["meaning"]
    assert meanings["benchmark"] == "the benchmark" and meanings["masking"].startswith("what is hidden")
