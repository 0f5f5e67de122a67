"""Classifiers made from masked language models: the encoder as it is, the head drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

from unmask.errors import InputError
from unmask.models.directory import PROJECTION
from unmask.models.projection import read_projection
from unmask.models.quiet import quiet_transformers

POOLER = "pooler."
"""What the names of a pooler's weights begin with, in those encoders that have it inside."""


@dataclass(frozen=True)
class Start:
    """What fine-tuning begins with."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    initialised: tuple[str, ...]
    """Names of the weights that the model did not have, so that they were drawn at random: the head's, and a
    pooler's where it was saved without one."""


def make_classifier(
    directory: str | Path, labels: Sequence[str] | None, seed: int, frozen: bool = False
) -> Start:
    """A classifier in single precision out of a masked language model's directory, which has been checked.

    labels: their names by number; None for one number, learnt by regression (mean squared error). What the
    model does not have is drawn from `seed`, in the way of its architecture. frozen: only the head can be
    trained: all but the encoder, of which a pooler does not count as part, since other architectures have
    the same layer outside. Where the directory has a `projection.safetensors`, the last hidden states are
    multiplied by it before the head, or a pooler, sees them.
    Raises InputError where transformers has no classifier of this architecture, and for a projection that
    cannot be used.
    """
    directory = Path(directory)
    with quiet_transformers():
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
    with quiet_transformers(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True, truncation_side="right")
        network, loading = AutoModelForSequenceClassification.from_pretrained(
            directory,
            local_files_only=True,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **settings,
        )
    if (directory / PROJECTION).is_file():
        _project(network, read_projection(directory, int(network.config.hidden_size)))
    if frozen:
        for name, weights in network.base_model.named_parameters():
            weights.requires_grad_(name.startswith(POOLER))
    parameters = {name for name, _ in network.named_parameters()}
    drawn = {*loading["missing_keys"], *(str(key[0]) for key in loading["mismatched_keys"])}
    return Start(network, tokenizer, tuple(sorted(drawn & parameters)))


def _project(network: PreTrainedModel, projection: Tensor) -> None:
    """Multiply what the encoder gives by the projection, x → P x, for the head and for a pooler inside."""

    def projected(hidden: Tensor) -> Tensor:
        return linear(hidden, projection.to(hidden.device))

    def of_pooler(_: nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return projected(given[0]), *given[1:]

    def of_encoder(_: nn.Module, __: Any, output: Any) -> Any:
        output.last_hidden_state = projected(output.last_hidden_state)
        return output

    encoder = network.base_model
    pooler = getattr(encoder, POOLER.removesuffix("."), None)
    if pooler is not None:
        pooler.register_forward_pre_hook(of_pooler)
    encoder.register_forward_hook(of_encoder)
