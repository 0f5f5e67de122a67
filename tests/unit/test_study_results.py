"""The reader of a study's tables: for jobs one frame of many files, for `unmask.load` all of a folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pytest

import unmask
from examples import example_pairs
from library import (
    PAIRS,
    PREDICTIONS,
    SCORES,
    InputError,
    declared_tables,
    digests,
    facts_by,
    framed,
    load_tables,
    read_table,
    schema,
    tables_by,
    write_table,
)

SCRIPTS = Path(digests.__file__).resolve().parents[1]


def scores(margin: float, pairs: int = 2) -> pd.DataFrame:
    words = {"measure": "AUL", "protocol": "corrected", "outcome": "tie", "lowest": "tie", "highest": "tie"}
    return framed([{"pair_id": f"p{n}", "margin": margin, **words} for n in range(pairs)], SCORES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some results of a study of two models and benchmarks, with what is no table among them."""
    for place, model in enumerate(["roberta", "bert"]):
        for benchmark in ["b1", "b2"]:
            path = tmp_path / f"scores/{model}/{benchmark}/original.parquet"
            write_table(path, scores(place), SCORES, {"model": model, "benchmark": benchmark})
    for seed in (10, 9):
        write_table(tmp_path / f"untrained/bert/b1/{seed}.parquet", scores(seed), SCORES, {})
    write_table(tmp_path / "benchmarks/b1.parquet", example_pairs(), PAIRS, {"benchmark": "b1"})
    kept = tmp_path / "scores/bert/b1/.kept/original.parquet"
    kept.parent.mkdir()
    shutil.copy(tmp_path / "scores/bert/b1/original.parquet", kept)
    for other in ("settings.json", "logs/scores/bert.log", "corpora/web/part-0.parquet"):
        (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / other).write_text("{}")
    return tmp_path


def test_one_frame_of_all_files_with_their_keys_in_front(folder: Path) -> None:
    results = unmask.load(str(folder))
    frame = results["scores"]
    # by the alphabet, as its files are found; else as the workflow reads them
    of = [(model, benchmark) for model in ("bert", "roberta") for benchmark in ("b1", "b2")]
    paths = [folder / f"scores/{model}/{benchmark}/original.parquet" for model, benchmark in of]
    wanted = load_tables(paths, SCORES, "model", "benchmark")
    wanted.insert(2, "variant", "original")
    pd.testing.assert_frame_equal(frame, wanted)


def test_a_mapping_that_reads_what_it_is_asked_for(folder: Path) -> None:
    results = unmask.load(folder)
    assert isinstance(results, Mapping)
    assert set(results) == {"scores", "untrained_scores", "pairs"} and len(results) == 3
    (folder / "scores/bert/b1/original.parquet").write_text("no table")
    # nothing of it was read
    assert "scores" in results and "evidence" not in results
    assert len(results["pairs"]) == len(example_pairs())
    with pytest.raises(InputError, match=r"original\.parquet: not a readable Parquet file"):
        results["scores"]


def test_some_files_alone(folder: Path) -> None:
    results = unmask.load(folder)
    (folder / "untrained/bert/b1/10.parquet").write_text("no table")
    assert set(results.read("untrained_scores", seed=9)["margin"]) == {9.0}
    assert results.read("scores", model="bert", benchmark="b2")["model"].tolist() == ["bert"] * 2
    nothing = results.read("scores", model="gpt")
    assert nothing.empty and nothing.dtypes["margin"] == "float64"
    with pytest.raises(KeyError, match="'measure': no key of scores, which has model, benchmark, variant"):
        results.read("scores", measure="AUL")


def test_it_says_what_is_there(folder: Path) -> None:
    assert repr(unmask.load(folder)).splitlines() == [
        f"{folder}: 3 tables",
        "  pairs             1 file   benchmark",
        "  scores            4 files  model, benchmark, variant",
        "  untrained_scores  2 files  model, benchmark, seed",
    ]


def test_unknown_names(folder: Path) -> None:
    results = unmask.load(folder)
    for ask, name, line in (
        (results.read, "score", "no such table (did you mean scores? tables: pairs, "),
        (results.columns, "bias", "this study has no such table (tables: pairs, "),
        (results.files, "x", "no such table (tables: pairs, "),
    ):
        with pytest.raises(KeyError, match=re.escape(f"'{name}': {line}")):
            ask(name)


@pytest.mark.parametrize("place", ["nowhere", "logs", "settings.json", "corpora"])
def test_a_folder_that_is_no_study(folder: Path, place: str) -> None:
    with pytest.raises(InputError, match=f"{place}: no ") as caught:
        unmask.load(folder / place)
    assert "\n" not in str(caught.value)


def test_every_path_is_of_one_table() -> None:
    """Filled in, a table's path is found as its own, whatever its keys are."""
    tables = declared_tables()
    for name, files in tables.items():
        for value in ("x", "a b", "v1.0_é+"):
            path = re.sub(r"\{\w+\}", value, files.path)
            owner = next(other for other, each in tables.items() if each.keys_of(path) is not None)
            assert owner == name and files.keys_of(path) == dict.fromkeys(files.keys, value)
    assert tables["downstream_predictions"].schema is PREDICTIONS


def test_importing_is_light() -> None:
    code = (
        "import sys, unmask\n"
        "assert not {'pandas', 'pyarrow', 'torch'} & set(sys.modules), 'heavy'\n"
        "unmask.load\n"
        "import unmask.report.study_results\n"
        "unmask.report.study_results.declared_tables()\n"
        "assert not {'torch', 'transformers', 'snakemake'} & set(sys.modules), 'torch'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": str(SCRIPTS)})


COUNTS = schema("""
    word   word    a word
    count  i32?    how often it occurs
    mean   f64     a mean
    sure   bool?   whether that is sure
    ids    text[]?  of its pairs
""")


def rows_of(*words: str, count: int | None = 1) -> pd.DataFrame:
    return pd.DataFrame(
        [{"word": word, "count": count, "mean": len(word) / 3, "sure": True, "ids": [word]} for word in words]
    )


@pytest.fixture
def paths(tmp_path: Path) -> dict[tuple[str, str], Path]:
    """One table a model and benchmark, in no order of names."""
    written = {}
    for model, benchmark in [("a", "y"), ("c", "x"), ("b", "y"), ("a", "x"), ("b", "x")]:
        path = tmp_path / f"{model}-{benchmark}.parquet"
        frame = rows_of(f"{model}{benchmark}1", f"{model}{benchmark}2", count=None if model == "c" else 1)
        write_table(path, frame, COUNTS, {"model": model, "benchmark": benchmark, "seed": 3})
        written[model, benchmark] = path
    return written


def test_tables_are_one_frame_in_their_order(paths: dict[tuple[str, str], Path]) -> None:
    def slow(chosen: Iterable[tuple[str, str]]) -> pd.DataFrame:
        tables = [
            read_table(paths[model, benchmark], COUNTS).assign(model=model, benchmark=benchmark)
            for model, benchmark in chosen
        ]
        return pd.concat(tables, ignore_index=True)[["model", "benchmark", *COUNTS.names]]

    frame = load_tables(paths.values(), COUNTS, "model", "benchmark")
    pd.testing.assert_frame_equal(frame, slow(paths))
    some = [("b", "x"), ("a", "x"), ("a", "y")]
    frame = load_tables([paths[each] for each in some], COUNTS, "model", "benchmark")
    pd.testing.assert_frame_equal(frame, slow(some))
    # the counts of c are null
    assert frame["count"].dtype == "int32"
    types = ["str", "str", "int32", "float64", "bool", "object"]
    empty = load_tables([], COUNTS, "model")
    assert empty.empty and list(empty.dtypes.astype(str)) == types


def test_tables_by_what_they_state(paths: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a-y\.parquet: a second table of model a; delete it and run"):
        load_tables([paths["a", "x"], paths["a", "y"]], COUNTS, "model")
    bare = tmp_path / "bare.parquet"
    write_table(bare, rows_of("w"), COUNTS, {"model": "a"})
    with pytest.raises(InputError, match=r"bare\.parquet: not a readable Parquet file; delete it and run"):
        load_tables([bare], COUNTS, "model", "benchmark")
    some = [paths["c", "x"], paths["a", "y"]]
    assert list(facts_by(some, "model", "benchmark")) == [("c", "x"), ("a", "y")]
    pd.testing.assert_frame_equal(tables_by(some, COUNTS, "model")["a"], read_table(paths["a", "y"], COUNTS))
