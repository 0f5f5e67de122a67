"""Small text classifiers trained on made reviews."""

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from tokenizers.pre_tokenizers import BertPreTokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from unmask.models.quiet import quiet_transformers
from unmask.regional.labelled import Items

logger = logging.getLogger(__name__)

MAX_LENGTH = 128
"""Tokens that such a classifier takes, special ones included."""


@dataclass(frozen=True)
class Recipe:
    """How a classifier is trained: what was measured to be enough, and cheap."""

    epochs: int = 6
    batch: int = 64
    learning_rate: float = 2e-3
    warm_up: float = 0.1
    """Share of the steps."""


def train_classifier(
    items: Items,
    labels: Sequence[str],
    seed: int,
    directory: str | Path,
    threads: int = 1,
    recipe: Recipe | None = None,
) -> dict[str, Any]:
    """Train a BERT of two layers (hidden size 64, four heads) on `items`; save it and its tokenizer.

    The tokenizer has every word of the texts whole, and single characters for all others. The same seed gives
    the same classifier on the same machine with one thread.
    Returns texts (how many), parameters, and loss (mean over the last epoch, in nats).
    """
    recipe = recipe or Recipe()
    torch.set_num_threads(threads)
    tokenizer = make_tokenizer(items.texts)
    numbered = dict(enumerate(labels))
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=MAX_LENGTH,
        pad_token_id=tokenizer.pad_token_id,
        id2label=numbered,
        label2id={label: number for number, label in numbered.items()},
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        # for first weights and dropout
        torch.manual_seed(seed)
        model = BertForSequenceClassification(config)
        loss = _fit(model.train(), tokenizer, items, recipe, generator)
    with quiet_transformers():
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
    parameters = sum(weights.numel() for weights in model.parameters())
    return {"texts": len(items.texts), "parameters": parameters, "loss": loss}


def make_tokenizer(texts: Sequence[str]) -> BertTokenizer:
    """A WordPiece tokenizer: every word of the texts, and every character of theirs and of Latin letters."""
    split = BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    letters = sorted({*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *"".join(words)})
    pieces = [*words, *letters, *(f"##{letter}" for letter in letters)]
    tokens = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    # accents are letters of their own
    return BertTokenizer(
        vocab=vocabulary, do_lower_case=False, strip_accents=False, model_max_length=MAX_LENGTH
    )


def _fit(
    model: BertForSequenceClassification,
    tokenizer: BertTokenizer,
    items: Items,
    recipe: Recipe,
    generator: torch.Generator,
) -> float:
    """Train the model; the mean loss of the last epoch."""
    texts = tokenizer(list(items.texts), truncation=True)["input_ids"]
    epochs = [list(_batches(texts, recipe.batch, generator)) for _ in range(recipe.epochs)]
    steps = sum(len(batches) for batches in epochs)
    warm_up = max(1, round(recipe.warm_up * steps))
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / warm_up, (steps - s) / max(1, steps - warm_up))
    )
    targets = torch.from_numpy(items.labels)
    losses = [math.nan]
    for number, batches in enumerate(epochs, start=1):
        losses = []
        for places in batches:
            ids = torch.tensor([texts[place] for place in places.tolist()])
            loss = cross_entropy(model(input_ids=ids).logits, targets[places])
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item())
        logger.info("training a classifier: epoch %d of %d, loss %.3f", number, recipe.epochs, fmean(losses))
    return fmean(losses)


def _batches(texts: Sequence[Sequence[int]], size: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Places of texts of one length, in random order: every text once."""
    by_length: dict[int, list[Tensor]] = {}
    for place in torch.randperm(len(texts), generator=generator):
        by_length.setdefault(len(texts[int(place)]), []).append(place)
    tables = [torch.stack(places) for _, places in sorted(by_length.items())]
    batches = [rows[at : at + size] for rows in tables for at in range(0, len(rows), size)]
    for number in torch.randperm(len(batches), generator=generator).tolist():
        yield batches[number]
