"""Regional bias and association tests in a study: what a run makes, and what a change makes anew."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import KEYS, SETS, grounded, sent_bias
from library import verify
from small_study import AGGREGATES, Workflow, random_model
from test_families import section_names
from tiny_models import tiny_seeing
from workflow_copy import copy_workflow

REGIONS = """\
name,parent,level
everywhere,,world
North,everywhere,part
<b>South</b>,everywhere,part
Alder,North,town
Birch,North,town
Cedar,North,town
Dale,<b>South</b>,town
100% Elm,<b>South</b>,town
"""


def regional(folder: Path) -> dict[str, Any]:
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "words.yaml").write_text("character: [kind, rude]\nmind: [clever, dull]\n")
    (folder / "virtues.yaml").write_text("virtues: [kind, brave, shy]\n")
    for part, texts in (("train", 12), ("test", 6)):
        rows = [f"the {'kind' if n % 2 else 'rude'} man {n},{n % 2}" for n in range(texts)]
        (folder / f"{part}.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    posts = {
        "files": {part: {"path": f"{part}.csv"} for part in ("train", "test")},
        "labels": {"negative": [0], "positive": [1]},
        "classifiers": ["judge"],
        "prefixes": [{"template": "I am from {region}.", "level": "part", "without": ["North"]}],
    }
    return {
        "models": ["bert"],
        "regions": {"source": "table", "path": "regions.csv"},
        "words": {"traits": "words.yaml"},
        "draws": 20,
        "name_vectors": True,
        "prefixes": {"posts": posts},
    }


def associations(folder: Path) -> dict[str, Any]:
    names = sent_bias()
    names["targ1"]["category"] = "<b>names</b>"
    (folder / "names.json").write_text(json.dumps(names))
    words = [word for each in SETS.values() for word in each]
    vectors = np.random.default_rng(0).normal(size=(len(words), 4))
    lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, vectors, strict=True)]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    test, draw = grounded(), np.random.default_rng(1)
    cells = [test[group][key] for group in KEYS for key in test[group] if key.lower().endswith("images")]
    features: Any = {f"{image}/features": draw.normal(size=(2, 12)) for cell in cells for image in cell}
    np.savez(folder / "features.npz", **features)
    (folder / "pictures.json").write_text(json.dumps(test))
    pictures = {"format": "grounded", "path": "pictures.json", "features": "features.npz"}
    return {
        "models": ["bert", "sees"],
        "tests": {"names": {"format": "sent-bias", "path": "names.json"}, "pictures": pictures},
        "vectors": {"mine": {"path": "vectors.txt"}},
        "poolings": ["cls", "word"],
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """The study, run to its report. Tests plan with it, or change copies."""
    workflow = Workflow(copy_workflow(tmp_path_factory.mktemp("study") / "unmask"))
    folder = workflow.folder
    tiny_seeing(folder / "sees")
    workflow.config = {
        "study": "small",
        "models": {
            "bert": random_model("bert", folder),
            "judge": {
                "source": "fine-tuned-classifier",
                "from": "bert",
                "table": "posts",
                "epochs": 1,
                "batch": 4,
            },
            "sees": {"source": "path", "path": "sees", "kind": "vision-and-language"},
        },
        "regional": regional(folder),
        "associations": associations(folder),
    }
    workflow.run()
    return workflow


def test_a_study_has_its_sections_and_tables(finished: Workflow) -> None:
    results = finished.folder / "results/small"
    assert section_names(finished) == ["regional", "associations", "method"]
    page = finished.read("report", "index.html")
    assert "<b>South</b>" not in page and "&lt;b&gt;South&lt;/b&gt;" in page and "<b>names</b>" not in page
    table = pd.read_csv(results / "tables/regional_table1.csv")
    assert set(table["model"]) == {"bert"} and {"corrected", "paper"} == set(table["protocol"])
    likelihoods = pd.read_parquet(results / "regional/bert/likelihoods/traits.parquet")
    # each name alone and with each word
    assert len(likelihoods) == 8 * (1 + 4) and likelihoods["log_prob"].notna().all()
    prefixes = pd.read_parquet(results / "regional/prefixes/judge/posts.parquet")
    assert list(prefixes["level"]) == ["none", "control", *["part"] * 4]
    assert list(prefixes["without"].dropna()) == ["North"]
    names = pd.read_parquet(results / "regional/bert/name_vectors.parquet")
    assert len(names) and names["vector"].map(len).nunique() == 1
    tests = pd.read_csv(results / "tables/associations_tests.csv")
    tested = set(zip(tests["encoder"], tests["suite"], tests["pooling"], strict=True))
    assert {("bert", "names", "cls"), ("bert", "names", "word"), ("mine", "names", "vectors")} <= tested
    tables = [f"regional_table{number}" for number in range(1, 7)]
    for name in (
        *tables,
        *(f"associations_{name}" for name in ("experiments", "cells", "published", "sets")),
    ):
        assert finished.read("tables", f"{name}.md")
    assert finished.planned() == set()
    assert verify(results).problems == []


def planned(workflow: Workflow) -> set[str]:
    """What is planned but for what is made of all models."""
    return {output for output in workflow.planned() if not output.startswith(AGGREGATES)}


def test_other_files_make_what_is_of_them(finished: Workflow) -> None:
    with open(finished.folder / "train.csv", "a") as file:
        file.write("the kind woman,1\n")
    outputs = planned(finished)
    assert {"models/judge/files", "regional/prefixes/judge/posts.parquet"} <= outputs
    assert not [output for output in outputs if "bert" in output or "associations" in output]
    features = finished.folder / finished.config["associations"]["tests"]["pictures"]["features"]
    with np.load(features) as arrays:
        np.savez(features, **{name: values * 2 for name, values in arrays.items()})
    pictures = {f"associations/sees/pictures/{name}.parquet" for name in ("embeddings", "associations")}
    assert planned(finished) - outputs == pictures
