"""Models that read on: what a model finds likely of regions, it is trained on (Figure 5 of the paper)."""

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.optim import SGD
from transformers import AutoModelForMaskedLM, AutoTokenizer

from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.models.directory import directory_written_whole, files_of
from unmask.models.masking import Masking
from unmask.models.quiet import quiet_transformers
from unmask.models.training import Settings, constant, steps_of, train

BATCH = 8
"""Sentences of a step; the paper does not say how many."""


def likely_sentences(likelihoods: pd.DataFrame, words: Sequence[str], template: str, top: int) -> list[str]:
    """For each of the words, the `top` sentences that the model finds the most likely, the likeliest first.

    likelihoods: a Likelihoods table, whose `log_prob` counts; of equally likely names the one that stands
    first there is taken. A word that is there twice, as under two topics, has its sentences twice.
    Raises InputError where there are no words, or one has fewer than `top` likelihoods, or one that is not a
    number.
    """
    if not words:
        raise InputError("there are no words of which to take sentences")
    of_word = dict(tuple(likelihoods.dropna(subset=["word"]).groupby("word", sort=False)))
    sentences = []
    for word in words:
        if word not in of_word:
            raise InputError(f"no likelihoods of sentences with the word {word!r}")
        rows = of_word[word]
        log_probs = rows["log_prob"].to_numpy(np.float64)
        if np.isnan(log_probs).any():
            name = rows["name"].iloc[int(np.isnan(log_probs).argmax())]
            raise InputError(f"the likelihood of {name!r} with the word {word!r} is not a number")
        if len(rows) < top:
            raise InputError(f"{len(rows)} regions are too few to take the {top} likeliest of each word")
        likeliest = np.argsort(-log_probs, kind="stable")[:top]
        sentences += [template.format(region=name, word=word) for name in rows["name"].iloc[likeliest]]
    return sentences


def train_on(
    base: str | Path,
    sentences: Sequence[str],
    directory: str | Path,
    epochs: int,
    learning_rate: float,
    seed: int,
    device: Device,
    max_length: int | None = None,
    work: Path | None = None,
) -> dict[str, Any]:
    """Train the masked language model in `base` on sentences; write it to `directory`, all or nothing.

    By stochastic gradient descent at a constant rate, on batches of BATCH sentences in random order, with
    BERT's masking drawn anew each time and the model's own dropout. A model of more epochs begins as one of
    fewer does. The tokenizer's files are copied. The same seed gives the same weights on the same machine
    with as many threads. work: as of `unmask.models.training.train`.

    Returns sentences (how many), loss (mean of each tenth of the steps, in nats), and torch (its version).
    Raises InputError for a sentence of more than `max_length` tokens.
    """
    base = Path(base)
    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
        model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, dtype=torch.float32)
    examples = [
        np.array(ids, dtype=np.int32) for ids in tokenizer(list(sentences), verbose=False)["input_ids"]
    ]
    for sentence, ids in zip(sentences, examples, strict=True):
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"{sentence!r} has {len(ids)} tokens, the model takes {max_length}")
    settings = Settings(
        batch=BATCH,
        learning_rate=learning_rate,
        steps=steps_of(len(examples), BATCH, epochs),
        seed=seed,
        clip=math.inf,
        schedule=constant,
        optimizer=SGD,
    )
    losses = train(model, examples, Masking.of(tokenizer).batch, settings, work, device)
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in files_of(base, f"model directory {base}").tokenizer:
            shutil.copyfile(base / name, partial / name)
    return {"sentences": len(sentences), "loss": losses, "torch": str(torch.__version__)}
