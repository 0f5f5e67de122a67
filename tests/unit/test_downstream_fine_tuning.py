"""Fine-tuning: synthetic tasks are learnt, the same whatever happens on the way."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertForPreTraining

from library import (
    DEV,
    ENTAILMENT,
    EXAMPLES,
    ITEMS,
    OCCUPATIONS,
    PREDICTIONS,
    SIMILARITY,
    TEST,
    FineTuned,
    Hyperparameters,
    InputError,
    Settings,
    Task,
    check_model,
    fine_tune,
    fine_tuning,
    make_classifier,
    pick_device,
    read_metadata,
    read_table,
    search,
    write_table,
)
from made_tasks import ENTRY, LABELS, made_task
from running import about_model, run_script
from tiny_models import tiny_model

RUNTIME = {"runtime": {"device": "cpu", "batch_tokens": None, "threads": 1}}
GENTLE: dict[str, Any] = {"initializer_range": 0.1}


def tuned(base: Path, task: Task, kind: str, work: Path, seed: int = 0, **changes: Any) -> FineTuned:
    work.mkdir(exist_ok=True)
    return fine_tune(base, 128, task, kind, {**ENTRY, **changes}, seed, work, pick_device("cpu"))


def steps_of(tuned: FineTuned) -> list[int]:
    return [table["step"][0].as_py() for table in tuned.predictions]


def logits_at(tuned: FineTuned, place: int = -1) -> npt.NDArray[np.float32]:
    """What is predicted at one of the checkpoints."""
    return np.array(tuned.predictions[place]["logits"].to_pylist(), dtype=np.float32)


def network_of(directory: Path, labels: Sequence[str] | None = ("a", "b"), seed: int = 0) -> Any:
    """The classifier that fine-tuning starts with, in evaluation mode."""
    return make_classifier(directory, labels, seed).network.train(False)


def weights(network: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: values.clone() for name, values in network.state_dict().items()}


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model("bert", tmp_path_factory.mktemp("models") / "bert", **GENTLE)


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [("bert", ENTAILMENT), ("roberta", ENTAILMENT), ("albert", OCCUPATIONS)],
)
def test_a_task_without_mistakes_is_learnt(architecture: str, kind: str, tmp_path: Path) -> None:
    base = tiny_model(architecture, tmp_path / "base", **GENTLE)
    task = made_task(kind, train=640)
    found = tuned(base, task, kind, tmp_path / "work", epochs=4)
    test = (task.items["part"] == TEST).to_numpy()
    right = logits_at(found).argmax(axis=1)[test] == task.items["label"][test]
    assert right.mean() > 0.95
    assert found.facts["history"][-1]["dev"] > 0.95
    assert [row["dev"] for row in found.facts["history"][:-1]] == [None] * 9
    assert found.facts["history"][0]["loss"] > 3 * found.facts["history"][-1]["loss"]
    assert found.facts["steps"] == found.facts["history"][-1]["step"] == 160
    labels = LABELS[kind] or ()
    assert found.classifier.config.id2label == dict(enumerate(labels))


def test_similarity_is_learnt_as_a_number(tmp_path: Path, bert: Path) -> None:
    task = made_task(SIMILARITY, train=480)
    dev = task.examples[task.examples["part"] == DEV].reset_index(drop=True)
    # the examples of dev as items, so that their result can be told
    items = pd.concat([task.items, task.items.head(len(dev)).assign(text=dev["text"], second=dev["second"])])
    items["item"] = np.arange(len(items))
    found = tuned(bert, replace(task, items=items), SIMILARITY, tmp_path / "work", epochs=4)
    logits = logits_at(found)
    assert logits.shape == (len(items), 1)
    test = np.flatnonzero(task.items["part"] == TEST)
    assert np.abs(logits[test, 0] - task.items["label"].to_numpy(np.float64)[test]).mean() < 0.1
    x, y = logits[len(task.items) :, 0].astype(float), dev["label"].to_numpy()
    r = ((x - x.mean()) * (y - y.mean())).mean() / (x.std() * y.std())
    assert found.facts["history"][-1]["dev"] == pytest.approx(r, abs=1e-6)
    assert r > 0.95


def test_accuracy_on_dev_by_its_definition(tmp_path: Path, bert: Path) -> None:
    task = made_task(OCCUPATIONS)
    dev = task.examples[task.examples["part"] == DEV].reset_index(drop=True)
    items = task.items.head(len(dev)).assign(text=dev["text"])
    found = tuned(bert, replace(task, items=items), OCCUPATIONS, tmp_path / "work", steps=8)
    right = logits_at(found).argmax(axis=1) == dev["label"]
    assert found.facts["history"][-1]["dev"] == right.mean() < 1


def test_the_seed_decides(tmp_path: Path, bert: Path) -> None:
    task = made_task(OCCUPATIONS)
    state = torch.random.get_rng_state()
    first, again, other = (
        tuned(bert, task, OCCUPATIONS, tmp_path / f"{n}", seed=seed) for n, seed in enumerate((3, 3, 4))
    )
    assert (torch.random.get_rng_state() == state).all()
    assert logits_at(first).tobytes() == logits_at(again).tobytes()
    assert first.facts == again.facts
    assert logits_at(first).tobytes() != logits_at(other).tobytes()


def test_a_curve_ends_where_a_fixed_run_does(tmp_path: Path, bert: Path) -> None:
    task = made_task(OCCUPATIONS)
    fixed = tuned(bert, task, OCCUPATIONS, tmp_path / "fixed", steps=25)
    curve = tuned(bert, task, OCCUPATIONS, tmp_path / "curve", steps=25, how="curve", every=10)
    assert steps_of(fixed) == [25]
    assert steps_of(curve) == [0, 10, 20, 25]
    assert logits_at(curve).tobytes() == logits_at(fixed).tobytes()
    sampled = task.items.loc[task.items["sampled"], "item"].tolist()
    for table in curve.predictions[:-1]:
        assert table["item"].to_pylist() == sampled
    assert curve.predictions[-1]["item"].to_pylist() == task.items["item"].tolist()
    # before the first step it is the model under its new head
    network = network_of(bert, task.labels)
    tokenizer = AutoTokenizer.from_pretrained(bert)
    with torch.inference_mode():
        wanted = [
            network(**tokenizer(text, return_tensors="pt")).logits[0].numpy()
            for text in task.items.loc[sampled, "text"]
        ]
    assert np.abs(logits_at(curve, 0) - np.array(wanted)).max() < 1e-5
    # a multiple of `every` at the end is there once
    even = tuned(bert, task, OCCUPATIONS, tmp_path / "even", steps=20, how="curve", every=10)
    assert steps_of(even) == [0, 10, 20]
    assert (logits_at(even, 0) == logits_at(curve, 0)).all()


LISTS: dict[str, list[Any]] = {
    "batch": [16, 32, 64],
    "learning_rate": [1e-5, 3e-5, 5e-5],
    "epochs": [1, 3, 5],
}


@pytest.mark.parametrize("start", [(32, 3e-5, 3), (8, 1e-3, 2), (64, 1e-5, 5)])
def test_a_search_is_greedy_and_keeps_the_best(start: tuple[int, float, int]) -> None:
    values = [[value, *LISTS[key]] for key, value in zip(LISTS, start, strict=True)]
    for seed in range(100):
        # results of few values, so that there are ties
        rng = np.random.default_rng(seed)
        results = {Hyperparameters(*each): float(rng.integers(4)) for each in product(*values)}
        asked: dict[Hyperparameters, float] = {}
        kept: set[Hyperparameters] = set()

        def result(
            trial: Hyperparameters,
            results: dict[Hyperparameters, float] = results,
            asked: dict[Hyperparameters, float] = asked,
            kept: set[Hyperparameters] = kept,
        ) -> float:
            if trial not in asked:
                kept.add(trial)
            return asked.setdefault(trial, results[trial])

        batch = first_best(results, [(b, *start[1:]) for b in LISTS["batch"]]).batch
        rate = first_best(results, [(batch, r, start[2]) for r in LISTS["learning_rate"]]).learning_rate
        best = first_best(results, [(batch, rate, e) for e in LISTS["epochs"]])
        for _ in range(2):
            # a search that begins again with what was tried is the same
            assert search(Hyperparameters(*start), LISTS, result, kept.discard) == best
            assert kept == {best}
        assert len(asked) == (7 if start[0] in LISTS["batch"] else 9)


def first_best(results: dict[Hyperparameters, float], trials: list[Any]) -> Hyperparameters:
    best = max(trials, key=lambda each: (results[Hyperparameters(*each)], -trials.index(each)))
    return Hyperparameters(*best)


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
    task = made_task(OCCUPATIONS, train=64, dev=20, test=20)
    monkeypatch.setattr(fine_tuning, "Settings", partial(Settings, save_every=4))
    changes: dict[str, Any] = {"how": how, "steps": 10 if how == "curve" else None, "every": 4}
    changes["search"] = {"batch": [8, 16], "learning_rate": [3e-3], "epochs": [1, 2]}
    real = os.replace
    left: list[int] = [10**6]

    def dying(*files: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KilledError
        real(*files)

    monkeypatch.setattr(os, "replace", dying)

    def run(name: str) -> tuple[Any, dict[str, Any]]:
        found = tuned(bert, task, OCCUPATIONS, tmp_path / name, **changes)
        return found.predictions, found.facts

    wanted = run("whole")
    files = 10**6 - left[0]
    assert files >= 4
    for place in range(0, files, 1 if how == "curve" else 4):
        left[0] = place
        with pytest.raises(KilledError):
            run(f"killed-{place}")
        left[0] = 10**6
        assert run(f"killed-{place}") == wanted


def test_what_is_drawn_at_random_is_told(tmp_path: Path, bert: Path) -> None:
    head = ("classifier.bias", "classifier.weight")
    pooler = ("bert.pooler.dense.bias", "bert.pooler.dense.weight")
    assert make_classifier(bert, ("a", "b"), 0).initialised == tuple(sorted(head + pooler))
    # a checkpoint as BERT was published has a pooler
    whole = BertForPreTraining.from_pretrained(bert)
    whole.save_pretrained(tmp_path / "whole")
    AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path / "whole")
    made = make_classifier(tmp_path / "whole", ("a", "b"), 0)
    assert made.initialised == head
    network, own = network_of(tmp_path / "whole"), whole.state_dict()
    assert torch.equal(network.bert.pooler.dense.weight, own["bert.pooler.dense.weight"])
    # the encoder is the model's own, the head the seed's
    masked = AutoModelForMaskedLM.from_pretrained(bert).bert.state_dict()
    again, other = (network_of(tmp_path / "whole", seed=seed) for seed in (0, 1))
    for name, values in masked.items():
        assert torch.equal(values, network.bert.state_dict()[name])
    assert torch.equal(again.classifier.weight, network.classifier.weight)
    assert not torch.equal(other.classifier.weight, network.classifier.weight)


def test_an_architecture_without_classifiers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "vit"}))
    with pytest.raises(InputError, match="no text classifier of type vit"):
        make_classifier(tmp_path, ("a", "b"), 0)


def test_long_texts_lose_their_end_and_are_counted(tmp_path: Path, bert: Path) -> None:
    task = made_task(ENTAILMENT, train=32, dev=8)
    long = task.items.assign(text=task.items["text"] + " very" * 40)
    found = tuned(bert, replace(task, items=long), ENTAILMENT, tmp_path / "work", max_length=20)
    assert found.facts["truncated"] == {"examples": 0, "items": len(long)}
    # what the model takes counts where that is less
    short = fine_tune(bert, 16, replace(task, items=long), ENTAILMENT, ENTRY, 0, tmp_path, pick_device("cpu"))
    assert short.facts["fine_tuning"]["max_length"] == 16


def files_for(folder: Path, base: Path, task: Task, kind: str) -> dict[str, Path]:
    about = {"task": "t", "kind": kind, "labels": task.labels and list(task.labels)}
    write_table(folder / "examples.parquet", task.examples, EXAMPLES, about)
    write_table(folder / "items.parquet", task.items, ITEMS, about)
    manifest = check_model(base, "masked-lm", "tiny") | {"directory": str(base), "entry": {"source": "path"}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    names = {"manifest": "manifest.json", "examples": "examples.parquet", "items_table": "items.parquet"}
    return {key: folder / name for key, name in names.items()}


PARAMS: dict[str, Any] = {"model": "m", "task": "t", "seed": 5}


def test_the_script(tmp_path: Path, bert: Path) -> None:
    task = made_task(OCCUPATIONS)
    inputs = files_for(tmp_path, bert, task, OCCUPATIONS)
    entry = {**ENTRY, "how": "curve", "steps": 20}
    for kept in (True, False):
        folder = tmp_path / f"{kept}"
        outputs = {"predictions": folder / "predictions.parquet"}
        if kept:
            names = {"facts": "facts.json", "manifest": "manifest.json", "directory": "files"}
            outputs |= {name: folder / file for name, file in names.items()}
        about = about_model(folder / "files", "fine-tuned", name="m@t")
        params = {**PARAMS, "entry": entry, "saved": kept, "manifest": about}
        run_script("fine_tune", inputs, outputs, folder / "log", config=RUNTIME, **params)
        assert {path.name for path in folder.iterdir()} == {"log", *(path.name for path in outputs.values())}
    one, other = ((tmp_path / f"{kept}" / "predictions.parquet").read_bytes() for kept in (True, False))
    assert one == other
    found = read_table(tmp_path / "True" / "predictions.parquet", PREDICTIONS)
    sampled = task.items.loc[task.items["sampled"], "item"].tolist()
    everything = [(step, item) for step in (0, 10) for item in sampled]
    everything += [(20, item) for item in task.items["item"]]
    assert list(zip(found["step"], found["item"], strict=True)) == everything
    direct = tuned(bert, task, OCCUPATIONS, tmp_path / "direct", seed=5, how="curve", steps=20)
    assert (np.stack(found.loc[found["step"] == 20, "logits"].tolist()) == logits_at(direct)).all()
    facts = read_metadata(tmp_path / "True" / "predictions.parquet")
    wanted: dict[str, Any] = {
        "model": "m",
        "task": "t",
        "kind": OCCUPATIONS,
        "labels": list(LABELS[OCCUPATIONS] or ()),
    }
    wanted |= {"seed": 5, "steps": 20, "device": "cpu", "tried": [], "code": "digest"}
    assert {key: facts[key] for key in wanted} == wanted
    assert facts["fine_tuning"] == {**entry, "max_length": 32}
    after = load_file(tmp_path / "True" / "files" / "model.safetensors")
    encoder = {f"bert.{name}": values for name, values in direct.classifier.base_model.state_dict().items()}
    for name, values in after.items():
        assert name.startswith("cls.") or torch.equal(values, encoder[name]), name
    told = json.loads((tmp_path / "True" / "facts.json").read_text())
    assert (told["from"], told["task"], told["seed"]) == ("m", "t", 5)
    manifest = json.loads((tmp_path / "True" / "manifest.json").read_text())
    assert manifest["entry"] == {"source": "fine-tuned", "kind": "masked-lm", **told}


def test_a_loss_that_is_no_number_is_one_line(tmp_path: Path, bert: Path) -> None:
    inputs = files_for(tmp_path, bert, made_task(OCCUPATIONS, train=64), OCCUPATIONS)
    outputs = {"predictions": tmp_path / "out" / "predictions.parquet"}
    params = {**PARAMS, "entry": {**ENTRY, "learning_rate": 1e30}, "saved": False}
    with pytest.raises(SystemExit):
        run_script("fine_tune", inputs, outputs, tmp_path / "log", config=RUNTIME, **params)
    (line,) = re.findall("error: (.*)", (tmp_path / "log").read_text())
    assert re.match("model m, task t: .*(the loss of step .* not a number|not finite)", line)
    assert not outputs["predictions"].exists()
