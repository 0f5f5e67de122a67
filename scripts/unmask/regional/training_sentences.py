"""Models that read on: what a model finds likely of regions, it is trained on (Figure 5 of the paper)."""

import logging
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.corrupting import corrupt
from unmask.models.devices import Device
from unmask.models.directory import directory_written_whole, files_of
from unmask.models.quiet import quiet_transformers

logger = logging.getLogger(__name__)

CHOSEN = 0.15
"""Share of the tokens that are to be predicted."""
SHARES = (0.8, 0.1, 0.1)
"""Of these, those that are masked, kept and made random."""
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
) -> dict[str, Any]:
    """Train the masked language model in `base` on sentences; write it to `directory`, all or nothing.

    By stochastic gradient descent at a constant rate, on batches of BATCH sentences in random order, with
    BERT's masking (CHOSEN, SHARES) drawn anew each time and the model's own dropout. A model of more epochs
    begins as one of fewer does. The tokenizer's files are copied. The same seed gives the same weights on the
    same machine with as many threads.

    Returns sentences (how many), loss (mean over each epoch, in nats), and torch (its version).
    Raises InputError for a sentence of more than `max_length` tokens.
    """
    base = Path(base)
    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
        model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, dtype=torch.float32)
    for sentence in dict.fromkeys(sentences):
        length = len(tokenizer(sentence, verbose=False)["input_ids"])
        if max_length is not None and length > max_length:
            raise InputError(f"{sentence!r} has {length} tokens, the model takes {max_length}")
    with torch.random.fork_rng(devices=[] if device.torch.type == "cpu" else [device.torch]):
        # for dropout
        torch.manual_seed(seed)
        losses = _fit(model.train().to(device.torch), tokenizer, sentences, epochs, learning_rate, seed)
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in files_of(base, f"model directory {base}").tokenizer:
            shutil.copyfile(base / name, partial / name)
    return {"sentences": len(sentences), "loss": losses, "torch": str(torch.__version__)}


def _fit(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    sentences: Sequence[str],
    epochs: int,
    learning_rate: float,
    seed: int,
) -> list[float]:
    """Train the model; the mean loss of each epoch."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    special = sorted(set(tokenizer.all_special_ids))
    rates = torch.full((len(tokenizer),), CHOSEN)
    rates[special] = 0.0
    ordinary = torch.tensor(sorted(set(range(len(tokenizer))) - set(special)))
    losses = []
    for epoch in range(1, epochs + 1):
        found = []
        for places in torch.randperm(len(sentences), generator=generator).split(BATCH):  # type: ignore[no-untyped-call]
            batch = tokenizer(
                [sentences[place] for place in places.tolist()], padding=True, return_tensors="pt"
            )
            original = batch["input_ids"]
            corrupted, chosen = corrupt(original, rates, ordinary, tokenizer.mask_token_id, SHARES, generator)
            if not chosen.any():
                continue
            logits = model(
                input_ids=corrupted.to(model.device), attention_mask=batch["attention_mask"].to(model.device)
            ).logits
            at = chosen.to(model.device)
            loss = cross_entropy(logits[at], original.to(model.device)[at])
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            found.append(loss.item())
        losses.append(fmean(found) if found else math.nan)
        logger.info("epoch %d of %d: loss %.4f", epoch, epochs, losses[-1])
    return losses
