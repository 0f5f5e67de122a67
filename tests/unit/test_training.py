"""Training: held against the simplest loop, interrupted, short of memory."""

import copy
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import AutoModelForMaskedLM, AutoModelForSequenceClassification, PreTrainedModel

from library import IGNORED, Batch, InputError, Settings, of_one_length, pick_device, work_folder
from library import models_train as train
from tiny_models import tiny_config, tiny_tokenizer

CPU = pick_device("cpu")


def network(auto: Any = AutoModelForSequenceClassification, dropout: float = 0.0) -> PreTrainedModel:
    """A tiny BERT; of a classifier three labels."""
    torch.manual_seed(5)
    rates = {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
    model: PreTrainedModel = auto.from_config(
        tiny_config("bert", tiny_tokenizer("bert"), num_labels=3, **rates)
    )
    return model


def rows(count: int = 10) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    return [
        {"input_ids": rng.integers(5, 30, size=6).tolist(), "labels": int(rng.integers(3))}
        for _ in range(count)
    ]


def stacked(examples: list[dict[str, Any]]) -> Batch:
    return {name: torch.tensor([example[name] for example in examples]) for name in examples[0]}


def assert_close(
    one: PreTrainedModel, other: PreTrainedModel, rtol: float = 1e-3, atol: float = 1e-4
) -> None:
    for name, tensor in other.state_dict().items():
        # the gradient of the keys' bias is 0, and what rounding leaves of it Adam makes large
        if not rtol or not name.endswith("key.bias"):
            torch.testing.assert_close(one.state_dict()[name], tensor, rtol=rtol, atol=atol)


@pytest.mark.parametrize(
    ("decay", "schedule", "rates"),
    [
        # as is stated by default
        (0.0, None, [1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        (0.1, lambda step, steps: min((step + 1) / 2, (6 - step) / 4), [1 / 2, 1, 1, 3 / 4, 2 / 4, 1 / 4]),
    ],
)
def test_it_does_what_the_simplest_loop_does(
    decay: float, schedule: Any, rates: list[float], tmp_path: Path
) -> None:
    adamw, data, model, plain = partial(torch.optim.AdamW, weight_decay=decay), rows(), network(), network()
    stated: dict[str, Any] = {"schedule": schedule, "optimizer": adamw} if decay else {}
    history = train(model, data, stacked, Settings(10, 1e-2, 6, 1, 0.5, **stated), tmp_path, CPU)
    # one batch has all examples, so their order counts no more
    optimizer, losses = adamw(plain.parameters(), lr=1e-2), list[float]()
    plain.train()
    for rate in rates:
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * rate
        loss = plain(**stacked(data)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert_close(model, plain)
    assert [each["step"] for each in history] == [1, 2, 3, 4, 5, 6]
    assert [each["loss"] for each in history] == pytest.approx(losses, rel=1e-4)
    assert losses[-1] < losses[0]


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("stop", [0, 5, 7])
@pytest.mark.parametrize("batches", [None, lambda step: [step % 7, 2 * step % 7]])
def test_stopped_and_gone_on_it_gives_the_same_bytes(
    tmp_path: Path, stop: int, batches: Callable[[int], list[int]] | None
) -> None:
    """With dropout and noise in the examples, and a loss that is weighted by the sum of losses so far."""
    data, settings = rows(7), Settings(batch=2, learning_rate=1e-2, steps=9, seed=4, save_every=2)

    def noisy(examples: list[dict[str, Any]]) -> Batch:
        batch = stacked(examples)
        batch["input_ids"] = torch.where(torch.rand(batch["input_ids"].shape) < 0.3, 4, batch["input_ids"])
        return batch

    def run(name: str, stop: int = 9) -> tuple[PreTrainedModel, Any, dict[str, Any]]:
        model, steps, work = network(dropout=0.3), iter(range(stop)), tmp_path / name
        state: dict[str, Any] = {"sum": torch.zeros(()), "looks": []}
        work.mkdir(exist_ok=True)

        def weighted(model: PreTrainedModel, batch: Batch) -> Tensor:
            if next(steps, None) is None:
                raise StoppedError
            loss: Tensor = model(**batch).loss
            state["sum"] = state["sum"] + loss.detach()
            scaled: Tensor = loss * state["sum"]
            return scaled

        def look(step: int) -> None:
            """Whatever is drawn while looking changes nothing."""
            torch.rand(100)
            assert not model.training
            state["looks"].append(step)

        looks = model, data, noisy, settings, work, CPU, weighted, [0, 3, 6, 9], look
        return model, train(*looks, batches, state), state

    before = torch.random.get_rng_state()
    whole, history, state = run("whole")
    assert torch.equal(torch.random.get_rng_state(), before) and state["looks"] == [0, 3, 6, 9]
    with pytest.raises(StoppedError):
        run("parts", stop)
    fresh, *others = run("parts")
    assert others == [history, state]
    assert_close(fresh, whole, 0, 0)


@pytest.mark.parametrize(
    ("lengths", "sizes"), [(None, [1, 5, 5, 5]), (11 * [4] + 4 * [2] + [7], [1, 3, 4, 4, 4])]
)
def test_every_epoch_has_each_example_once_in_another_order(
    tmp_path: Path, lengths: list[int] | None, sizes: list[int]
) -> None:
    of_examples, numbers = lengths or 16 * [2], list[list[int]]()

    def noting(examples: list[int]) -> Batch:
        numbers.append(examples)
        return stacked([{"input_ids": of_examples[number] * [5], "labels": 0} for number in examples])

    settings, batches = Settings(5, 1e-3, 2 * len(sizes), 0), lengths and of_one_length(lengths, 5, 0)
    train(network(), range(16), noting, settings, tmp_path, CPU, batches=batches or None)
    epochs = numbers[: len(sizes)], numbers[len(sizes) :]
    for epoch in epochs:
        assert sorted(n for batch in epoch for n in batch) == list(range(16))
        assert sorted(map(len, epoch)) == sizes
        assert all(len({of_examples[n] for n in batch}) == 1 for batch in epoch)
    assert epochs[0] != epochs[1]
    # nor are lengths in order
    of_batches = [[of_examples[batch[0]] for batch in epoch] for epoch in epochs]
    assert lengths is None or any(each != sorted(each) for each in of_batches)


def short_of_memory(model: PreTrainedModel, most: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a model have room for so many examples at a time; how many it is given each time."""
    forward, sizes = model.forward, list[int]()

    def short(*args: Any, **kwargs: Any) -> Any:
        sizes.append(len(kwargs["input_ids"]))
        if sizes[-1] > most:
            raise MemoryError
        return forward(*args, **kwargs)

    monkeypatch.setattr(model, "forward", short)
    return sizes


def test_too_little_memory_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = network(AutoModelForMaskedLM)
    parts = copy.deepcopy(whole)
    # as unequal numbers of labels as can be
    data = [
        {**row, "labels": [token if place < n else IGNORED for place, token in enumerate(row["input_ids"])]}
        for n, row in enumerate(rows(6))
    ]
    settings = Settings(batch=6, learning_rate=1e-3, steps=4, seed=1)
    expected = train(whole, data, stacked, settings, tmp_path / "a", CPU)
    sizes = short_of_memory(parts, 2, monkeypatch)
    history = train(parts, data, stacked, settings, tmp_path / "b", CPU)
    assert sizes[0] == 6 and max(sizes[2:]) <= 2
    assert [e["loss"] for e in history] == pytest.approx([e["loss"] for e in expected], rel=1e-4)
    assert_close(parts, whole)


def test_what_cannot_be_trained_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, about = network(), (stacked, Settings(4, 1e-3, 3, 0), tmp_path, CPU)
    with pytest.raises(InputError, match="nothing to train on"):
        train(model, [], *about)
    with pytest.raises(InputError, match="the loss of step 1 is nan"):
        train(model, rows(), *about, lambda model, batch: model(**batch).loss * math.nan)
    short_of_memory(model, 0, monkeypatch)
    with pytest.raises(InputError, match="one sequence of 6 tokens by itself is too large for the memory of"):
        train(model, rows(4), *about)
    # without labels the objective need be no sum over examples
    unlabelled = [{"input_ids": row["input_ids"]} for row in rows(4)]
    with pytest.raises(InputError, match="a batch of 4 examples of 6 tokens is too large for the memory"):
        train(model, unlabelled, *about)


def test_a_batch_without_anything_to_predict_changes_nothing(tmp_path: Path) -> None:
    model = network(AutoModelForMaskedLM)
    before = copy.deepcopy(model)
    data = [{"input_ids": [5, 6], "labels": [IGNORED, IGNORED]}]
    history = train(model, data, stacked, Settings(1, 1e-2, 2, 0), tmp_path, CPU)
    assert_close(model, before, 0, 0)
    assert all(math.isnan(each["loss"]) for each in history)


def test_a_work_folder_is_for_one_work(tmp_path: Path) -> None:
    output = tmp_path / "files"
    with pytest.raises(StoppedError), work_folder(output, {"seed": 1}) as folder:
        (folder / "left").write_text("something")
        raise StoppedError
    with pytest.raises(StoppedError), work_folder(output, {"seed": 1}) as again:
        assert (again / "left").read_text() == "something"
        raise StoppedError
    with work_folder(output, {"seed": 2}) as other:
        assert list(other.iterdir()) == []
        assert not folder.exists()
    assert list(tmp_path.iterdir()) == []
