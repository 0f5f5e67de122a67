"""Training a model on the one device that a job has, within its memory, and the same however it is
interrupted: the one loop for models of worlds and regions, debiasing and fine-tuning.

(The Trainer of transformers takes the first GPU or all of them, and what it draws for a batch depends on
where it was interrupted.)

A masked language model learns to predict tokens that are hidden, and its head runs at these alone.
"""

import hashlib
import json
import logging
import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from torch.optim import AdamW, Optimizer
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.job import PROGRESS
from unmask.errors import InputError
from unmask.files import written_whole
from unmask.models.devices import Device, within_memory
from unmask.models.loading import head_apart

logger = logging.getLogger(__name__)

Batch = dict[str, Tensor]
Loss = Callable[[PreTrainedModel, Batch], Tensor]
"""Of a batch with `labels`, their mean, which is read in parts where memory is small; else of any kind."""
Schedule = Callable[[int, int], float]
"""The share of the learning rate at a step (from 0), of how many steps there are."""

IGNORED = -100
"""The label of a token that is not to be predicted."""
ADAMW: Callable[..., Optimizer] = partial(AdamW, weight_decay=0.0, fused=True)

CHOSEN = 0.15
"""BERT's share of the tokens that are to be predicted."""
SHARES = (0.8, 0.1, 0.1)
"""BERT's shares of these that are masked, kept and made random."""


@dataclass(frozen=True)
class Settings:
    """How a model is trained. clip: the largest norm of the gradient. schedule: by default the rate falls
    linearly to 0. optimizer: takes the weights, and the learning rate as `lr`. save_every: steps between two
    states that training can go on from."""

    batch: int
    learning_rate: float
    steps: int
    seed: int
    clip: float = 1.0
    schedule: Schedule = lambda step, steps: 1 - step / steps
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
    examples: Sequence[Any],
    collate: Callable[[list[Any]], Batch],
    settings: Settings,
    work: Path,
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
      left goes on from there
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
    saved, state = work / "state.pt", {} if state is None else state
    done, history, recent = 0, list[dict[str, float]](), list[float]()
    if saved.exists():
        left = torch.load(saved, map_location=device.torch, weights_only=True)
        model.load_state_dict(left["model"])
        optimizer.load_state_dict(left["optimizer"])
        state.update(left["state"])
        done, history, recent = left["step"], left["history"], left["recent"]
        logger.info("continuing after step %d", done)
    # torch's function looks for devices of all kinds, which takes as long as a tiny model's smallest layers
    seed = (torch.default_generator if device.torch.type == "cpu" else torch).manual_seed
    part, began = max(1, settings.steps // 10), time.monotonic()
    # a batch is read whole until memory has run out
    memory = replace(device, batch_tokens=sys.maxsize)
    devices = [] if device.torch.type == "cpu" else [device.torch]
    with torch.random.fork_rng(devices=devices):
        for step in range(done, settings.steps + 1):
            if on_step and step in at:
                model.eval()  # type: ignore[no-untyped-call]
                # the next step seeds what it draws
                on_step(step)
            if step == settings.steps:
                break
            number = int(np.random.SeedSequence((settings.seed, step)).generate_state(1, np.uint64)[0])
            seed(number)
            batch = collate([examples[each] for each in batches(step)])
            batch = {name: tensor.to(device.torch) for name, tensor in batch.items()}
            if not model.training:
                model.train()
            while (mean := within_memory(_backward, model, batch, memory, loss)) is None:
                size, length = batch["input_ids"].shape
                if "labels" not in batch:
                    raise InputError(
                        f"training: a batch of {size} examples of {length} tokens is too large for the "
                        f"memory of {memory}: make batch or max_length smaller (its loss is no sum over them)"
                    )
                memory.take_half(min(size, max(1, memory.batch_tokens // length)), length)
                optimizer.zero_grad(set_to_none=True)
                seed(number)
            if _counted(batch):
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
                loss_now, rest = history[-1]["loss"], timedelta(seconds=round(seconds))
                line = f"step {last} of {settings.steps}: loss {loss_now:.4f}, about {rest} left"
                logger.info("%s", line, extra=PROGRESS)
            if last % settings.save_every == 0 and last < settings.steps:
                weights = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "state": state}
                with written_whole(saved) as partly:
                    torch.save({**weights, "step": last, "history": history, "recent": recent}, partly)
    model.eval()  # type: ignore[no-untyped-call]
    return history


def _shuffled(examples: int, settings: Settings) -> Callable[[int], Sequence[int]]:
    """The examples of each step; an epoch has every example once."""
    count, size = math.ceil(examples / settings.batch), settings.batch

    @lru_cache(maxsize=1)
    def order(epoch: int) -> npt.NDArray[np.int64]:
        return np.random.default_rng((settings.seed, epoch)).permutation(examples)

    return lambda step: order(step // count)[step % count * size :][:size].tolist()


def _backward(model: PreTrainedModel, batch: Batch, memory: Device, loss: Loss) -> float:
    """Add the gradient of the batch's mean loss, read in parts that fit into memory; the loss."""
    total, mean = _counted(batch), 0.0
    size, length = batch["input_ids"].shape
    limit = max(1, memory.batch_tokens // length)
    for start in range(0, size, limit):
        part = {name: tensor[start : start + limit] for name, tensor in batch.items()}
        if counted := _counted(part):
            of_part = loss(model, part) * (counted / total)
            of_part.backward()  # type: ignore[no-untyped-call]
            mean += of_part.item()
    return mean


def _counted(batch: Batch) -> int:
    """What a loss is a mean over: the labels that are not IGNORED, or the examples."""
    labels = batch.get("labels")
    if labels is not None and not labels.is_floating_point():
        return int((labels != IGNORED).sum())
    return len(batch["input_ids"])


@dataclass(frozen=True)
class Masking:
    """BERT's corruption: of the tokens chosen some are masked, some kept, and the others made random.

    rates: of each token id, how often it is chosen; ordinary: the tokens that stand in place of others, all
    equally often; shares: of the chosen tokens, those that are masked, kept and made random.
    """

    rates: Tensor
    ordinary: Tensor
    mask_id: int
    pad_id: int
    shares: tuple[float, float, float] = SHARES

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase) -> "Masking":
        """As BERT was trained: of all tokens but the special ones."""
        size, special = max(tokenizer.get_vocab().values()) + 1, sorted(set(tokenizer.all_special_ids))
        rates = torch.full((size,), CHOSEN)
        rates[special] = 0.0
        ordinary = torch.tensor(sorted(set(tokenizer.get_vocab().values()) - set(special)))
        # any token will do where none is for padding: it is not attended to
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.mask_token_id
        return cls(rates, ordinary, tokenizer.mask_token_id, pad)

    def batch(
        self, examples: Sequence[npt.NDArray[np.int32]], generator: torch.Generator | None = None
    ) -> Batch:
        """A batch (input_ids, attention_mask, labels; batch × length) of sequences of token ids."""
        lengths = torch.tensor([len(ids) for ids in examples])
        attended = torch.arange(int(lengths.max())) < lengths[:, None]
        original = torch.full(attended.shape, self.pad_id)
        original[attended] = torch.from_numpy(np.concatenate(examples).astype(np.int64))
        masked, kept, _ = self.shares
        draw, fate = (torch.rand(original.shape, generator=generator) for _ in range(2))
        chosen = attended & (draw < self.rates[original])
        corrupted = torch.where(chosen & (fate < masked), self.mask_id, original)
        random = self.ordinary[torch.randint(len(self.ordinary), original.shape, generator=generator)]
        return {
            "input_ids": torch.where(chosen & (fate >= masked + kept), random, corrupted),
            "attention_mask": attended.long(),
            "labels": torch.where(chosen, original, IGNORED),
        }


def pad(rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    """Token ids (rows × length) and the mask of those that are there, both of integers."""
    ids = [torch.tensor(row) for row in rows]
    mask = pad_sequence([torch.ones_like(row) for row in ids], batch_first=True)
    return pad_sequence(ids, batch_first=True, padding_value=padding), mask


def loss_at_labels(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, device: Device) -> Loss:
    """The loss of a masked language model, whose head runs where there are labels alone.

    That is a seventh of the tokens, and over a large vocabulary the head is half of a small model's work. In
    an architecture whose head cannot run apart from the encoder it is the model's own loss.
    """
    model.eval()  # type: ignore[no-untyped-call]
    reader = head_apart(model, tokenizer, device)
    if reader is None:
        return own_loss

    def loss(model: PreTrainedModel, batch: Batch) -> Tensor:
        labels = batch["labels"].flatten()
        places = (labels != IGNORED).nonzero()[:, 0]
        hidden, _ = reader.encode(batch["input_ids"], places, batch["attention_mask"])
        return cross_entropy(reader.head(hidden), labels[places])

    return loss
