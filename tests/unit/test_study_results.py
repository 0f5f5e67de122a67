"""`unmask.load`: what of a folder is a table, one frame of many files, and what is refused."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unmask
from examples import example_pairs
from library import (
    JUDGEMENTS,
    PAIRS,
    PREDICTIONS,
    SCORES,
    InputError,
    code_digest,
    csv_text,
    declared_tables,
    embeddings,
    framed,
    load_tables,
    write_table,
)

SCRIPTS = Path(code_digest.__file__).resolve().parents[1]


def scores(margin: float, pairs: int = 2) -> pd.DataFrame:
    words = {"measure": "AUL", "protocol": "corrected", "outcome": "tie", "lowest": "tie", "highest": "tie"}
    return framed([{"pair_id": f"p{n}", "margin": margin, **words} for n in range(pairs)], SCORES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some results of a study of two models and benchmarks, with what is no table among them."""
    for place, model in enumerate(["roberta", "bert"]):
        for benchmark in ["b1", "b2"]:
            facts = {"model": model, "benchmark": benchmark}
            write_table(
                tmp_path / f"scores/{model}/{benchmark}/original.parquet", scores(place), SCORES, facts
            )
    for seed in (10, 9):
        path = tmp_path / f"untrained/bert/b1/{seed}.parquet"
        write_table(path, scores(seed), SCORES, {})
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
    paths = [
        folder / f"scores/{model}/{benchmark}/original.parquet"
        for model in ("bert", "roberta")
        for benchmark in ("b1", "b2")
    ]
    wanted = load_tables(paths, SCORES, "model", "benchmark")
    pd.testing.assert_frame_equal(frame.drop(columns="variant"), wanted)
    assert set(frame["variant"]) == {"original"} and list(frame.columns[:3]) == [
        "model",
        "benchmark",
        "variant",
    ]


def test_a_mapping_that_reads_what_it_is_asked_for(folder: Path) -> None:
    results = unmask.load(folder)
    assert isinstance(results, Mapping)
    assert set(results) == {"scores", "untrained_scores", "pairs"} and len(results) == 3
    (folder / "scores/bert/b1/original.parquet").write_text("no table")
    # nothing of it was read
    assert "scores" in results and "evidence" not in results and 3 not in results
    assert len(results["pairs"]) == len(example_pairs())
    with pytest.raises(InputError, match=r"original\.parquet: not a readable Parquet file"):
        results["scores"]


def test_what_is_done_to_a_frame_stays_there(folder: Path) -> None:
    results = unmask.load(folder)
    frame = results["scores"]
    frame["margin"] = 7.0
    del frame["measure"]
    assert set(results["scores"]["margin"]) == {0.0, 1.0} and "measure" in results["scores"]


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
    with pytest.raises(
        KeyError,
        match=r"'score': no such table \(did you mean scores\? tables: pairs, ",
    ):
        results["score"]
    with pytest.raises(KeyError, match=r"'bias': this study has no such table \(tables: pairs, "):
        results.columns("bias")
    with pytest.raises(KeyError, match=r"'x': no such table \(tables: pairs, "):
        results.files("x")


@pytest.mark.parametrize("place", ["nowhere", "logs", "settings.json", "corpora"])
def test_a_folder_that_is_no_study(folder: Path, place: str) -> None:
    with pytest.raises(InputError, match=f"{place}: no ") as caught:
        unmask.load(folder / place)
    assert "\n" not in str(caught.value)


def test_embeddings_of_any_width_are_one_table(tmp_path: Path) -> None:
    for encoder, width in (("a", 3), ("b", 2)):
        schema = embeddings(width)
        rows = pd.DataFrame({"stimulus": [0], "pooling": ["cls"], "embedding": [np.arange(width)]})
        path = tmp_path / f"associations/{encoder}/suite/embeddings.parquet"
        write_table(path, rows, schema, {"width": width})
    results = unmask.load(tmp_path)
    assert [list(each) for each in results["associations_embeddings"]["embedding"]] == [[0, 1, 2], [0, 1]]
    assert results.columns("associations_embeddings")["type"].tolist()[-1] == "list of float32"


def planted_row(**changes: object) -> dict[str, object]:
    words = ("benchmark", "bias_type", "planted", "measure", "model", "verdict", "judgement")
    numbers = {name: 0.5 for name in JUDGEMENTS.names if name not in words} | {"n": 9}
    return dict.fromkeys(words, "x") | numbers | changes


def test_a_table_that_is_csv_is_read_as_its_schema_says(folder: Path) -> None:
    path = folder / "tables/planted.csv"
    path.parent.mkdir()
    rows = [planted_row(model="NA", low=None, p_low=1.0), planted_row(model="007", bias_type="=2+2")]
    path.write_text(csv_text(pd.DataFrame(rows)[JUDGEMENTS.names]))
    frame = unmask.load(folder)["planted"]
    assert frame["model"].tolist() == ["NA", "007"] and frame["bias_type"].tolist() == ["x", "'=2+2"]
    assert np.isnan(frame["low"][0]) and frame["low"][1] == 0.5 and frame["p_low"].tolist() == [1, 0.5]
    assert unmask.load(folder).columns("planted")["column"].tolist() == JUDGEMENTS.names
    for text in ("model\nbert\n", "", csv_text(pd.DataFrame([planted_row(score="much")]))):
        path.write_text(text)
        with pytest.raises(InputError, match=r"planted\.csv: not a readable table"):
            unmask.load(folder)["planted"]


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
        "import unmask.study_results\n"
        "unmask.study_results.declared_tables()\n"
        "assert not {'torch', 'transformers', 'snakemake'} & set(sys.modules), 'torch'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": str(SCRIPTS)})


def test_no_job_depends_on_the_tables_of_other_families() -> None:
    """What is declared for `unmask.load` alone is in no digest: changing it redoes nothing."""
    for script in SCRIPTS.glob("*.py"):
        assert not [path for path in code_digest.files_of(script) if path.name == "result_files.py"]
