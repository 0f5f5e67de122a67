"""Scores made elsewhere in a study: the example of the documentation, as it stands there."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from library import COMPARISONS, SCHEMAS, SCORES, read_facts, read_table, unpacked
from small_study import Workflow
from workflow_copy import copy_workflow, docs_section


@pytest.fixture
def documented(tmp_path: Path) -> Workflow:
    """The study of docs/data.md with its files, nothing run."""
    folder = copy_workflow(tmp_path / "unmask")
    text = docs_section("data.md", "Scores made elsewhere")
    tables = re.findall(r"`(\S+\.csv)` (?:is|has).*?```csv\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in tables] == ["pairs.csv", "api.csv", "quantised.csv"]
    for name, rows in tables:
        (folder / name).write_text(rows)
    study = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    return Workflow(folder, study)


def add_many_pairs(documented: Workflow) -> None:
    """A benchmark of 40 pairs without a word in common, and a model that prefers every stereotype."""
    pairs = [[f"one{place} two{place}", f"three{place} four{place}"] for place in range(40)]
    scored = [[*pair, -8, -9] for pair in pairs]
    for name, columns, rows in (
        ("many.csv", ["more", "less"], pairs),
        ("averaged.csv", ["a", "b", "x", "y"], scored),
    ):
        pd.DataFrame(rows, columns=columns).to_csv(documented.folder / name, index=False)
    config = documented.config
    for model in config["models"].values():
        model["benchmarks"] = ["mine"]
    config["models"]["averaged"] = {
        "source": "scored",
        "path": "averaged.csv",
        "columns": {"sentences": ["a", "b"], "scores": ["x", "y"]},
        "benchmarks": ["many"],
        "measure": "LLMean",
    }
    config["benchmarks"]["many"] = {**config["benchmarks"]["mine"], "path": "many.csv"}


def test_the_documented_study_has_scores_comparisons_and_what_does_not_match(documented: Workflow) -> None:
    add_many_pairs(documented)
    documented.run()
    results = documented.folder / "results/elsewhere"
    scores = read_table(results / "scores/api/mine/original.parquet", SCORES).set_index("pair_id")
    # the last pair has no score, so that the protocol published has no row
    assert list(scores["protocol"]) == ["corrected"] * 5
    assert list(scores["outcome"]) == ["stereotype", "tie", "stereotype", "stereotype", "undefined"]
    assert list(scores["stereotype"][:2]) == [-31.20, -24.61]
    whole = read_table(results / "scores/quantised/mine/original.parquet", SCORES)
    expected = ["stereotype", "antistereotype", "stereotype", "antistereotype", "stereotype"]
    assert list(whole["outcome"]) == 2 * expected

    bias = read_table(results / "statistics/api/mine/bias.parquet", SCHEMAS["bias"])
    (overall,) = bias[bias["grouping"] == "overall"].to_dict("records")
    assert (overall["score"], overall["undefined"]) == (87.5, 1)
    # sums have no band
    assert pd.isna(overall["null_low"])
    (compared,) = read_table(results / "comparisons/mine.parquet", COMPARISONS).to_dict("records")
    assert compared["measure"] == "score" and compared["n"] == 4
    assert compared["difference"] == 87.5 - 50

    table = pd.read_csv(results / "tables/bias.csv")
    rows = table[(table["model"] == "averaged") & (table["grouping"] == "overall")]
    assert list(rows["score"]) == [100, 100]
    assert list(rows["verdict"]) == ["clear preference"] * 2
    assert rows["null_low"].gt(0).all() and (rows["null_low"] < rows["null_high"]).all()
    words = " ".join((results / "report/sections/pairs.json").read_text().split())
    for said in (
        "The scores of api and quantised are no means over tokens: there is no band of word choice.",
        "The band of word choice of averaged is by words",
        "api on mine, of 5 pairs: 1 without score",
    ):
        assert said in words, said

    shown = read_facts(results / "explorer/api/mine/pairs.json")
    assert unpacked(shown["scores"])["score"]["outcome"] == list(scores["outcome"])
    assert shown["tokens"] is None
    assert documented.snakemake("-n", "--quiet").returncode == 0


def test_faults_of_a_file_are_one_line_before_anything_runs(documented: Workflow) -> None:
    (documented.folder / "api.csv").write_text("first,second,score_1,score_2\na,b,-1,high\n")
    done = documented.snakemake("-n")
    assert done.returncode
    assert "error: api.csv: row 0 (line 2): score_2: 'high' is no number" in done.stdout + done.stderr
