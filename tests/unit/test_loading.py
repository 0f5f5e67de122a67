"""Tables of many files as one: keys in front, in the order of the study, with the types of the schema."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import (
    InputError,
    facts_by,
    load_tables,
    paths_by,
    read_table,
    schema,
    shared_facts,
    tables_by,
    write_table,
)

COUNTS = schema("""
    word   word    a word
    count  i32?    how often it occurs
    mean   f64     a mean
    sure   bool?   whether that is sure
    ids    text[]?  of its pairs
""")
ORDER = {"model": ["b", "a"], "benchmark": ["x", "y"]}


def rows_of(*words: str, count: int | None = 1) -> pd.DataFrame:
    return pd.DataFrame(
        [{"word": word, "count": count, "mean": len(word) / 3, "sure": True, "ids": [word]} for word in words]
    )


@pytest.fixture
def paths(tmp_path: Path) -> dict[tuple[str, str], Path]:
    """One table a model and benchmark, in an order that no study has."""
    written = {}
    for model, benchmark in [("a", "y"), ("c", "x"), ("b", "y"), ("a", "x"), ("b", "x")]:
        path = tmp_path / f"{model}-{benchmark}.parquet"
        frame = rows_of(f"{model}{benchmark}1", f"{model}{benchmark}2", count=None if model == "c" else 1)
        write_table(path, frame, COUNTS, {"model": model, "benchmark": benchmark, "seed": 3})
        written[model, benchmark] = path
    return written


def slow(paths: list[Path], keys: list[str]) -> pd.DataFrame:
    """The same in plain pandas: a table each, with what its name says of it, one after the other."""
    parts = []
    for path in paths:
        rows = read_table(path, COUNTS)
        for place, key in enumerate(keys):
            rows.insert(place, key, path.stem.split("-")[place])
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def test_in_the_order_of_the_study_and_nothing_else(paths: dict[tuple[str, str], Path]) -> None:
    frame = load_tables(paths.values(), COUNTS, "model", "benchmark", order=ORDER)
    wanted = [paths[model, benchmark] for model in ORDER["model"] for benchmark in ORDER["benchmark"]]
    pd.testing.assert_frame_equal(frame, slow(wanted, ["model", "benchmark"]))
    # what is left out has no say in the types: the counts of c are null
    assert frame["count"].dtype == "int32"


def test_without_an_order_in_that_of_the_files(paths: dict[tuple[str, str], Path]) -> None:
    frame = load_tables(paths.values(), COUNTS, "model", "benchmark")
    pd.testing.assert_frame_equal(frame, slow(list(paths.values()), ["model", "benchmark"]))


def test_a_key_may_be_a_column_of_the_table_itself(paths: dict[tuple[str, str], Path]) -> None:
    some = [paths["a", "y"], paths["b", "x"]]
    order = {"word": ["bx1", "ay2", "none", "ay1"]}
    frame = load_tables(some, COUNTS, "word", "model", "seed", order=order)
    assert frame.columns.tolist() == ["word", "model", "seed", "count", "mean", "sure", "ids"]
    assert frame[["word", "model", "seed"]].to_numpy().tolist() == [
        ["bx1", "b", 3],
        ["ay2", "a", 3],
        ["ay1", "a", 3],
    ]


def test_types_are_there_without_files() -> None:
    frame = load_tables([], COUNTS, "model", order={"model": ["a"]})
    assert frame.empty
    assert frame.dtypes.astype(str).to_dict() == {
        "model": "str",
        "word": "str",
        "count": "int32",
        "mean": "float64",
        "sure": "bool",
        "ids": "object",
    }


@pytest.mark.parametrize("load", [load_tables, tables_by])
def test_files_that_are_none(load: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.parquet: no such file"):
        load([tmp_path / "none.parquet"], COUNTS, "model")
    broken = tmp_path / "broken.parquet"
    broken.write_text("no table")
    with pytest.raises(InputError, match=r"broken\.parquet: not a readable Parquet file") as caught:
        load([broken], COUNTS, "model")
    assert "\n" not in str(caught.value)


def test_two_of_the_same_and_one_of_nothing(paths: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    twice = [paths["a", "x"], paths["a", "y"]]
    with pytest.raises(InputError, match=r"a-y\.parquet: a second table of model a, besides .*a-x\.parquet"):
        load_tables(twice, COUNTS, "model")
    with pytest.raises(InputError, match="a second table of benchmark x and model a"):
        facts_by([paths["a", "x"]] * 2, "benchmark", "model")
    bare = tmp_path / "bare.parquet"
    write_table(bare, rows_of("w"), COUNTS, {"model": "a"})
    with pytest.raises(InputError, match="does not say which model and benchmark it is of"):
        load_tables([bare], COUNTS, "model", "benchmark")


def test_by_their_keys(paths: dict[tuple[str, str], Path]) -> None:
    assert paths_by(paths.values(), "model", "benchmark") == {key: str(path) for key, path in paths.items()}
    some = [paths["c", "x"], paths["a", "y"]]
    by_model = tables_by(some, COUNTS, "model")
    assert list(by_model) == ["c", "a"]
    pd.testing.assert_frame_equal(by_model["a"], read_table(paths["a", "y"], COUNTS))
    assert facts_by(some, "model") == {
        ("c",): {"model": "c", "benchmark": "x", "seed": 3},
        ("a",): {"model": "a", "benchmark": "y", "seed": 3},
    }


def test_what_all_tables_say(paths: dict[tuple[str, str], Path]) -> None:
    some = [paths["a", "x"], paths["a", "y"]]
    assert shared_facts(some, "seed", "model", "other") == {"seed": 3, "model": "a"}
    assert shared_facts([], "seed") == {}
    with pytest.raises(InputError, match=r"a-y\.parquet: made with benchmark y, others with x; run again"):
        shared_facts(some, "benchmark")
