"""Training a masked language model on: what continued training, CDA and dropout have in common."""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.debiasing.inputs import Base, Entry, Texts, lines_of
from unmask.debiasing.model_files import load_base, save
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.masking import Masking, head_at_labels
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import IGNORED, Batch, Settings, steps_of, train
from unmask.terms import PUBLISHED

logger = logging.getLogger(__name__)

GROUP = 1000
"""Lines whose tokens are put together and cut into blocks; what is left over of a group is lost, as in the
released code."""

_IDS_ALONE: dict[str, Any] = {"return_attention_mask": False, "return_token_type_ids": False}

Ids = npt.NDArray[np.int32]


class Tokens:
    """Sequences of token ids by their number, held in one array."""

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        pieces = [np.asarray(ids, dtype=np.int32) for ids in sequences if ids]
        self.ids: Ids = np.concatenate([np.empty(0, np.int32), *pieces])
        self.ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> Ids:
        return self.ids[self.ends[number - 1] if number else 0 : self.ends[number]]


def debias(
    base: Base, texts: Texts, entry: Entry, directory: Path, work: Path, device: Device
) -> dict[str, Any]:
    """Write the model to `directory` after training (`train_masked`) on `texts`, whatever these are.

    published: without the base's pooler, as the released code leaves its models; corrected: with it.
    """
    model = load_base(base)
    facts = train_masked(model, base, texts, entry, work, device)
    save(model, base, entry, directory, keep_pooler=entry["reading"] != PUBLISHED)
    return facts


def train_masked(
    model: PreTrainedModel, base: Base, texts: Texts, entry: Entry, work: Path, device: Device
) -> dict[str, Any]:
    """Train `model`, in place, on the lines of `texts` behind those that are held out.

    Blocks of `max_length` tokens with BERT's masking, drawn anew each time, and AdamW with a rate that falls
    linearly to 0; the gradient is clipped to norm 1, in the published reading not at all, as in the released
    code. A model that takes fewer tokens than a block has is trained on the lines themselves,
    each an example, cut to what the model takes: such a model is made for sentences, and running text is
    nothing that it knows (the planted world's loses 7.7 nats a token on it, on its sentences 0.8).

    work: a folder for states. Returns examples (blocks or lines, and how many), tokens, steps, loss (of each
    tenth of the steps), and held_out: lines, examples, and the loss on them before and after (under one and
    the same masking; None where nothing is held out). Losses are in nats a token.
    Raises InputError where nothing is left to train on, and as `unmask.models.training.train` does.
    """
    training = entry["training"]
    tokenizer = load_tokenizer(base.directory)
    longest = base.max_length
    whole = longest is None or longest >= training["max_length"]
    held, examples = (
        Tokens(
            _blocks(tokenizer, lines, training["max_length"])
            if whole
            else _single(tokenizer, lines, longest or training["max_length"])
        )
        for lines in _split(texts)
    )
    if not len(examples):
        raise InputError(
            f"{texts.lines}: no text behind the first {texts.held_out} lines, which are held out"
        )
    masking = Masking.of(tokenizer)
    settings = Settings(
        batch=training["batch"],
        learning_rate=training["learning_rate"],
        steps=steps_of(len(examples), training["batch"], training["epochs"], training["steps"]),
        seed=entry["seed"],
        clip=math.inf if entry["reading"] == PUBLISHED else 1.0,
    )
    logger.info("%d %s, %d steps", len(examples), "blocks" if whole else "lines", settings.steps)
    model.to(device.torch)  # type: ignore[arg-type]
    with head_at_labels(model):
        before = held_out_loss(model, held, masking, device)
        # draws from PyTorch's own generator
        losses = train(model, examples, masking.batch, settings, work, device)
        after = held_out_loss(model, held, masking, device)
    return {
        "examples": {"kind": "blocks" if whole else "lines", "count": len(examples)},
        "tokens": len(examples.ids),
        "steps": settings.steps,
        "loss": losses,
        "held_out": {"lines": texts.held_out, "examples": len(held), "before": before, "after": after},
        "torch": str(torch.__version__),
    }


def _split(texts: Texts) -> Iterator[Iterator[str]]:
    """The lines that are held out, to be read first, and the others."""
    lines = lines_of(texts.lines)
    yield islice(lines, texts.held_out)
    yield lines


def _groups(lines: Iterable[str]) -> Iterator[list[str]]:
    lines = iter(lines)
    while group := list(islice(lines, GROUP)):
        yield group


def _blocks(tokenizer: PreTrainedTokenizerBase, lines: Iterable[str], length: int) -> Iterator[list[int]]:
    """Blocks of `length` tokens, special ones included; a group of lines with fewer is one block."""
    for group in _groups(lines):
        ids = [token for line in tokenizer(group, verbose=False, **_IDS_ALONE)["input_ids"] for token in line]
        for start in range(0, max(len(ids) - length, 0) + 1, length):
            yield ids[start : start + length]


def _single(tokenizer: PreTrainedTokenizerBase, lines: Iterable[str], longest: int) -> Iterator[list[int]]:
    """The tokens of each line, `longest` of them at most."""
    for group in _groups(lines):
        yield from tokenizer(group, truncation=True, max_length=longest, **_IDS_ALONE)["input_ids"]


def held_out_loss(model: PreTrainedModel, held: Tokens, masking: Masking, device: Device) -> float | None:
    """Mean loss of the tokens that are hidden in `held` (always the same), in nats; None where none is."""
    model.eval()  # type: ignore[no-untyped-call]
    generator = torch.Generator().manual_seed(0)
    total, count = 0.0, 0
    longest = max((len(held[number]) for number in range(len(held))), default=1)
    # of so many at a time the masking is drawn, whatever the memory
    for first in range(0, len(held), 32):
        numbers = range(first, min(first + 32, len(held)))
        batch = masking.batch([held[number] for number in numbers], generator)
        start = 0
        while start < len(numbers):
            size = min(max(1, device.batch_tokens // longest), len(numbers) - start)
            part = {name: tensor[start : start + size] for name, tensor in batch.items()}
            hidden = int((part["labels"] != IGNORED).sum())
            if hidden:
                loss = within_memory(_loss, model, part, device)
                if loss is None:
                    device.take_half(size, longest)
                    continue
                total += loss * hidden
                count += hidden
            start += size
    return total / count if count else None


def _loss(model: PreTrainedModel, batch: Batch, device: Device) -> float:
    with torch.inference_mode():
        return float(model(**{name: tensor.to(device.torch) for name, tensor in batch.items()}).loss)
