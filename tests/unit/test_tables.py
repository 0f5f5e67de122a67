"""Tables are written whole, checked on write and on read."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from examples import example_pairs
from library import PAIRS, SCORES, InputError, meaning_of, read_table, schema, write_table
from library import unmask_tables as tables

OF_TOKENS = schema("""
    pair_id   word   a string out of few
    position  i16    a number
    text      text   any string
    special   bool   a truth value
    modified  bool?  one that may be null
    log_prob  f32?   a float
""")


def tokens(rows: int) -> pa.Table:
    """Made rows with every kind of value that columns may hold."""
    draw = np.random.default_rng(0)
    floats = [-math.inf, -0.0, 1e-45, None, *draw.normal(-5, 3, rows - 4).astype(np.float32)]
    columns = {
        "pair_id": pa.array([f"pair {row // 20}" for row in range(rows)]).dictionary_encode(),
        "position": pa.array(np.arange(rows) % 20, pa.int16()),
        "text": pa.array(draw.choice(["the", "##s", "naïve", "", "女"], rows)),
        "special": pa.array(np.arange(rows) % 20 == 0),
        "modified": pa.array([None, True, False, None] * (rows // 4), pa.bool_()),
        "log_prob": pa.array(floats, pa.float32()),
    }
    return pa.table(columns, schema=OF_TOKENS)


def test_what_is_written_is_read_to_the_last_bit(tmp_path: Path) -> None:
    rows = tokens(1000)
    write_table(tmp_path / "a.parquet", rows, OF_TOKENS, {})
    back = pq.read_table(tmp_path / "a.parquet")
    assert back.schema.equals(OF_TOKENS) and back.to_pydict() == rows.to_pydict()
    # equal numbers may still differ, as -0.0 and 0.0 do
    assert back["log_prob"].to_numpy().tobytes() == rows["log_prob"].to_numpy().tobytes()
    pairs = example_pairs()
    write_table(tmp_path / "pairs.parquet", pairs, PAIRS, {"rows": len(pairs)})
    back = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert list(back.columns) == PAIRS.names
    assert list(back["stereotype"]) == list(pairs["stereotype"])
    assert back["unrelated"].isna().tolist() == pairs["unrelated"].isna().tolist()
    assert not list(tmp_path.glob(".*"))


def test_columns_and_nulls_that_do_not_fit_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "pairs.parquet"
    with pytest.raises(ValueError, match="bias_type"):
        write_table(target, example_pairs().drop(columns="bias_type"), PAIRS, {})
    with pytest.raises(ValueError, match=r"bias_type.* null"):
        write_table(target, example_pairs().assign(bias_type=None), PAIRS, {})
    assert not list(tmp_path.iterdir())


def test_unreadable_and_foreign_files_give_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match=r"broken.parquet: not a readable Parquet file"):
        read_table(broken, PAIRS)
    with pytest.raises(InputError, match=r"missing.parquet: no such file"):
        read_table(tmp_path / "missing.parquet", PAIRS)
    foreign = tmp_path / "foreign.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(foreign)
    with pytest.raises(InputError, match="its columns are not those of this version"):
        read_table(foreign, SCORES)


def test_the_same_rows_make_the_same_bytes_however_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "ROW_GROUP", 64)
    rows, contents = tokens(300), set()
    for sizes in ([300], [150, 150], [1, 0, 62, 2, 199, 36]):
        pieces = [rows.slice(end - size, size) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
        # as shards are: each read from a file, with a dictionary of its own
        again = pa.concat_tables(pa.table(piece.to_pydict(), schema=OF_TOKENS) for piece in pieces)
        write_table(tmp_path / "table.parquet", again, OF_TOKENS, {"seed": 1})
        contents.add((tmp_path / "table.parquet").read_bytes())
    assert len(contents) == 1 and pq.read_metadata(tmp_path / "table.parquet").num_row_groups == 5
    assert pq.read_table(tmp_path / "table.parquet").to_pydict() == rows.to_pydict()


def test_what_columns_mean_is_in_the_file_and_no_part_of_the_schema(tmp_path: Path) -> None:
    said, other = (schema(f"score f64 {meaning}") for meaning in ("percent", "points"))
    rows = pd.DataFrame({"score": [50.0, 60.0]})
    path = tmp_path / "said.parquet"
    write_table(path, rows, said, {"a": 1})
    before = path.read_bytes()
    assert meaning_of(pq.read_schema(path).field("score")) == "percent"
    pd.testing.assert_frame_equal(read_table(path, other), rows)
    # what is written is what the schema says, whatever the rows bring along
    write_table(path, pa.table(rows, schema=other), said, {"a": 1})
    assert path.read_bytes() == before


def test_columns_are_stated_as_text() -> None:
    columns = schema("""
        measure  word  the measure
        score    f64?  bias score in percent; null where
                       no pair has a decision
        ids      text[]  of the pairs
        low, high  f64?  ends of its interval
    """)
    stated = [(f.name, str(f.type), f.nullable, meaning_of(f)) for f in columns]
    assert stated == [
        ("measure", str(pa.dictionary(pa.int32(), pa.string())), False, "the measure"),
        ("score", "double", True, "bias score in percent; null where no pair has a decision"),
        ("ids", "list<item: string>", False, "of the pairs"),
        *((name, "double", True, "ends of its interval") for name in ("low", "high")),
    ]

    for text in ("score f64", "score f65 percent"):
        with pytest.raises((ValueError, KeyError)):
            schema(text)
