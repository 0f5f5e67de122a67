"""Training a model on the one device that a job has, within its memory, and the same however it is
interrupted: the one loop for models of worlds and regions, debiasing and fine-tuning.

(The Trainer of transformers takes the first GPU or all of them, and what it draws for a batch depends on
where it was interrupted.)
"""

import hashlib
import json
import logging
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.optim import AdamW, Optimizer
from transformers import PreTrainedModel

from unmask.errors import InputError
from unmask.files import written_whole
from unmask.joblog import PROGRESS
from unmask.models.devices import Device, within_memory

logger = logging.getLogger(__name__)

Batch = dict[str, Tensor]
Loss = Callable[[PreTrainedModel, Batch], Tensor]
"""Of a batch with `labels`, their mean, which is read in parts where memory is small; else of any kind."""
Schedule = Callable[[int, int], float]
"""The share of the learning rate at a step (from 0), of how many steps there are."""

IGNORED = -100
"""The label of a token that is not to be predicted."""
STATE = "state.pt"


class Examples(Sized, Protocol):
    """What is trained on: examples by their number."""

    def __getitem__(self, number: int, /) -> Any: ...


def linear(step: int, steps: int) -> float:
    """A rate that falls linearly to 0."""
    return 1 - step / steps


ADAMW: Callable[..., Optimizer] = partial(AdamW, weight_decay=0.0, fused=True)


@dataclass(frozen=True)
class Settings:
    """How a model is trained. clip: the largest norm of the gradient. optimizer: takes the weights, and the
    learning rate as `lr`. save_every: steps between two states that training can go on from."""

    batch: int
    learning_rate: float
    steps: int
    seed: int
    clip: float = 1.0
    schedule: Schedule = linear
    optimizer: Callable[..., Optimizer] = ADAMW
    save_every: int = 500


def steps_of(examples: int, batch: int, epochs: int, steps: int | None = None) -> int:
    """How many steps training takes: `steps` where that is stated, else as many as the epochs have."""
    return epochs * math.ceil(examples / batch) if steps is None else steps


@contextmanager
def work_folder(beside: str | Path, of: Mapping[str, Any]) -> Iterator[Path]:
    """A folder for what a killed job leaves to the next one, removed when the block ends well.

    beside: the output that the work is for; of: all that the work depends on, as JSON. What was left by work
    that depends on something else is removed.
    """
    beside = Path(beside)
    digest = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:16]
    folder = beside.parent / f".{beside.name}.training-{digest}"
    for other in beside.parent.glob(f".{beside.name}.training-*"):
        if other != folder:
            shutil.rmtree(other)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    except BaseException:
        # what failed before any work leaves nothing
        with suppress(OSError):
            folder.rmdir()
        raise
    shutil.rmtree(folder)


def own_loss(model: PreTrainedModel, batch: Batch) -> Tensor:
    """The mean over a batch's labels, by the model's own loss."""
    loss: Tensor = model(**batch).loss
    return loss


def train(
    model: PreTrainedModel,
    examples: Examples,
    collate: Callable[[list[Any]], Batch],
    settings: Settings,
    work: Path | None,
    device: Device,
    loss: Loss = own_loss,
    at: Sequence[int] = (),
    on_step: Callable[[int], None] | None = None,
    batches: Callable[[int], Sequence[int]] | None = None,
    state: dict[str, Any] | None = None,
) -> list[dict[str, float]]:
    """Train `model`, in place, on the `examples`, shuffled anew in each epoch.

    - collate: makes a batch (input_ids, attention_mask, labels …) of examples; draws from PyTorch's generator
    - work: a folder for states, of this work alone (`work_folder`); a call with one that a killed process
      left goes on from there, and None saves nothing
    - loss: of a batch
    - on_step: called with each of the steps in `at` (0 is before the first), the model in evaluation mode;
      what it draws changes nothing
    - batches: the numbers of the examples of a step, where these are not shuffled
    - state: what `loss` and `on_step` remember (tensors, numbers, lists, dictionaries); saved and restored,
      in place, with the weights

    Returns the mean loss of every tenth of the steps, as {step, loss}. When a batch does not fit into memory,
    it and those after it are read in halves; one without labels, whose loss need be no sum over examples, is
    refused. What is drawn for a step depends on the seed and its number alone: on the same machine, with as
    many threads, the same call gives the same weights, be it interrupted or not. Raises InputError for no
    examples, a loss that is not a number, and an example or batch that does not fit into memory.
    """
    if len(examples) == 0:
        raise InputError("there is nothing to train on")
    model.to(device.torch)  # type: ignore[arg-type]
    trained = [weights for weights in model.parameters() if weights.requires_grad]
    optimizer = settings.optimizer(trained, lr=settings.learning_rate)
    batches = batches or _shuffled(len(examples), settings)
    state = {} if state is None else state
    done, history, recent = _restore(work, model, optimizer, device, state)
    part, began = max(1, settings.steps // 10), time.monotonic()
    # a batch is read whole until memory has run out
    memory = replace(device, batch_tokens=sys.maxsize)
    devices = [] if device.torch.type == "cpu" else [device.torch]
    with torch.random.fork_rng(devices=devices):
        if on_step and done == 0 and 0 in at:
            model.eval()  # type: ignore[no-untyped-call]
            on_step(0)
        for step in range(done, settings.steps):
            _seed(settings.seed, step, device)
            batch = collate([examples[number] for number in batches(step)])
            batch = {name: tensor.to(device.torch) for name, tensor in batch.items()}
            if not model.training:
                model.train()
            while (result := within_memory(_backward, model, batch, memory, loss)) is None:
                _half(batch, memory)
                optimizer.zero_grad(set_to_none=True)
                _seed(settings.seed, step, device)
            mean, counted = result
            if counted:
                if not math.isfinite(mean):
                    raise InputError(f"training: the loss of step {step + 1} is {mean}, not a number")
                torch.nn.utils.clip_grad_norm_(trained, settings.clip)
                for group in optimizer.param_groups:
                    group["lr"] = settings.learning_rate * settings.schedule(step, settings.steps)
                optimizer.step()
                recent.append(mean)
            optimizer.zero_grad(set_to_none=True)
            last = step + 1
            if last % part == 0 or last == settings.steps:
                history.append({"step": last, "loss": float(np.mean(recent)) if recent else math.nan})
                recent.clear()
                seconds = (time.monotonic() - began) / (last - done) * (settings.steps - last)
                left = timedelta(seconds=round(seconds))
                of_all, loss_now = f"step {last} of {settings.steps}", f"loss {history[-1]['loss']:.4f}"
                logger.info("%s: %s, about %s left", of_all, loss_now, left, extra=PROGRESS)
            if on_step and last in at:
                model.eval()  # type: ignore[no-untyped-call]
                # the next step seeds what it draws
                on_step(last)
            if work and last % settings.save_every == 0 and last < settings.steps:
                progress = {"step": last, "history": history, "recent": recent, "state": state}
                _save(work, model, optimizer, progress)
    model.eval()  # type: ignore[no-untyped-call]
    return history


def _seed(seed: int, step: int, device: Device) -> None:
    """Let what is drawn from here on depend on the seed and the step alone."""
    number = int(np.random.SeedSequence((seed, step)).generate_state(1, np.uint64)[0])
    # it looks for devices of all kinds, which takes as long as a tiny model's smallest layers
    (torch.default_generator if device.torch.type == "cpu" else torch).manual_seed(number)


def _shuffled(examples: int, settings: Settings) -> Callable[[int], Sequence[int]]:
    """The examples of each step; an epoch has every example once."""
    count, size = math.ceil(examples / settings.batch), settings.batch

    @lru_cache(maxsize=1)
    def order(epoch: int) -> npt.NDArray[np.int64]:
        return np.random.default_rng((settings.seed, epoch)).permutation(examples)

    return lambda step: order(step // count)[step % count * size :][:size].tolist()


def _backward(model: PreTrainedModel, batch: Batch, memory: Device, loss: Loss) -> tuple[float, int]:
    """Add the gradient of the batch's mean loss, read in parts that fit into memory.

    Returns the loss, and how much it is a mean over; where that is nothing, there is no gradient.
    """
    total, mean = _counted(batch), 0.0
    size, length = batch["input_ids"].shape
    limit = max(1, memory.batch_tokens // length)
    for start in range(0, size, limit):
        part = {name: tensor[start : start + limit] for name, tensor in batch.items()}
        share = _counted(part) / max(total, 1)
        if share:
            of_part = loss(model, part) * share
            of_part.backward()  # type: ignore[no-untyped-call]
            mean += of_part.item()
    return mean, total


def _counted(batch: Batch) -> int:
    """What a loss is a mean over: the labels that are not IGNORED, or the examples."""
    labels = batch.get("labels")
    if labels is not None and not labels.is_floating_point():
        return int((labels != IGNORED).sum())
    return len(next(iter(batch.values())))


def _half(batch: Batch, memory: Device) -> None:
    """Take half as much at a time. Raises InputError where that is less than one example, or than a batch
    without labels, whose loss need be no sum over examples."""
    size, length = batch["input_ids"].shape
    if "labels" not in batch:
        raise InputError(
            f"training: a batch of {size} examples of {length} tokens is too large for the memory of "
            f"{memory}: make batch or max_length smaller (its objective is no sum over examples, so that "
            "it is not read in parts)"
        )
    memory.take_half(min(size, max(1, memory.batch_tokens // length)), length)


def _save(work: Path, model: PreTrainedModel, optimizer: Optimizer, progress: Mapping[str, Any]) -> None:
    with written_whole(work / STATE) as partial:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), **progress}, partial)


def _restore(
    work: Path | None, model: PreTrainedModel, optimizer: Optimizer, device: Device, state: dict[str, Any]
) -> tuple[int, list[dict[str, float]], list[float]]:
    """The steps done, the history and the last losses; the model and optimizer as they were left."""
    if work is None or not (work / STATE).exists():
        return 0, [], []
    saved = torch.load(work / STATE, map_location=device.torch, weights_only=True)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    state.update(saved["state"])
    logger.info("continuing after step %d", saved["step"])
    return saved["step"], saved["history"], saved["recent"]
