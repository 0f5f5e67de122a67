"""Masked language models fine-tuned as text classifiers on a labelled table (Table 5 of the paper)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.models.classifiers import ClassificationDataset, make_classifier
from unmask.models.devices import Device
from unmask.models.saving import save_like
from unmask.models.tokens import takes_types
from unmask.models.training import Settings, steps_of, train
from unmask.regional.labelled import Items


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
    """Fine-tune the masked language model in `base`, which has been checked, and write the classifier to
    `directory`, all or nothing.

    items: texts with the numbers of their `labels`. entry: batch, learning_rate, epochs (0: the head stays as
    it is drawn), max_length and seed. max_length: tokens that the model takes; None for any number. work: as
    of `unmask.models.training.train`. Training is that of downstream tasks: cross-entropy, AdamW, a rate that
    falls linearly to 0, gradients of norm 1 at most. The tokenizer's files are copied.

    Returns texts and truncated (how many), initialised (names of the weights that were drawn at random) and
    loss (mean of each tenth of the steps, in nats). Raises InputError as `make_classifier` and `train` do,
    and for a table in which a label has no text, as the classifier could not learn it.
    """
    base = Path(base)
    for number, label in enumerate(labels):
        if not (items.labels == number).any():
            raise InputError(f"no text to train on has the label {label!r}")
    start = make_classifier(base, labels, entry["seed"])
    longest = min(entry["max_length"], max_length or entry["max_length"])
    types = takes_types(start.network)
    examples = ClassificationDataset.of(start.tokenizer, items.texts, None, items.labels, longest, types)
    steps = steps_of(len(examples), entry["batch"], entry["epochs"])
    settings = Settings(entry["batch"], entry["learning_rate"], steps, entry["seed"])
    losses = train(start.network, examples, examples.batch, settings, work, device)
    save_like(start.network, base, directory)
    return {
        "texts": len(examples),
        "truncated": examples.tokens.truncated,
        "initialised": list(start.initialised),
        "loss": losses,
    }
