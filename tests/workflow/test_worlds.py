"""Two worlds in one study: each makes its own files, and what names a world depends on that world alone."""

import copy
import json
import re
from typing import Any

import pytest

from small_study import Workflow, copy_workflow, random_model

FILES = ("corpus.txt", "crows_pairs.csv", "stereoset.json", "truth.json")
OTHER = {
    "sentences": 1000,
    "associations": [0.7],
    "ratios": [1.5],
    "both": {"association": 0.6, "ratios": [2]},
}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A study of two worlds whose files are made, and nothing else."""
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
        "statistics": {"bootstrap": {"resamples": 100}},
    }
    workflow = Workflow(folder, study)
    done = workflow.snakemake(*(f"results/small/planted/{name}/truth.json" for name in study["worlds"]))
    assert done.returncode == 0, done.stdout + done.stderr
    return workflow


def jobs(plan: str, rule: str) -> dict[str, list[str]]:
    """The inputs of a rule's jobs in a plan, by the first output; places below the study's results."""
    found = re.findall(rf"(?:local)?rule {rule}:\n    input: (.*)\n    output: (\S+?)(?:,.*)?\n", plan)
    return {
        output.removeprefix("results/small/"): [
            name.removeprefix("results/small/") for name in inputs.split(", ")
        ]
        for inputs, output in found
    }


def test_each_world_has_its_own_files(worlds: Workflow) -> None:
    planted = worlds.folder / "results/small/planted"
    for name in FILES:
        one, other = ((planted / world / name).read_bytes() for world in ("one", "other"))
        assert one and other and one != other
    assert len((planted / "one/corpus.txt").read_text().splitlines()) == 40_000
    assert len((planted / "other/corpus.txt").read_text().splitlines()) == 1000
    truth = json.loads((planted / "other/truth.json").read_text())
    assert truth["world"] == "other"
    assert {occupation["p"] for occupation in truth["occupations"]} == {0.7}
    assert truth["settings"] == {key: OTHER[key] for key in ("associations", "ratios", "both")}


def test_what_names_a_world_is_made_from_that_world(worlds: Workflow) -> None:
    done = worlds.snakemake("-n", "--forceall")
    assert done.returncode == 0, done.stdout + done.stderr
    plan = done.stdout
    assert jobs(plan, "train_model") == {
        "models/in-one/files": ["planted/one/corpus.txt"],
        "models/in-other/files": ["planted/other/corpus.txt"],
    }
    assert jobs(plan, "read_benchmark") == {
        "benchmarks/one-pairs.parquet": ["planted/one/crows_pairs.csv"],
        "benchmarks/other-pairs.parquet": ["planted/other/crows_pairs.csv"],
        "benchmarks/other-items.parquet": ["planted/other/stereoset.json"],
    }
    assert jobs(plan, "count_shard") == {
        "frequency/one-text/shards/corpus.txt.parquet": ["planted/one/corpus.txt"],
        "frequency/other-text/shards/corpus.txt.parquet": ["planted/other/corpus.txt"],
        "frequency/books/shards/books.txt.parquet": ["books.txt"],
    }
    # words are looked up in the text of their own world
    looked_up = {
        output: {name for name in inputs if name.startswith("frequency/")}
        for output, inputs in jobs(plan, "group_words").items()
    }
    assert looked_up == {
        "group_words/one-pairs/words.parquet": {"frequency/one-text.parquet"},
        "group_words/other-pairs/words.parquet": {"frequency/other-text.parquet"},
        "group_words/other-items/words.parquet": {"frequency/other-text.parquet"},
    }
    truths = ["planted/one/truth.json", "planted/other/truth.json"]
    for rule in ("report", "link_table"):
        (inputs,) = jobs(plan, rule).values()
        assert [name for name in inputs if name.startswith("planted/")] == truths


@pytest.mark.parametrize(
    ("changes", "pending"),
    [
        ({}, set()),
        ({"corruption": {"masked": 0.8, "kept": 0.1, "random": 0.1}}, set()),
        ({"ratios": [2]}, set(FILES)),
        ({"seed": 1}, set(FILES)),
    ],
    ids=["nothing", "corruption", "ratios", "seed"],
)
def test_a_setting_remakes_what_depends_on_it_in_its_world_alone(
    worlds: Workflow, changes: dict[str, Any], pending: set[str]
) -> None:
    config = copy.deepcopy(worlds.config)
    config["worlds"]["other"] |= changes
    made = {name for name in worlds.planned(config) if name.startswith("planted/")}
    assert made == {f"planted/other/{name}" for name in pending}


@pytest.mark.parametrize(
    ("section", "changes", "line"),
    [
        ("models", {"in-one": {"source": "train", "architecture": "bert", "world": "none"}}, "models.in-one"),
        ("benchmarks", {"one-pairs": {"format": "crows-pairs", "world": "none"}}, "benchmarks.one-pairs"),
        ("corpora", {"one-text": {"format": "text", "world": "none"}}, "corpora.one-text"),
    ],
)
def test_an_unknown_world_is_one_line_before_any_work(
    worlds: Workflow, section: str, changes: dict[str, Any], line: str
) -> None:
    config = copy.deepcopy(worlds.config)
    config[section] |= changes
    done = worlds.snakemake("-n", config=config)
    assert done.returncode != 0
    error = f"error: config key {line}.world: 'none' is not one of worlds (known: one, other)"
    assert error in (done.stdout + done.stderr).splitlines()
    assert "Traceback" not in done.stdout + done.stderr


def test_settings_that_do_not_fit_are_one_line_before_any_work(worlds: Workflow) -> None:
    config = copy.deepcopy(worlds.config)
    config["worlds"]["other"]["associations"] = [0.5, 1]
    done = worlds.snakemake("-n", config=config)
    assert done.returncode != 0
    lines = (done.stdout + done.stderr).splitlines()
    (error,) = [line for line in lines if "worlds.other" in line]
    assert error.startswith("error: config key worlds.other.associations: a probability strictly between 0 ")
    assert "Traceback" not in done.stdout + done.stderr
