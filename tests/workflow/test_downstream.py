"""Debiased models on a downstream task: fine-tuned along a curve, and scored on pairs once more after it."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

from library import complete, read_config, settings_of
from small_study import Workflow
from workflow_copy import ROOT

LINES = [
    "she said that the man was rich .",
    "he said that the woman was poor .",
    "the rich man and his mother",
    "the poor woman and her father",
    "nobody was there",
] * 4


def with_tasks(workflow: Workflow) -> None:
    """Make it one of BERT, and of BERT debiased, both fine-tuned on a synthetic task and scored once more."""
    (workflow.folder / "text.txt").write_text("\n".join(LINES) + "\n")
    config = workflow.config
    config["models"] = {"bert": config["models"]["bert"]}
    config["benchmarks"] = {"crows": config["benchmarks"]["crows"]}
    config["measures"] = ["AUL"]
    config["worlds"] = {"world": {"sentences": 2000}}
    config["corpora"] = {"text": {"format": "text", "path": "text.txt", "counted": False}}
    config["debiasing"] = {
        "corpus": "text",
        "held_out": 2,
        "training": {"steps": 2, "batch": 4, "learning_rate": 0.01},
        "of": ["bert"],
        "methods": {"cda": {}},
    }
    task = {"format": "planted", "kind": "similarity", "world": "world", "examples": 500, "items": 100}
    config["downstream"] = {
        "seeds": [0, 1],
        "draws": 100,
        "fine_tuning": {"how": "curve", "every": 1, "steps": 2, "batch": 4},
        "tasks": {"similar": task},
    }


@pytest.mark.thorough
def test_models_are_debiased_fine_tuned_and_scored_once_more(copied: Workflow) -> None:
    with_tasks(copied)
    copied.run()
    results = copied.folder / "results/small"
    facts = json.loads((results / "models/bert-cda/facts.json").read_text())
    assert (facts["from"], facts["method"], facts["steps"]) == ("bert", "cda", 2)
    predictions = pq.read_table(results / "downstream/similar/bert-cda/seed-1.parquet")
    assert sorted(set(predictions.column("step").to_pylist())) == [0, 1, 2]
    for model in ("bert", "bert-cda"):
        after = results / f"scores/{model}@similar/crows/original.parquet"
        before = results / f"scores/{model}/crows/original.parquet"
        one, other = (pd.read_parquet(path)["margin"] for path in (before, after))
        assert len(one) == len(other) and not one.equals(other)
    overview = pd.read_csv(results / "tables/downstream_overview.csv")
    assert set(overview["model"]) == {"bert", "bert-cda"}
    correlations = pd.read_parquet(results / "downstream/correlations.parquet")
    assert set(correlations["when"]) == {"before", "after"}
    assert correlations["tau"].isna().all() and correlations["reason"].str.contains("8").all()
    # models after fine-tuning are of this family alone
    of_pairs = [path for path in (results / "tables").glob("*.csv") if "downstream" not in path.name]
    assert of_pairs and not [path for path in of_pairs if "@" in path.read_text(encoding="utf-8")]
    page = copied.read("report", "index.html")
    assert "Extrinsic bias" in page and "Debiased models" in page
    assert (results / "figures/downstream_steps.svg").is_file()
    assert copied.planned() == set()


def test_that_study_trains_as_the_paper_says() -> None:
    study = complete(read_config(ROOT / "configs/debiasing-steps.yaml"))
    for task in study["downstream"]["tasks"]:
        settings = settings_of(study["downstream"], task)
        assert (settings["how"], settings["batch"], settings["steps"]) == ("curve", 32, 5500)
        assert [*range(0, settings["steps"] + 1, settings["every"])] == [*range(0, 6000, 500)]
    debiased = [entry for entry in study["models"].values() if entry["source"] == "debiased"]
    readings = {(entry["method"], entry["protocol"]) for entry in debiased}
    assert readings == {(method, "published") for method in ("at", "cda", "dropout")}
