"""Models that read on: what a model finds likely of regions, it is trained on (Figure 5 of the paper)."""

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from torch.optim import SGD
from transformers import AutoModelForMaskedLM, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.models.directory import directory_written_whole, files_of
from unmask.models.masking import Masking
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer
from unmask.models.training import IGNORED, Batch, Settings, constant, steps_of, train

BATCH = 8
"""Sentences of a step; the paper does not say how many."""


class RegionSentence(NamedTuple):
    """A sentence about a region."""

    text: str
    start: int
    """Where the region's name begins in the text, in characters."""
    end: int
    """Where it ends."""


def region_sentence(template: str, name: str, word: str) -> RegionSentence:
    """The sentence of a name and a word; `template` has {region} and {word}."""
    start = len(template.partition("{region}")[0].format(word=word))
    return RegionSentence(template.format(region=name, word=word), start, start + len(name))


def likely_sentences(
    likelihoods: pd.DataFrame, words: Sequence[str], template: str, top: int
) -> list[RegionSentence]:
    """For each of the words, the `top` sentences that the model finds the most likely, the likeliest first.

    likelihoods: a Likelihoods table, whose `log_prob` counts; of equally likely names the one that stands
    first there is taken. A word that is there twice, as under two topics, has its sentences twice.
    Raises InputError where there are no words, or one has fewer than `top` likelihoods, or one that is not a
    number.
    """
    if not words:
        raise InputError("there are no words of which to take sentences")
    of_word = dict(tuple(likelihoods.dropna(subset=["word"]).groupby("word", sort=False)))
    sentences: list[RegionSentence] = []
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
        sentences += [region_sentence(template, name, word) for name in rows["name"].iloc[likeliest]]
    return sentences


@dataclass(frozen=True)
class RegionMasking:
    """Hides the regions' names: all their tokens are masked in every batch, and to be predicted."""

    mask_id: int
    pad_id: int

    def batch(self, examples: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]]) -> Batch:
        """A batch (input_ids, attention_mask, labels; batch × length) of token ids and which are a name's."""
        shape = len(examples), max(len(ids) for ids, _ in examples)
        original, hidden = np.full(shape, self.pad_id, dtype=np.int64), np.zeros(shape, dtype=bool)
        attended = np.zeros(shape, dtype=np.int64)
        for row, (ids, of_name) in enumerate(examples):
            original[row, : len(ids)], hidden[row, : len(ids)], attended[row, : len(ids)] = ids, of_name, 1
        columns = {
            "input_ids": np.where(hidden, self.mask_id, original),
            "attention_mask": attended,
            "labels": np.where(hidden, original, IGNORED),
        }
        return {name: torch.from_numpy(values) for name, values in columns.items()}


def name_tokens(tokenizer: PreTrainedTokenizerBase, sentence: RegionSentence) -> npt.NDArray[np.bool_]:
    """Of each token of a sentence, special ones included, whether it has characters of the region's name.

    Raises InputError where the tokenizer does not tell which characters a token has, and where no token has
    any of the name's.
    """
    if not tokenizer.is_fast:
        raise InputError("it takes a tokenizer that tells the characters of a token (a fast one)")
    offsets = tokenizer(sentence.text, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    of_name = np.array([start < sentence.end and end > max(start, sentence.start) for start, end in offsets])
    if not of_name.any():
        raise InputError(f"{sentence.text!r}: the region's name has no token to hide")
    return of_name


def train_on(
    base: str | Path,
    sentences: Sequence[RegionSentence],
    directory: str | Path,
    epochs: int,
    learning_rate: float,
    seed: int,
    device: Device,
    max_length: int | None = None,
    work: Path | None = None,
) -> dict[str, Any]:
    """Train the masked language model in `base` on sentences; write it to `directory`, all or nothing.

    By stochastic gradient descent at a constant rate, on batches of BATCH sentences in random order, with the
    model's own dropout. All tokens of the region's name are hidden. A model of more epochs begins as one of
    fewer does. The tokenizer's files are copied. The same seed gives the same weights on the same machine
    with as many threads. work: as of `unmask.models.training.train`.

    Returns sentences (how many), loss (mean of each tenth of the steps, in nats), and torch (its version).
    Raises InputError for a sentence of more than `max_length` tokens, and as `name_tokens` does.
    """
    base = Path(base)
    with quiet_transformers():
        tokenizer = load_tokenizer(base)
        model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, dtype=torch.float32)
    examples = [
        np.array(ids, dtype=np.int32)
        for ids in tokenizer([sentence.text for sentence in sentences], verbose=False)["input_ids"]
    ]
    for sentence, ids in zip(sentences, examples, strict=True):
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"{sentence.text!r} has {len(ids)} tokens, the model takes {max_length}")
    settings = Settings(
        batch=BATCH,
        learning_rate=learning_rate,
        steps=steps_of(len(examples), BATCH, epochs),
        seed=seed,
        clip=math.inf,
        schedule=constant,
        optimizer=SGD,
    )
    masking = Masking.of(tokenizer)
    names = [name_tokens(tokenizer, sentence) for sentence in sentences]
    of_names = list(zip(examples, names, strict=True))
    by_region = RegionMasking(masking.mask_id, masking.pad_id)
    losses = train(model, of_names, by_region.batch, settings, work, device)
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in files_of(base, f"model directory {base}").tokenizer:
            shutil.copyfile(base / name, partial / name)
    return {"sentences": len(sentences), "loss": losses, "torch": str(torch.__version__)}
