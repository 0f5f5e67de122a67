"""Declared columns: what cells are read as, and what is said of those that do not fit."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from library import Column, InputError, identifier, read_document
from library import User_tablesTable as Table

COLUMNS = (
    Column("id", identifier, required=True, key=True, header="no"),
    Column("share", float, least=0, most=1),
    Column("count", int, optional=True, least=1),
    Column("side", choices={"L": "left", "R": "right", "1": "one"}),
)
GOOD: dict[str, Any] = {"no": 1, "share": 1, "count": 1, "side": "L", "other": "x"}
EMPTY: dict[str, Any] = {"no": 2, "share": None, "count": None, "side": None, "other": "x"}
READ = [
    {"id": "1", "share": 1, "count": 1, "side": "left"},
    {"id": "2", "share": None, "count": None, "side": None},
]


def written(folder: Path, type_: str, rows: Sequence[dict[str, Any]], name: str = "table") -> Path:
    path = folder / f"{name}.{type_}"
    if type_ == "parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    elif type_ == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        pd.DataFrame(rows, dtype=object).to_csv(path, index=False, sep="\t" if type_ == "tsv" else ",")
    return path


def refused(path: Path, columns: Sequence[Column] = COLUMNS, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        list(Table(columns, **more).rows(path, {}))
    line = str(caught.value)
    assert line.startswith(f"{path}: ") and "\n" not in line
    return line.removeprefix(f"{path}: ")


PLACES = {"csv": "row 1 (line 3)", "tsv": "row 1 (line 3)", "jsonl": "row 1 (line 2)", "parquet": "row 1"}


@pytest.mark.parametrize("type_", PLACES)
def test_every_type_gives_the_same(type_: str, tmp_path: Path) -> None:
    path = written(tmp_path, type_, [GOOD, EMPTY])
    rows = list(Table(COLUMNS).rows(path, {}))
    assert rows == READ and rows[1].place == PLACES[type_]
    assert "column 'other' is none of no, share, count, side" in refused(path, others=False)
    (row,) = Table(COLUMNS).rows(written(tmp_path, type_, [{"no": "a", "share": "", "side": ""}]), {})
    assert row == {"id": "a", "share": None, "count": None, "side": None}


@pytest.mark.parametrize("type_", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"no": None}, "no: is empty"),
        ({"no": 1}, "no: '1' stands in row 0"),
        ({"share": 1.5}, "share: {}1.5{} is no number from 0 to 1"),
        ({"share": -0.5}, "share: {}-0.5{} is no number from 0 to 1"),
        ({"count": 0}, "count: {}0{} is no whole number"),
        ({"side": "left"}, "side: 'left' is none of L, R, 1"),
    ],
)
def test_a_cell_that_does_not_fit(type_: str, change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = written(tmp_path, type_, [GOOD, {**GOOD, "no": 2, **change}])
    quote = "'" if type_ == "csv" else ""
    assert refused(path).startswith(f"{PLACES[type_]}: {said.format(quote, quote)}")


@pytest.mark.parametrize("text", ["1_0", "١", "inf", "nan", "1e999", "0x1", "1,5", "true", "9" * 400])
def test_what_python_alone_takes_for_a_number(text: str, tmp_path: Path) -> None:
    for kind in (int, float):
        path = written(tmp_path, "csv", [{"n": text}])
        assert "n: " in refused(path, [Column("n", kind)])
    for value in (True, [1], 10**400):
        assert "n: " in refused(written(tmp_path, "jsonl", [{"n": value}]), [Column("n", float)])
    assert "n: " in refused(written(tmp_path, "jsonl", [{"n": True}]), [Column("n", identifier)])


def test_labels_and_keys_are_compared_over_files(tmp_path: Path) -> None:
    one, two = (written(tmp_path, "csv", [{"name": name}], name=str(n)) for n, name in enumerate(["a", "a "]))
    for column, said in (
        (Column("name", label=True), f"name: 'a ' and 'a' ({one}: row 0 (line 2)) look alike"),
        (Column("name", str.strip, key=True), f"name: 'a' stands in {one}: row 0 (line 2) too"),
    ):
        table = Table([column])
        assert len(list(table.rows(one))) == 1
        with pytest.raises(InputError) as caught:
            list(table.rows(two))
        assert str(caught.value).startswith(f"{two}: row 0 (line 2): {said}")


def test_of_parquet_only_what_is_declared_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"n": [1, 2], "day": pa.array([10**6] * 2, pa.date32())}), path)
    assert list(Table([Column("n", int)]).rows(path, {})) == [{"n": 1}, {"n": 2}]
    assert refused(path, [Column("day")]).startswith("row 0: day: is not a text but datetime")


def test_documents_say_where(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": {"b": ["x", 5]}, "n": true}')
    document = read_document(path)
    assert document["a"]["b"].parts()[0].text() == "x"
    for look, said in (
        (lambda: document["a"]["b"].texts(), "a.b.2: is not a text but 5; put quotation marks around it"),
        (lambda: document["c"], "no c in it (it has a, n)"),
        (lambda: document["n"].text(), "n: is not a text but True; put quotation marks around it"),
        (lambda: document["a"].parts(), "a: is not a list but a dict"),
    ):
        with pytest.raises(InputError) as caught:
            look()
        assert str(caught.value) == f"{path}: {said}"
