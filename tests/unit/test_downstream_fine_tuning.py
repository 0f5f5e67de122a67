"""Fine-tuning: tasks are learnt, the same whatever happens on the way."""

import json
import os
import random
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import torch
from transformers import AutoTokenizer

from library import (
    EXAMPLES,
    ITEMS,
    FineTuned,
    FineTuning,
    Hyperparameters,
    InputError,
    Settings,
    Task,
    fine_tuning,
    framed,
    make_classifier,
    pick_device,
    search,
)
from tiny_models import tiny_model

OCCUPATION = ("nurse", "engineer", "teacher")
LABELS = {"occupations": OCCUPATION, "entailment": ("helped", "not"), "similarity": None}
VERBS = ("helped", "drove", "taught")
ADVERBS = ("very", "so", "too", "always", "never", "often", "really")
SEARCH = {"batch": [8, 16], "learning_rate": [3e-3], "epochs": [1, 2]}
BEST = {"batch": 16, "learning_rate": 3e-3, "epochs": 1}
ENTRY = {"how": "fixed", **BEST, "steps": None, "every": 10, "max_length": 32, "search": SEARCH}
"""Settings of fine-tuning, completed."""


def synthetic_task(kind: str, train: int = 320, dev: int = 60, test: int = 60) -> Task:
    """A task that can be learnt without mistakes.

    A verb decides the occupation, the second sentence's verb the label of entailment, and an adverb how alike
    two sentences are.
    """
    parts = np.repeat(["train", "dev", "test", "bias"], [train, dev, test, 6])
    rows = pd.DataFrame({"part": parts, "gender": np.resize(["female", "male"], len(parts))})
    verb, other, adverb = np.random.default_rng(0).integers([[3], [3], [len(ADVERBS)]], size=(3, len(parts)))
    pronoun = rows["gender"].map({"female": "she", "male": "he"})
    rows["text"] = pronoun + " " + np.take(ADVERBS, adverb) + " " + np.take(VERBS, verb) + " the children"
    rows["second"] = None if kind == "occupations" else "they " + pd.Series(VERBS)[other].array + " them"
    labels = {"occupations": verb, "entailment": other > 0, "similarity": adverb / (len(ADVERBS) - 1)}
    rows["label"] = labels[kind]
    rows["occupation"] = np.take(OCCUPATION, verb) if kind == "occupations" else None
    known = rows["part"].isin(("train", "dev"))
    items, examples = (rows[of].reset_index(drop=True).astype({"label": float}) for of in (~known, known))
    # the first of every three
    items = items.assign(item=items.index, sampled=items.index % 3 == 0)
    items["label"] = items["label"].where(items["part"] == "test")
    return Task(framed(examples, EXAMPLES), framed(items, ITEMS).assign(ideal=None), LABELS[kind])


def tuned(
    base: Path, task: Task, kind: str, work: Path, seed: int = 0, takes: int = 128, **changes: Any
) -> FineTuned:
    work.mkdir(exist_ok=True)
    return FineTuning(base, takes, task, kind, {**ENTRY, **changes}, seed, work, pick_device("cpu")).run()


def logits_at(tuned: FineTuned, place: int = -1) -> npt.NDArray[np.float32]:
    """What is predicted at one of the checkpoints."""
    return np.array(tuned.predictions[place]["logits"].to_pylist(), dtype=np.float32)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model("bert", tmp_path_factory.mktemp("models") / "bert", initializer_range=0.1)


@pytest.mark.parametrize(
    ("architecture", "kind"), [("roberta", "entailment"), ("albert", "occupations"), ("bert", "similarity")]
)
def test_a_task_without_mistakes_is_learnt(architecture: str, kind: str, tmp_path: Path) -> None:
    """The result on dev is Pearson's r of a similarity, else the share that is right."""
    task = synthetic_task(kind, train=640)
    dev = task.examples[task.examples["part"] == "dev"].reset_index(drop=True)
    # the examples of dev are the items
    items = task.items.head(len(dev)).assign(text=dev["text"], second=dev["second"], label=dev["label"])
    base = tiny_model(architecture, tmp_path / "base", initializer_range=0.1)
    learnt = tuned(base, replace(task, items=items), kind, tmp_path / "work", epochs=4)
    logits, label, history = logits_at(learnt), dev["label"].to_numpy(float), learnt.facts["history"]
    if kind == "similarity":
        x = logits[:, 0].astype(float)
        assert np.abs(x - label).mean() < 0.1
        result = ((x - x.mean()) * (label - label.mean())).mean() / (x.std() * label.std())
    else:
        result = (logits.argmax(axis=1) == label).mean()
        assert learnt.classifier.config.id2label == dict(enumerate(LABELS[kind] or ()))
    assert history[-1]["dev"] == pytest.approx(result, abs=1e-6) and result > 0.95
    assert [row["dev"] for row in history[:-1]] == [None] * 9
    assert history[0]["loss"] > 3 * history[-1]["loss"]
    assert learnt.facts["steps"] == history[-1]["step"] == 160


def test_a_curve_ends_where_a_fixed_run_does(tmp_path: Path, bert: Path) -> None:
    task = synthetic_task("occupations")
    fixed = tuned(bert, task, "occupations", tmp_path / "fixed", steps=25)
    curve = tuned(bert, task, "occupations", tmp_path / "curve", steps=25, how="curve", every=10)
    # a multiple of `every` at the end is there once
    even = tuned(bert, task, "occupations", tmp_path / "even", steps=20, how="curve", every=10)
    steps = [[table["step"][0].as_py() for table in of.predictions] for of in (fixed, curve, even)]
    assert steps == [[25], [0, 10, 20, 25], [0, 10, 20]]
    assert logits_at(curve).tobytes() == logits_at(fixed).tobytes()
    sampled = task.items.loc[task.items["sampled"], "item"].tolist()
    items = [table["item"].to_pylist() for table in curve.predictions]
    assert items == [*[sampled] * 3, task.items["item"].tolist()]
    # before the first step it is the model under its new head
    network = make_classifier(bert, task.labels, 0)[0].train(False)
    tokenizer = AutoTokenizer.from_pretrained(bert)
    with torch.inference_mode():
        texts = [tokenizer(text, return_tensors="pt") for text in task.items.loc[sampled, "text"]]
        expected = [network(**text).logits[0].numpy() for text in texts]
    assert np.abs(logits_at(curve, 0) - np.array(expected)).max() < 1e-5


LISTS: dict[str, list[Any]] = {
    "batch": [16, 32, 64],
    "learning_rate": [1e-5, 3e-5, 5e-5],
    "epochs": [1, 3, 5],
}


@pytest.mark.parametrize("start", [Hyperparameters(32, 3e-5, 3), Hyperparameters(8, 1e-3, 2)])
def test_a_search_is_greedy_and_keeps_the_best(start: Hyperparameters) -> None:
    for seed in range(100):
        # results of few values, so that there are ties
        draw = partial(random.Random(seed).choice, (0.0, 1.0, 2.0, 3.0))
        results: dict[Hyperparameters, float] = defaultdict(draw)
        best = start
        for key, values in LISTS.items():
            trials = [replace(best, **{key: value}) for value in values]
            # the first of the best ones
            best = min(trials, key=lambda trial: (-results[trial], trials.index(trial)))
        asked, forgotten = {*results}, list[Hyperparameters]()
        assert search(start, LISTS, results.__getitem__, forgotten.append) == best
        assert {*results} == asked and asked - {*forgotten} == {best}


def test_what_has_no_result_is_never_the_best() -> None:
    results, start = {16: None, 32: -0.5, 64: None}, Hyperparameters(32, 3e-5, 3)
    assert search(start, LISTS, lambda one: results[one.batch], lambda one: None).batch == 32
    with pytest.raises(InputError, match="search: no batch of 16, 32, 64 has a result on the part dev"):
        search(start, LISTS, lambda one: None, lambda one: None)


class KilledError(Exception):
    """What a test kills a job with."""


@pytest.mark.parametrize("how", ["curve", "search"])
def test_a_killed_run_goes_on_to_the_same_bytes(
    how: str, tmp_path: Path, bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before each of the files that it writes."""
    task = synthetic_task("occupations", train=64, dev=20, test=20)
    monkeypatch.setattr(fine_tuning, "Settings", partial(Settings, save_every=4))
    changes: dict[str, Any] = {"how": how, "steps": 10 if how == "curve" else None, "every": 4}
    real, left = os.replace, [10**6]

    def dying(*files: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KilledError
        real(*files)

    monkeypatch.setattr(os, "replace", dying)

    def run(name: str) -> tuple[Any, dict[str, Any]]:
        run = tuned(bert, task, "occupations", tmp_path / name, **changes)
        return run.predictions, run.facts

    wanted = run("whole")
    files = 10**6 - left[0]
    assert files >= 4
    for place in range(0, files, 1 if how == "curve" else 4):
        left[0] = place
        with pytest.raises(KilledError):
            run(f"killed-{place}")
        left[0] = 10**6
        assert run(f"killed-{place}") == wanted


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "vit"}))
    with pytest.raises(InputError, match="no text classifier of type vit"):
        make_classifier(tmp_path, ("a", "b"), 0)


def test_long_texts_lose_their_end_and_are_counted(tmp_path: Path, bert: Path) -> None:
    task = synthetic_task("entailment", train=32, dev=8)
    long = replace(task, items=task.items.assign(text=task.items["text"] + " very" * 40))
    # what the model takes counts where that is less than the entry's max_length
    cut = tuned(bert, long, "entailment", tmp_path / "work", takes=20)
    assert cut.facts["fine_tuning"]["max_length"] == 20
    assert cut.facts["truncated"] == {"examples": 0, "items": len(long.items)}
