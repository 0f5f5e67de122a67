"""Text classifiers, which are fit for predicting labels."""

from pathlib import Path

import torch
from transformers import (
    AutoModelForSequenceClassification,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from unmask.errors import InputError
from unmask.labels import Labels
from unmask.models.checking import Kind, load_config

_TITLE = "text classifier"
_ONE_LABEL = "single_label_classification"


def labels_of(config: PretrainedConfig, what: str) -> list[str]:
    """The names of a classifier's labels, in the order of its outputs.

    Raises InputError beginning with `what` where there are fewer than two, or they are not names.
    """
    names = {int(number): str(label) for number, label in (config.id2label or {}).items()}
    labels = [names[number] for number in sorted(names)]
    if len(labels) < 2:
        raise InputError(
            f"{what}: {len(labels)} labels in its config.json (id2label): a classifier has two or more"
        )
    if sorted(names) != list(range(len(labels))):
        raise InputError(
            f"{what}: the labels in its config.json (id2label) are not numbered from 0 without gaps"
        )
    known = Labels()
    for number, label in enumerate(labels):
        if not label.strip():
            raise InputError(f"{what}: label {number} in its config.json (id2label) has no name")
        if labels.index(label) != number:
            raise InputError(f"{what}: two labels in its config.json (id2label) are called {label!r}")
        if fault := known.check(label, f"label {number}"):
            raise InputError(f"{what}: its config.json (id2label): {fault}")
    return labels


def _config(directory: Path, what: str) -> PretrainedConfig:
    """Refused besides is a regression, or a model that gives a text any number of labels."""
    config = load_config(
        directory,
        what,
        MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        _TITLE,
        "only such models predict labels of texts",
        "AutoModelForSequenceClassification",
    )
    problem = getattr(config, "problem_type", None)
    if problem not in (None, _ONE_LABEL):
        raise InputError(f"{what}: problem_type {problem} in its config.json: not one label for each text")
    return config


def _read_texts(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path) -> torch.Tensor:
    """Logits, 2 × labels."""
    # two at a time: some architectures need a padding token for that
    ids = torch.tensor(2 * [tokenizer("a few words of a text")["input_ids"]])
    logits: torch.Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    return logits


def _fault(logits: torch.Tensor, config: PretrainedConfig) -> str | None:
    labels = config.num_labels or 0
    if logits.shape != (2, labels):
        return f"it gives a text {logits.shape[-1]} numbers, and has {labels} labels"
    return "with its config.json it predicts what is not a number" if logits.isnan().any() else None


KIND = Kind(
    _TITLE,
    purpose="predicting labels",
    unread="with its config.json it reads no text",
    config=_config,
    network=lambda config: AutoModelForSequenceClassification,
    probe=_read_texts,
    fault=_fault,
    facts=lambda config, tokenizer, what, entry: {"labels": labels_of(config, what)},
)
check, describe = KIND.check, KIND.describe
