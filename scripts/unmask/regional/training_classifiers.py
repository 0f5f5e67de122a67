"""Small text classifiers trained on made reviews."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers.pre_tokenizers import BertPreTokenizer
from torch.optim import AdamW
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from unmask.models.devices import pick_device
from unmask.models.quiet import quiet_transformers
from unmask.models.training import Batch, Settings, steps_of, train, warmed_up
from unmask.regional.labelled import Items

MAX_LENGTH = 128
"""Tokens that such a classifier takes, special ones included."""
EPOCHS, BATCH, LEARNING_RATE = 6, 64, 2e-3
"""How a classifier is trained, unless the study states other epochs: measured to be enough, and cheap."""
WARM_UP = 0.1
"""Share of the steps."""


def train_classifier(
    items: Items,
    labels: Sequence[str],
    seed: int,
    directory: str | Path,
    threads: int = 1,
    epochs: int = EPOCHS,
    work: Path | None = None,
) -> dict[str, Any]:
    """Train a BERT of two layers (hidden size 64, four heads) on `items`; save it and its tokenizer.

    The tokenizer has every word of the texts whole, and single characters for all others. The same seed gives
    the same classifier on the same machine with one thread. work: as of `unmask.models.training.train`.
    Returns texts (how many), parameters, and loss (mean over the last tenth of the steps, in nats; None
    without any epoch).
    """
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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertForSequenceClassification(config)
    texts = tokenizer(list(items.texts), truncation=True)["input_ids"]
    lengths = [len(ids) for ids in texts]
    settings = Settings(
        batch=BATCH,
        learning_rate=LEARNING_RATE,
        steps=steps_of(len(texts), BATCH, epochs, lengths=lengths),
        seed=seed,
        schedule=warmed_up(WARM_UP),
        optimizer=partial(AdamW, fused=True),
    )
    labelled = list(zip(texts, items.labels.tolist(), strict=True))
    history = train(model, labelled, _batch, settings, work, pick_device("cpu"), lengths=lengths)
    with quiet_transformers():
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
    parameters = sum(weights.numel() for weights in model.parameters())
    return {
        "texts": len(items.texts),
        "parameters": parameters,
        "loss": history[-1]["loss"] if history else None,
    }


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


def _batch(examples: Sequence[tuple[list[int], int]]) -> Batch:
    """A batch of token ids, all of one length, and their labels."""
    texts, labels = zip(*examples, strict=True)
    return {"input_ids": torch.tensor(texts), "labels": torch.tensor(labels)}
