"""Training a masked language model on: continued training, CDA and dropout, which differ in settings alone.

`continued` reads the corpus as it is: nothing is debiased, and it is the control of the other methods. `cda`,
counterfactual data augmentation, reads the corpus with swapped genders (unmask.debiasing.swapping). `dropout`
(Webster et al. 2020) reads the corpus as it is, with higher rates of dropout.
"""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoConfig, PreTrainedModel, PreTrainedTokenizerBase

from unmask.debiasing.data import Base, Entry, Texts, in_batches, lines_of
from unmask.debiasing.model_files import load_base, save
from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.models.directory import from_directory
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import IGNORED, Batch, Loss, Masking, Settings, loss_at_labels, steps_of, train
from unmask.terms import PUBLISHED

logger = logging.getLogger(__name__)

GROUP = 1000
"""Lines whose tokens are put together and cut into blocks; what is left over of a group is lost, as in the
released code."""

Ids = npt.NDArray[np.int32]

DROPOUT = "dropout"
RATES: Mapping[str, float] = {"attention": 0.15, "hidden": 0.20}
"""The paper's rates of dropout, where the study states no others."""
_RATE_NAMES: Mapping[str, Sequence[tuple[str, ...]]] = {
    "attention": (("attention_probs_dropout_prob",), ("attention_dropout",)),
    "hidden": (("hidden_dropout_prob",), ("mlp_dropout", "embedding_dropout"), ("dropout",)),
}
"""What architectures call them; the first that a configuration has."""


def debias(
    base: Base, texts: Texts, entry: Entry, directory: Path, work: Path, device: Device
) -> dict[str, Any]:
    """Write the model to `directory` after training (`train_masked`) on `texts`.

    With method `dropout` it is trained with the entry's rates (options attention, hidden), and the facts have
    `rates` and `rates_before`. published: the model has no pooler, and rates stay in its configuration, so
    that it is fine-tuned with them as well; corrected: it has the base's pooler and rates.
    Raises InputError as `train_masked` does, and for an architecture that has no such rates.
    """
    corrected = entry["protocol"] != PUBLISHED
    before, rates = _dropout_rates(base, entry) if entry["method"] == DROPOUT else ({}, {})
    model = load_base(base, **rates)
    facts = train_masked(model, base, texts, entry, work, device)
    if corrected:
        model.config.update(before)
    save(model, base, entry, directory, keep_pooler=corrected)
    return facts | ({"rates": rates, "rates_before": before} if rates else {})


def _dropout_rates(base: Base, entry: Entry) -> tuple[dict[str, float], dict[str, float]]:
    """The rates of the model's configuration, and those of the entry, by their names in the former."""
    config = from_directory(AutoConfig, base.directory)
    rates: dict[str, float] = {}
    for kind, default in RATES.items():
        known = [names for names in _RATE_NAMES[kind] if all(hasattr(config, name) for name in names)]
        if not known:
            raise InputError(f"{entry['from']}: a {config.model_type} has no rate of {kind} dropout")
        rates |= dict.fromkeys(known[0], entry["options"].get(kind, default))
    return {name: getattr(config, name) for name in rates}, rates


def train_masked(
    model: PreTrainedModel, base: Base, texts: Texts, entry: Entry, work: Path, device: Device
) -> dict[str, Any]:
    """Train `model`, in place, on the lines of `texts` behind those that are held out.

    Examples are blocks of `max_length` tokens with BERT's masking, drawn anew each time. The optimizer is
    AdamW with a rate that falls linearly to 0; the gradient is clipped to norm 1, in protocol published not
    at all, as in the released code. A model that takes fewer tokens than a block has is trained on lines,
    each an example, cut to what the model takes: such a model is made for sentences, and does not know
    running text (a tiny BERT of a world loses 7.7 nats a token on it, on its sentences 0.8).

    work: a folder for states. Returns examples (blocks or lines, and how many), tokens, steps, loss (of each
    tenth of the steps), and held_out: lines, examples, and the loss on them before and after (under one and
    the same masking; None where nothing is held out). Losses are in nats a token.
    Raises InputError where nothing is left to train on, and as `unmask.models.training.train` does.
    """
    training = entry["training"]
    length = min(training["max_length"], base.max_length or training["max_length"])
    in_blocks = length == training["max_length"]
    tokenizer, lines = load_tokenizer(base.directory), lines_of(texts.lines)
    held = _examples(tokenizer, islice(lines, texts.held_out), length, in_blocks)
    examples = _examples(tokenizer, lines, length, in_blocks)
    if not examples:
        raise InputError(
            f"{texts.lines}: no text behind the first {texts.held_out} lines, which are held out"
        )
    masking = Masking.of(tokenizer)
    settings = Settings(
        batch=training["batch"],
        learning_rate=training["learning_rate"],
        steps=steps_of(len(examples), training["batch"], training["epochs"], training["steps"]),
        seed=entry["seed"],
        clip=math.inf if entry["protocol"] == PUBLISHED else 1.0,
    )
    kind = "blocks" if in_blocks else "lines"
    logger.info("%d %s, %d steps", len(examples), kind, settings.steps)
    model.to(device.torch)  # type: ignore[arg-type]
    loss = loss_at_labels(model, tokenizer, device)
    before = held_out_loss(model, held, masking, device, loss)
    # draws from PyTorch's own generator
    losses = train(model, examples, masking.batch, settings, work, device, loss)
    after = held_out_loss(model, held, masking, device, loss)
    return {
        "examples": {"kind": kind, "count": len(examples)},
        "tokens": sum(map(len, examples)),
        "steps": settings.steps,
        "loss": losses,
        "held_out": {"lines": texts.held_out, "examples": len(held), "before": before, "after": after},
    }


def _examples(
    tokenizer: PreTrainedTokenizerBase, lines: Iterable[str], length: int, in_blocks: bool
) -> list[Ids]:
    """Blocks of `length` tokens, special ones included, where a group of lines with fewer is one block; else
    the first `length` tokens of each line."""
    examples: list[Ids] = []
    cut: dict[str, Any] = {} if in_blocks else {"truncation": True, "max_length": length}
    for group in in_batches(lines, GROUP):
        of_lines = tokenizer(group, verbose=False, **cut)["input_ids"]
        if in_blocks:
            ids = [token for line in of_lines for token in line]
            starts = range(0, max(len(ids) - length, 0) + 1, length)
            of_lines = [ids[start : start + length] for start in starts]
        examples += [np.array(ids, dtype=np.int32) for ids in of_lines if ids]
    return examples


def held_out_loss(
    model: PreTrainedModel, held: Sequence[Ids], masking: Masking, device: Device, loss: Loss
) -> float | None:
    """Mean loss of the tokens that are hidden in `held` (always the same), in nats; None where none is."""
    model.eval()  # type: ignore[no-untyped-call]
    generator, longest = torch.Generator().manual_seed(0), max(map(len, held), default=1)
    losses = list[tuple[float, int]]()
    # the masking is drawn for 32 examples at a time, so it does not depend on the batch size
    for examples in in_batches(held, 32):
        batch = {name: each.to(device.torch) for name, each in masking.batch(examples, generator).items()}

        @torch.inference_mode()
        def mean(rows: slice, batch: Batch = batch) -> tuple[float, int]:
            """The mean loss of some rows, and of how many tokens."""
            part = {name: tensor[rows] for name, tensor in batch.items()}
            hidden = int((part["labels"] != IGNORED).sum())
            return (float(loss(model, part)) if hidden else 0.0), hidden

        losses += device.in_parts(len(examples), longest, mean)
    count = sum(hidden for _, hidden in losses)
    return sum(mean * hidden for mean, hidden in losses) / count if count else None
