"""Classifiers made from masked language models, and masked language models from fine-tuned classifiers.

A classifier has the encoder as it is, and a head drawn at random; back again the fine-tuned encoder stands
under the head for masked words that its model had before, so that its bias after fine-tuning can be measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.directory import save_like
from unmask.models.tokenizer import load_tokenizer
from unmask.models.tokens import Tokens, padded
from unmask.models.training import Batch


@dataclass(frozen=True)
class Start:
    """What fine-tuning begins with."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    initialised: tuple[str, ...]
    """Names of the weights that the model did not have, so that they were drawn at random: the head's, and a
    pooler's where it was saved without one."""


@dataclass(frozen=True)
class ClassificationDataset:
    """Examples by their number, for `unmask.models.training.train`, with `batch` to collate them."""

    tokens: Tokens
    labels: npt.NDArray[Any]
    """Numbers of labels, or, of a regression, numbers."""
    tokenizer: PreTrainedTokenizerBase

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, number: int, /) -> int:
        return number

    def batch(self, numbers: list[int]) -> Batch:
        """Some of the examples, filled up to the longest of them."""
        labels = torch.from_numpy(self.labels[numbers])
        padding_id, side = self.tokenizer.pad_token_id or 0, self.tokenizer.padding_side
        return padded(self.tokens, numbers, padding_id, side) | {"labels": labels}


def make_classifier(directory: str | Path, labels: Sequence[str] | None, seed: int) -> Start:
    """A classifier in single precision out of a masked language model's directory, which has been checked.

    labels: their names by number; None for one number, learnt by regression (mean squared error). What the
    model does not have is drawn from `seed`, in the way of its architecture.
    Raises InputError where transformers has no classifier of this architecture.
    """
    config = AutoConfig.from_pretrained(directory, local_files_only=True)
    if config.model_type not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES:
        raise InputError(f"transformers has no text classifier of type {config.model_type} to fine-tune")
    settings: dict[str, Any] = {"num_labels": 1, "problem_type": "regression"}
    if labels is not None:
        numbered = dict(enumerate(labels))
        settings = {
            "id2label": numbered,
            "label2id": {label: number for number, label in numbered.items()},
            "problem_type": "single_label_classification",
        }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokenizer = load_tokenizer(directory, truncation_side="right")
        network, loading = AutoModelForSequenceClassification.from_pretrained(
            directory,
            local_files_only=True,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **settings,
        )
    parameters = {name for name, _ in network.named_parameters()}
    initialised = {*loading["missing_keys"], *(str(key[0]) for key in loading["mismatched_keys"])}
    return Start(network, tokenizer, tuple(sorted(initialised & parameters)))


def restore(origin: str | Path, classifier: PreTrainedModel, directory: str | Path) -> None:
    """Write the encoder of `classifier` under the head for masked words of `origin`, all or nothing.

    origin: the directory of the masked language model that was fine-tuned. The result is one like it, in
    single precision: with its tokenizer, its settings, and the head's own weights (dense layer,
    normalisation, the bias over the vocabulary) unchanged. The decoder of most architectures is no weight of
    its own but the table of word embeddings: it stays tied to it, and so changes as fine-tuning changed the
    embeddings; one that is not tied stays the origin's. A classifier's pooler is left out, as masked language
    models have none.
    Raises InputError where the classifier is not of the origin's architecture.
    """
    origin = Path(origin)
    model = AutoModelForMaskedLM.from_pretrained(origin, local_files_only=True, dtype=torch.float32)
    fine_tuned = classifier.base_model.state_dict()
    # in place: what is tied stays tied
    for name, weights in model.base_model.state_dict().items():
        if name not in fine_tuned or fine_tuned[name].shape != weights.shape:
            raise InputError(f"{origin}: the fine-tuned model has no encoder like its own ({name})")
        weights.copy_(fine_tuned[name])
    save_like(model, origin, directory)
