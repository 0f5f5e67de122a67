"""What columns mean stands in their schemas, for every table, and on docs/columns.md."""

import re
from collections.abc import Iterator

import pyarrow as pa
import pytest

from unmask import columns_page
from unmask.columns_page import PAGE, page, schema_of
from unmask.plugins import LIBRARY, load, names
from unmask.study_results import KEY_MEANINGS, columns_of, declared_tables
from unmask.tables import field, meaning_of

TABLES = declared_tables()


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m unmask.columns_page"


def test_the_page_has_every_table_and_column() -> None:
    text = page()
    for name, files in TABLES.items():
        (section,) = re.findall(rf"^### {name}\n(.*?)(?=^##|\Z)", text, flags=re.DOTALL | re.MULTILINE)
        assert f"`{files.path}`" in section
        same = re.search(r"those of \[(\w+)\]", section)
        if same:
            assert TABLES[same[1]].schema is files.schema
        else:
            columns = columns_of(files, schema_of(files))["column"].tolist()
            assert re.findall(r"^\| `(\w+)`", section, flags=re.MULTILINE) == columns


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_means(name: str) -> None:
    """By itself: a notebook shows some columns without those before them."""
    for column in schema_of(TABLES[name]):
        meaning = meaning_of(column)
        assert meaning and meaning == meaning.strip() and not meaning.endswith(".")
        assert not re.search(r"[|\n]", meaning)
        assert not re.match(r"its |the same|likewise", meaning), (column.name, meaning)


def test_columns_that_are_named_are_there() -> None:
    """`score` in the meaning of `low`: a column of the same table."""
    for files in TABLES.values():
        schema = schema_of(files)
        for column in schema:
            for other in re.findall(r"interval (?:of|from) `(\w+)`|^as `(\w+)`", meaning_of(column)):
                assert set(other) - {""} <= set(schema.names) - {column.name}, (column.name, other)


def test_every_key_says_what_it_means() -> None:
    keys = {key for files in TABLES.values() for key in files.keys if key not in schema_of(files).names}
    assert set(KEY_MEANINGS) < keys
    meanings = columns_of(TABLES["evidence"], schema_of(TABLES["evidence"])).set_index("column")["meaning"]
    assert meanings["benchmark"] == "the benchmark" and meanings["masking"].startswith("what is hidden")


def schemas() -> Iterator[tuple[str, pa.Schema]]:
    """All schemas that modules of this library have a name for."""
    for folder in sorted(path.name for path in LIBRARY.iterdir() if (path / "__init__.py").exists()):
        for name in names(folder):
            if "schema" in name or name in ("labelled", "likeliest"):
                for key, value in vars(load(folder, name)).items():
                    if isinstance(value, pa.Schema):
                        yield f"{folder}/{name}: {key}", value


def test_every_schema_is_of_a_table() -> None:
    declared = [id(files.schema) for files in TABLES.values()]
    every = dict(schemas())
    assert every
    assert [name for name, schema in every.items() if id(schema) not in declared] == []


def test_a_schema_without_a_docstring_is_a_defect() -> None:
    with pytest.raises(ValueError, match=r"a schema without a docstring: \['x'\]"):
        columns_page._about(pa.schema([field("x", pa.string())]))
