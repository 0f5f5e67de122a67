"""Models trained further: on the sentences about regions that they find likely, and as classifiers of texts.

The first is Figure 5 of the paper, the second its Table 5.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.optim import SGD
from transformers import AutoModelForMaskedLM

from unmask.errors import InputError
from unmask.models.classifiers import ClassificationDataset, make_classifier, takes_types
from unmask.models.classifiers import tokenise as tokens_of
from unmask.models.devices import Device
from unmask.models.directory import save_like
from unmask.models.embedding import Span, tokenise
from unmask.models.masking import Masking
from unmask.models.poolings import Tokens
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import IGNORED, Batch, Settings, steps_of, train
from unmask.regional.labelled import Items

BATCH = 8
"""Sentences of a step; the paper does not say how many."""

Sentence = tuple[str, Span]
"""A sentence about a region, and where the region's name is in it."""


def region_sentence(template: str, name: str, word: str) -> Sentence:
    """The sentence of a name and a word; `template` has {region} and {word}."""
    start = len(template.partition("{region}")[0].format(word=word))
    return template.format(region=name, word=word), (start, start + len(name))


def likely_sentences(
    likelihoods: pd.DataFrame, words: Sequence[str], template: str, top: int
) -> list[Sentence]:
    """For each of the words, the `top` sentences that the model finds the most likely, the likeliest first.

    likelihoods: a LIKELIHOODS table; of equally likely names the one that stands first there is taken. A word
    that is there twice, as under two topics, has its sentences twice.
    Raises InputError where a word has fewer than `top` likelihoods.
    """
    sentences: list[Sentence] = []
    for word in words:
        rows = likelihoods[likelihoods["word"] == word]
        if len(rows) < top:
            raise InputError(f"{len(rows)} regions are too few to take the {top} likeliest with {word!r}")
        likeliest = rows.sort_values("log_prob", ascending=False, kind="stable")["name"][:top]
        sentences += [region_sentence(template, name, word) for name in likeliest]
    return sentences


def hide_names(examples: Sequence[Tokens], mask_id: int, pad_id: int) -> Batch:
    """A batch (input_ids, attention_mask, labels; batch × length): names are hidden, and to be predicted."""
    ids = [torch.tensor(each.ids) for each in examples]
    original = pad_sequence(ids, batch_first=True, padding_value=pad_id)
    attended = pad_sequence([torch.ones_like(each) for each in ids], batch_first=True)
    hidden = pad_sequence([torch.from_numpy(each.of_word) for each in examples], batch_first=True)
    return {
        "input_ids": original.masked_fill(hidden, mask_id),
        "attention_mask": attended,
        "labels": original.masked_fill(~hidden, IGNORED),
    }


def train_on(
    base: str | Path,
    sentences: Sequence[Sentence],
    directory: str | Path,
    entry: Mapping[str, Any],
    device: Device,
    max_length: int | None = None,
    work: Path | None = None,
) -> dict[str, Any]:
    """Train the masked language model in `base` on sentences; write it to `directory`, all or nothing.

    By stochastic gradient descent at a constant rate, on batches of BATCH sentences in random order, with the
    model's own dropout. All tokens of the region's name are hidden. A model of more epochs begins as one of
    fewer does. entry: epochs, learning_rate and seed; max_length: tokens that the model takes. work: as of
    `unmask.models.training.train`. The same seed gives the same weights on the same machine with as many
    threads.

    Returns sentences (how many), loss (mean of each tenth of the steps, in nats), and torch (its version).
    Raises InputError as `unmask.models.embedding.tokenise` does.
    """
    tokenizer = load_tokenizer(base)
    model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, dtype=torch.float32)
    texts, names = zip(*sentences, strict=True)
    examples = tokenise(tokenizer, texts, names, max_length)
    settings = Settings(
        batch=BATCH,
        learning_rate=entry["learning_rate"],
        steps=steps_of(len(examples), BATCH, entry["epochs"]),
        seed=entry["seed"],
        clip=math.inf,
        schedule=lambda step, steps: 1.0,
        optimizer=SGD,
    )
    masking = Masking.of(tokenizer)
    batch = partial(hide_names, mask_id=masking.mask_id, pad_id=masking.pad_id)
    losses = train(model, examples, batch, settings, work, device)
    save_like(model, Path(base), directory)
    return {"sentences": len(sentences), "loss": losses, "torch": str(torch.__version__)}


def fine_tune_on(
    base: str | Path,
    items: Items,
    labels: Sequence[str],
    directory: str | Path,
    entry: Mapping[str, Any],
    device: Device,
    max_length: int | None = None,
    work: Path | None = None,
) -> dict[str, Any]:
    """Fine-tune the masked language model in `base` as a classifier; write it to `directory`, all or nothing.

    items: texts with the numbers of their `labels`. entry: batch, learning_rate, epochs (0: the head stays as
    it is drawn), max_length and seed. max_length, work: as of `train_on`. Training is that of downstream
    tasks: cross-entropy, AdamW, a rate that falls linearly to 0, gradients of norm 1 at most.

    Returns texts and truncated (how many), initialised (names of the weights that were drawn at random) and
    loss (mean of each tenth of the steps, in nats). Raises InputError as `make_classifier` and `train` do,
    and for a table in which a label has no text, as the classifier could not learn it.
    """
    for number, label in enumerate(labels):
        if not (items.labels == number).any():
            raise InputError(f"no text to train on has the label {label!r}")
    start = make_classifier(base, labels, entry["seed"])
    longest = min(entry["max_length"], max_length or entry["max_length"])
    types = takes_types(start.network)
    tokens = tokens_of(start.tokenizer, items.texts, None, longest, types)
    examples = ClassificationDataset(tokens, items.labels, start.tokenizer)
    steps = steps_of(len(examples), entry["batch"], entry["epochs"])
    settings = Settings(entry["batch"], entry["learning_rate"], steps, entry["seed"])
    losses = train(start.network, examples, examples.batch, settings, work, device)
    save_like(start.network, Path(base), directory)
    return {
        "texts": len(examples),
        "truncated": tokens.truncated,
        "initialised": list(start.initialised),
        "loss": losses,
    }
