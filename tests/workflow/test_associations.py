"""Association tests in a study: what a run comes to, and what is made anew when the study changes."""

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import SETS, sent_bias
from hand_set import World, truths, write_world
from library import removable, remove, verify
from literal_associations import mean, s, size
from small_study import Workflow, random_model
from test_families import errors, section_names
from workflow_copy import copy_workflow

AGGREGATES = ("tables/", "figures/", "report/", "SHA256SUMS", "settings.json")
COUNTER = World(language=0.3, counter=0.3)
NAMES = "associations/bert/names/"
RESULTS = {"associations.parquet"}


@pytest.fixture(scope="module")
def associations(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A study of one model, one that sees, and word vectors, run to its report. Tests plan with it, or change
    copies."""
    workflow = Workflow(copy_workflow(tmp_path_factory.mktemp("associations") / "unmask"))
    folder = workflow.folder
    test = sent_bias()
    test["targ1"]["category"] = "<b>names</b>"
    (folder / "names.json").write_text(json.dumps(test))
    words = [word for each in SETS.values() for word in each]
    vectors = np.random.default_rng(0).normal(size=(len(words), 4))
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, vectors, strict=True)]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    world = write_world(folder / "world", COUNTER)
    workflow.config = {
        "study": "small",
        "models": {
            "bert": random_model("bert", folder),
            "sees": {
                "source": "path",
                "path": str(world.model.relative_to(folder)),
                "kind": "vision-and-language",
            },
        },
        "associations": {
            "tests": {
                "names": {"format": "sent-bias", "path": "names.json"},
                "pictures": {
                    "format": "grounded",
                    "path": str(world.test.relative_to(folder)),
                    "features": str(world.features.relative_to(folder)),
                },
            },
            "vectors": {"mine": {"path": "vectors.txt"}},
            "poolings": ["cls", "word"],
        },
    }
    workflow.run()
    return workflow


@pytest.fixture
def changed(associations: Workflow) -> Workflow:
    """The finished study with a configuration of its own, to plan with."""
    return Workflow(associations.folder, copy.deepcopy(associations.config))


def of_encoders(planned: set[str]) -> set[str]:
    """What is planned but for what is made of all encoders."""
    return {output for output in planned if not output.startswith(AGGREGATES)}


def test_a_study_comes_to_a_section_with_its_tables(associations: Workflow) -> None:
    assert section_names(associations) == ["associations", "provenance", "cite"]
    page = associations.read("report", "index.html")
    assert "<b>names</b>" not in page
    table = pd.read_csv(associations.folder / "results/small/tables/associations_tests.csv")
    tested = set(zip(table["encoder"], table["suite"], table["pooling"], strict=True))
    assert {("bert", "names", "cls"), ("bert", "names", "word"), ("mine", "names", "vectors")} <= tested
    for name in ("experiments", "cells", "published", "sets"):
        assert associations.read("tables", f"associations_{name}.md")
    assert associations.planned() == set()
    assert verify(associations.folder / "results/small").problems == []


@pytest.mark.parametrize("encoder", ["bert", "mine"])
def test_numbers_are_those_of_the_embeddings(associations: Workflow, encoder: str) -> None:
    """By loops over the vectors, of word vectors those of the user's file."""
    results = associations.folder / "results/small/associations"
    suite = pd.read_parquet(results / "suites/names.parquet")
    embeddings = pd.read_parquet(results / encoder / "names/embeddings.parquet")
    rows: Any = pd.read_parquet(results / encoder / "names/associations.parquet")
    assert set(rows["pooling"]) == ({"vectors"} if encoder == "mine" else {"cls", "word"})
    for row in rows.itertuples():
        of = embeddings[embeddings["pooling"] == row.pooling].set_index("stimulus")["embedding"]
        sets = {
            name: [of[number] for number in part["stimulus"]]
            for name, part in suite.groupby("set", observed=True)
        }
        x, y = ([s(w, sets["A"], sets["B"]) for w in sets[name]] for name in "XY")
        assert row.mean_difference == pytest.approx(mean(x) - mean(y), rel=1e-6)
        assert row.d == pytest.approx(size(x, y), rel=1e-6)
    if encoder == "mine":
        lines = (associations.folder / "vectors.txt").read_text().splitlines()
        known = {word: np.array(numbers, np.float32) for word, *numbers in map(str.split, lines)}
        for number, word in zip(suite["stimulus"], suite["word"], strict=True):
            np.testing.assert_array_equal(of[number], known[word])


def test_what_hand_set_weights_mean_is_found(associations: Workflow) -> None:
    rows = pd.read_parquet(
        associations.folder / "results/small/associations/sees/pictures/associations.parquet"
    )
    gaps = rows.set_index(["pooling", "experiment", "unit"])["mean_difference"].to_dict()
    expected = truths(COUNTER)
    # every word is one token, the first
    of_words = {key[1:]: gap for key, gap in expected.items() if key[0] == "word"}
    expected |= {("word-first", *rest): gap for rest, gap in of_words.items()}
    assert gaps.keys() == expected.keys() and len(gaps) == 24
    for key, gap in expected.items():
        assert gaps[key] == pytest.approx(gap, abs=1e-6)


def test_another_model_leaves_the_first_alone(changed: Workflow) -> None:
    changed.config["models"]["other"] = changed.config["models"]["bert"] | {"seed": 2}
    planned = changed.planned()
    assert "associations/other/names/associations.parquet" in planned
    assert all("/other/" in output for output in of_encoders(planned))
    assert "tables/associations_tests.csv" in planned


def test_another_suite_is_the_only_one_embedded(changed: Workflow) -> None:
    shutil.copyfile(changed.folder / "names.json", changed.folder / "more.json")
    changed.config["associations"]["tests"]["more"] = {"format": "sent-bias", "path": "more.json"}
    planned = of_encoders(changed.planned())
    assert "associations/bert/more/embeddings.parquet" in planned
    assert all("/more" in output for output in planned)


def test_other_statistics_embed_nothing(changed: Workflow) -> None:
    changed.config["associations"]["statistics"] = {"seed": 1}
    planned = of_encoders(changed.planned())
    folders = [NAMES, "associations/mine/names/", "associations/sees/pictures/"]
    assert planned == {path + name for path in folders for name in RESULTS}


def test_another_pooling_is_for_texts_alone(changed: Workflow) -> None:
    changed.config["associations"]["poolings"] = ["cls", "mean"]
    assert of_encoders(changed.planned()) == {NAMES + name for name in {"embeddings.parquet", *RESULTS}}


def test_other_pictures_are_seen(associations: Workflow, tmp_path: Path) -> None:
    folder = shutil.copytree(associations.folder, tmp_path / "unmask", symlinks=True)
    workflow = Workflow(folder, copy.deepcopy(associations.config))
    features = folder / workflow.config["associations"]["tests"]["pictures"]["features"]
    with np.load(features) as arrays:
        np.savez(features, **{name: values * 2 for name, values in arrays.items()})
    path = "associations/sees/pictures/"
    assert of_encoders(workflow.planned()) == {path + name for name in {"embeddings.parquet", *RESULTS}}


def test_embeddings_may_go(associations: Workflow, tmp_path: Path) -> None:
    folder = shutil.copytree(associations.folder, tmp_path / "unmask", symlinks=True)
    remove(removable(folder / "results/small"), folder / "results/small")
    assert not list((folder / "results/small/associations").rglob("embeddings.parquet"))
    workflow = Workflow(folder, copy.deepcopy(associations.config))
    assert workflow.planned() == set()
    workflow.config["models"]["other"] = workflow.config["models"]["bert"] | {"seed": 2}
    assert not [output for output in of_encoders(workflow.planned()) if "/other/" not in output]


def test_what_cannot_be_is_one_line(changed: Workflow) -> None:
    changed.config["associations"]["tests"]["names"]["encoders"] = ["sees"]
    done = changed.snakemake("-n")
    assert errors(done) == [
        "error: config key associations.tests.names.encoders: sees does not read texts without pictures"
    ]
