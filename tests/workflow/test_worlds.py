"""Two worlds in one study: each makes its own files, and what names a world depends on that world alone."""

import copy
import json
from typing import Any

import pandas as pd
import pytest

from library import read_metadata
from small_study import Workflow, random_model
from workflow_copy import copy_workflow

FILES = ("corpus.txt", "crows_pairs.csv", "stereoset.json", "truth.json")
OTHER = {
    "sentences": 2000,
    "associations": [0.7],
    "ratios": [1.5],
    "both": {"association": 0.6, "ratios": [2]},
}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A study of two worlds whose files are made, and of these the benchmarks with their words."""
    folder = copy_workflow(tmp_path_factory.mktemp("worlds") / "unmask")
    (folder / "books.txt").write_text("He was rich.\n")
    study: dict[str, Any] = {
        "study": "small",
        "worlds": {"one": {}, "other": OTHER},
        "models": {
            "in-one": {"source": "train", "architecture": "bert", "world": "one"},
            "in-other": {"source": "train", "architecture": "albert", "world": "other"},
            "random": random_model("bert", folder),
        },
        "benchmarks": {
            "one-pairs": {"format": "crows-pairs", "world": "one"},
            "other-pairs": {"format": "crows-pairs", "world": "other"},
            "other-items": {"format": "stereoset", "world": "other"},
        },
        "corpora": {
            "one-text": {"format": "text", "world": "one"},
            "other-text": {"format": "text", "world": "other"},
            "books": {"format": "text", "path": "books.txt"},
        },
        "statistics": {"chance": {"draws": 100}},
    }
    workflow = Workflow(folder, study)
    words = [f"results/small/group_words/{name}/words.parquet" for name in study["benchmarks"]]
    done = workflow.snakemake(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return workflow


def test_each_world_has_its_own_files(worlds: Workflow) -> None:
    planted = worlds.folder / "results/small/planted"
    for name in FILES:
        one, other = ((planted / world / name).read_bytes() for world in ("one", "other"))
        assert one and other and one != other
    assert len((planted / "one/corpus.txt").read_text().splitlines()) == 40_000
    assert len((planted / "other/corpus.txt").read_text().splitlines()) == 2000
    truth = json.loads((planted / "other/truth.json").read_text())
    assert truth["world"] == "other"
    defaults = {"lengths": 2, "names": 0, "pairs": {"per_occupation": 8, "per_trait": 4, "stereo_share": 0.5}}
    stated = {key: OTHER[key] for key in ("associations", "ratios", "both")}
    assert truth["settings"] == stated | defaults


def test_a_benchmark_is_its_formats_file_looked_up_in_the_text_of_its_world(worlds: Workflow) -> None:
    results = worlds.folder / "results/small"
    ids = {
        name: pd.read_parquet(results / f"benchmarks/{name}.parquet")["pair_id"]
        for name in worlds.config["benchmarks"]
    }
    assert all(ids[name].str.isdecimal().all() for name in ("one-pairs", "other-pairs"))
    assert (ids["other-items"].str.len() == 32).all()
    for name, corpus in (("one-pairs", "one-text"), ("other-pairs", "other-text")):
        words = results / f"group_words/{name}/words.parquet"
        assert read_metadata(words)["corpora"] == [corpus]


def test_a_setting_remakes_what_depends_on_it_in_its_world_alone(worlds: Workflow) -> None:
    config = copy.deepcopy(worlds.config)
    config["worlds"]["other"] |= {"pairs": {"per_occupation": 9}}
    made = {name for name in worlds.planned(config) if name.startswith("planted/")}
    assert made == {f"planted/other/{name}" for name in FILES}
