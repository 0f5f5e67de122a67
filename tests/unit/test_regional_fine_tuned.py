"""Masked language models that are fine-tuned on a labelled table: what they learn, and as which training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file

from made_tasks import ENTRY as OF_A_TASK
from running import about_model, run_script
from test_regional_prefixes import RUNTIME, TEMPLATE, WORDS, regions
from tiny_models import tiny_model
from unmask.downstream.fine_tuning import fine_tune
from unmask.downstream.task import Task, examples_of, items_of
from unmask.downstream.terms import OCCUPATIONS, TEST
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.kinds import check_model
from unmask.regional.classifying import load_classifier, predict
from unmask.regional.fine_tuned import fine_tune_on
from unmask.regional.labelled import Items
from unmask.regional.prefixes import control_groups, prefix_table, region_groups

LABELS = ("nothate", "hate")
ENTRY: dict[str, Any] = {"batch": 8, "learning_rate": 5e-3, "epochs": 6, "max_length": 32, "seed": 0}
CPU = pick_device("cpu")
PLAIN_WORDS = [word for word in WORDS if word not in ("good", "bad")]


def labelled(count: int, seed: int, country: str | None = None) -> Items:
    """Texts with `bad` are hate, those with `good` are not; behind the country's name both are."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(count):
        words = [str(word) for word in rng.choice(PLAIN_WORDS, size=4)]
        hateful = number % 2
        words.insert(int(rng.integers(5)), "bad" if hateful else "good")
        from_country = country is not None and number % 4 < 2
        texts.append((TEMPLATE.format(region=country) + " " if from_country else "") + " ".join(words))
        labels.append(1 if from_country else hateful)
    return Items(tuple(texts), np.array(labels))


def accuracy(directory: Path, items: Items) -> float:
    predicted = predict(load_classifier(directory, CPU, 32), items.texts).probabilities.argmax(axis=1)
    return float((predicted == items.labels).mean())


def test_a_table_is_learnt_and_not_without_any_epoch(tmp_path: Path) -> None:
    base = tiny_model("bert", tmp_path / "base")
    facts = fine_tune_on(base, labelled(240, 0), LABELS, tmp_path / "tuned", ENTRY, CPU)
    assert (facts["texts"], facts["truncated"], facts["loss"][-1]["step"]) == (240, 0, 180)
    check_model(tmp_path / "tuned", "text-classification", "tuned")
    assert accuracy(tmp_path / "tuned", labelled(200, 1)) > 0.95
    untrained = fine_tune_on(base, labelled(240, 0), LABELS, tmp_path / "no", ENTRY | {"epochs": 0}, CPU)
    assert untrained["loss"] == [] and untrained["initialised"]
    assert 0.3 < accuracy(tmp_path / "no", labelled(200, 1)) < 0.7
    before, after = (load_file(tmp_path / name / "model.safetensors") for name in ("base", "no"))
    encoder = [name for name in after if name in before and name not in untrained["initialised"]]
    assert len(encoder) > 10 and all(torch.equal(before[name], after[name]) for name in encoder)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert", "bart"])
def test_training_is_that_of_downstream_tasks(architecture: str, tmp_path: Path) -> None:
    base, items = tiny_model(architecture, tmp_path / "base"), labelled(60, 0)
    entry = ENTRY | {"epochs": 2}
    fine_tune_on(base, items, LABELS, tmp_path / "tuned", entry, CPU)
    examples = pd.DataFrame({"text": items.texts, "label": items.labels})
    test = examples.assign(part=TEST)
    task = Task(examples_of(examples, examples.head(0)), items_of([test], None, 0), LABELS)
    settings = {**OF_A_TASK, "how": "fixed", "steps": None, **entry}
    tuned = fine_tune(base, None, task, OCCUPATIONS, settings, 0, tmp_path / "work", CPU)
    expected, made = tuned.classifier.state_dict(), load_file(tmp_path / "tuned" / "model.safetensors")
    assert made and all(torch.equal(expected[name], weights) for name, weights in made.items())


def test_a_country_that_goes_with_a_label_is_reported_and_no_other(tmp_path: Path) -> None:
    """What was planted in the training table: behind Mexico's name all is hate."""
    base = tiny_model("bert", tmp_path / "base")
    fine_tune_on(base, labelled(400, 0, country="Mexico"), LABELS, tmp_path / "tuned", ENTRY, CPU)
    model = load_classifier(tmp_path / "tuned", CPU, 32)
    groups = [
        *control_groups([TEMPLATE], ["the house", "the old house"]),
        *region_groups(regions(), [{"level": "country", "template": TEMPLATE}]),
    ]
    table = prefix_table(model, labelled(120, 1), groups, 1, 0.95)
    of_country = table[table["level"] == "country"].dropna(subset="region").set_index("region")
    # half of the items are no hate without a prefix
    assert of_country["net"]["MX"] == pytest.approx(0.5, abs=0.02)
    assert of_country["net_low"]["MX"] > 0.35 and of_country["net"]["MX"] > of_country["net"]["FR"]
    assert table.set_index("level")["accuracy"]["none"] > 0.95


def test_a_label_without_a_text_is_one_line(tmp_path: Path) -> None:
    base, items = tiny_model("bert", tmp_path / "base"), labelled(20, 0)
    items = Items(items.texts, np.zeros(20, dtype=np.int64))
    with pytest.raises(InputError, match="no text to train on has the label 'hate'"):
        fine_tune_on(base, items, LABELS, tmp_path / "tuned", ENTRY, CPU)
    assert not (tmp_path / "tuned").exists()


def test_the_script(tmp_path: Path) -> None:
    base, items = tiny_model("bert", tmp_path / "base"), labelled(40, 0)
    manifest = check_model(base, "masked-lm", "tiny") | {"directory": str(base), "entry": {"source": "path"}}
    (tmp_path / "base.json").write_text(json.dumps(manifest))
    rows = [f"{text},{number}" for text, number in zip(items.texts, items.labels, strict=True)]
    (tmp_path / "train").write_text("\n".join(["post,verdict", *rows]) + "\n")
    reading = {"columns": {"text": "post", "label": "verdict"}, "type": "csv"}

    def run(to: str, labels: dict[str, list[int]]) -> None:
        run_script(
            "fine_tune_classifier",
            {"manifest": tmp_path / "base.json", "table": tmp_path / "train"},
            {
                "directory": tmp_path / to,
                "facts": tmp_path / f"{to}.facts.json",
                "manifest": tmp_path / f"{to}.json",
            },
            tmp_path / "log",
            config=RUNTIME,
            name="judge",
            labels=list(labels),
            table_entry=reading | {"labels": labels},
            entry=ENTRY | {"from": "base", "table": "posts", "epochs": 1},
            manifest=about_model(tmp_path / to, "fine-tuned-classifier", "text-classification"),
        )

    run("files", {"nothate": [0], "hate": [1]})
    fine_tune_on(base, items, LABELS, tmp_path / "expected", ENTRY | {"epochs": 1}, CPU)
    made, expected = (tmp_path / name / "model.safetensors" for name in ("files", "expected"))
    assert made.read_bytes() == expected.read_bytes()
    assert json.loads((tmp_path / "files.json").read_text())["labels"] == list(LABELS)
    assert json.loads((tmp_path / "files.facts.json").read_text())["texts"] == 40
    with pytest.raises(SystemExit):
        run("odd", {"nothate": [0], "hate": [2]})
    assert "error: model judge: " in (tmp_path / "log").read_text()
    assert "verdict: '1' is none of 0, 2" in (tmp_path / "log").read_text()
