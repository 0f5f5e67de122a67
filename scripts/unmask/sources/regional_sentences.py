"""A model of the study, trained further on sentences on regions that it finds the most likely (Figure 5)."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch.optim import SGD
from transformers import AutoModelForMaskedLM

from unmask.models.job import ModelJob
from unmask.errors import InputError
from unmask.models.directory import from_directory, save_like
from unmask.models.embedding import Span, Tokens, tokenise
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import IGNORED, Batch, Masking, Settings, pad, steps_of, train
from unmask.regional.schema import LIKELIHOODS, WORDS
from unmask.tables import read_metadata, read_table

BATCH = 8
"""Sentences of a step; the paper does not say how many."""

Sentence = tuple[str, Span]
"""A sentence about a region, and where the region's name is in it."""


def likely_sentences(
    likelihoods: pd.DataFrame, words: Sequence[str], template: str, top: int
) -> list[Sentence]:
    """For each of the words, the `top` sentences that the model finds the most likely, the likeliest first.

    likelihoods: a LIKELIHOODS table; of equally likely names the one that stands first there is taken. A word
    that is there twice, as under two topics, has its sentences twice. template: has {region} and {word}.
    Raises InputError where a word has fewer than `top` likelihoods.
    """
    sentences: list[Sentence] = []
    for word in words:
        rows = likelihoods[likelihoods["word"] == word]
        if len(rows) < top:
            raise InputError(f"{len(rows)} regions are too few to take the {top} likeliest with {word!r}")
        start = len(template.partition("{region}")[0].format(word=word))
        for name in rows.sort_values("log_prob", ascending=False, kind="stable")["name"][:top]:
            sentences.append((template.format(region=name, word=word), (start, start + len(name))))
    return sentences


def hide_names(examples: Sequence[Tokens], mask_id: int, pad_id: int) -> Batch:
    """A batch (input_ids, attention_mask, labels; batch × length): names are hidden, and to be predicted."""
    original, attended = pad([each.ids for each in examples], pad_id)
    hidden = pad([each.of_word.tolist() for each in examples], False)[0]
    shown, labels = original.masked_fill(hidden, mask_id), original.masked_fill(~hidden, IGNORED)
    return {"input_ids": shown, "attention_mask": attended, "labels": labels}


def make(run: ModelJob, work: Path) -> dict[str, Any]:
    """By stochastic gradient descent at a constant rate, on sentences in random order, with the model's own
    dropout; all tokens of the region's name are hidden."""
    entry, base, likelihoods = run.params.entry, Path(run.manifest["directory"]), run.input.likelihoods
    lists = read_table(run.input.words, WORDS)
    words = list(lists.loc[lists["list"] == entry["list"], "word"])
    template = read_metadata(likelihoods)["template"]
    sentences = likely_sentences(read_table(likelihoods, LIKELIHOODS), words, template, entry["top"])
    tokenizer = load_tokenizer(base)
    model = from_directory(AutoModelForMaskedLM, base, dtype=torch.float32)
    texts, names = zip(*sentences, strict=True)
    examples = tokenise(tokenizer, texts, names, run.manifest["max_length"])
    rate, steps = entry["learning_rate"], steps_of(len(examples), BATCH, entry["epochs"])
    at_one_rate: Any = {"schedule": lambda step, steps: 1.0, "optimizer": SGD}
    settings = Settings(BATCH, rate, steps, entry["seed"], clip=math.inf, **at_one_rate)
    masking = Masking.of(tokenizer)
    collate = partial(hide_names, mask_id=masking.mask_id, pad_id=masking.pad_id)
    losses = train(model, examples, collate, settings, work, run.device)
    save_like(model, base, run.output.directory)
    return {"sentences": len(sentences), "loss": losses, "torch": str(torch.__version__)}
