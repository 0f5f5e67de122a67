"""Text classifiers: checking that a directory holds one fit for predicting labels, and describing it."""

import logging
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForSequenceClassification,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from unmask.errors import InputError
from unmask.labels import Labels, fault_of
from unmask.models.checking import (
    check_vocabulary,
    describe_files,
    first_line,
    load_config,
    load_network,
    load_tokenizer,
    refuse_characters_as_special,
)
from unmask.models.directory import files_of
from unmask.models.quiet import quiet_transformers

logger = logging.getLogger(__name__)

_KIND = "text classifier"
_ONE_LABEL = "single_label_classification"


def check(directory: str | Path, name: str) -> None:
    """Load a model as predicting will, and raise InputError naming the model where it is not fit for it.

    Refused are: what is not a model directory; an architecture that transformers has no head for texts for;
    a regression, or a model that gives a text any number of labels; fewer than two labels, or some that
    cannot be told apart; weights that are broken or missing, as those of a head that was never trained; a
    tokenizer with more tokens than the model has embeddings; settings with which the model reads nothing.
    """
    directory = Path(directory)
    what = f"model {name}"
    files = files_of(directory, what)
    with quiet_transformers():
        config, tokenizer = _config(directory, what), _tokenizer(directory, what)
        labels = labels_of(config, what)
        model = load_network(AutoModelForSequenceClassification, directory, files, what, _KIND)
    check_vocabulary(model, tokenizer, what)
    _check_reading(model, tokenizer, len(labels), what)
    logger.info("%s: %s that predicts one of: %s", what, config.model_type, ", ".join(labels))


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
        if fault := fault_of(label) or known.check(label, f"label {number}"):
            raise InputError(f"{what}: its config.json (id2label): {fault}")
    return labels


def _config(directory: Path, what: str) -> PretrainedConfig:
    config = load_config(
        directory,
        what,
        MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        _KIND,
        "only such models predict labels of texts",
    )
    problem = getattr(config, "problem_type", None)
    if problem not in (None, _ONE_LABEL):
        raise InputError(f"{what}: problem_type {problem} in its config.json: not one label for each text")
    return config


def _tokenizer(directory: Path, what: str) -> PreTrainedTokenizerBase:
    tokenizer = load_tokenizer(directory, what)
    refuse_characters_as_special(tokenizer, what)
    return tokenizer


def _check_reading(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, labels: int, what: str
) -> None:
    """Raise InputError where the model does not read so much as a few words."""
    try:
        # two at a time: some architectures need a padding token for that
        ids = torch.tensor(2 * [tokenizer("a few words of a text")["input_ids"]])
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
    except Exception as error:  # whatever odd settings lead to in some architecture
        raise InputError(f"{what}: with its config.json it reads no text: {first_line(error)}") from None
    if logits.shape != (2, labels):
        raise InputError(f"{what}: it gives a text {logits.shape[-1]} numbers, and has {labels} labels")
    if logits.isnan().any():
        raise InputError(f"{what}: with its config.json it predicts what is not a number")


def describe(directory: str | Path) -> dict[str, Any]:
    """What a model directory holds: its manifest, the same on every machine.

    What `unmask.models.checking.describe_files` says, with labels: their names, in the order of the outputs.
    Raises InputError where it is not the directory of a text classifier.
    """
    directory = Path(directory)
    what = f"model directory {directory}"
    files_of(directory, what)
    with quiet_transformers():
        config, tokenizer = _config(directory, what), _tokenizer(directory, what)
    return {
        **describe_files(AutoModelForSequenceClassification, directory, config, tokenizer),
        "labels": labels_of(config, what),
    }
