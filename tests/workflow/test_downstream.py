"""Debiased models on a downstream task: fine-tuned along a curve, and scored on pairs once more after it."""

import copy
import shutil
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from library import complete, read_config, settings_of
from small_study import Workflow
from workflow_copy import ROOT


@pytest.mark.thorough
def test_models_are_fine_tuned_along_a_curve_and_scored_once_more(whole: Workflow, tmp_path: Path) -> None:
    copied = Workflow(shutil.copytree(whole.folder, tmp_path / "unmask", symlinks=True))
    copied.config = copy.deepcopy(whole.config)
    downstream = copied.config["downstream"]
    downstream["fine_tuning"] = {"how": "curve", "every": 1, "steps": 2, "batch": 4}
    downstream |= {"after": True, "tasks": {"similarity": downstream["tasks"]["similarity"]}}
    copied.run()
    results = copied.folder / "results/small"
    predictions = pq.read_table(results / "downstream/similarity/bert-cda/seed-1.parquet")
    assert sorted(set(predictions.column("step").to_pylist())) == [0, 1, 2]
    for model in ("bert", "bert-cda"):
        after = results / f"scores/{model}@similarity/pairs/original.parquet"
        before = results / f"scores/{model}/pairs/original.parquet"
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
