"""Reading the model that is debiased, and writing the debiased one: a model directory like any other."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModel, AutoModelForMaskedLM, PreTrainedModel

from unmask.debiasing.data import Base, Entry
from unmask.errors import InputError
from unmask.models.directory import from_directory, save_like

POOLER = "pooler"


def load_base(base: Base, **settings: Any) -> PreTrainedModel:
    """The masked language model in `base` in single precision, with these settings of its configuration."""
    model: PreTrainedModel = from_directory(
        AutoModelForMaskedLM, base.directory, dtype=torch.float32, **settings
    )
    return model


def save(model: PreTrainedModel, base: Base, entry: Entry, directory: str | Path, keep_pooler: bool) -> None:
    """Write a debiased masked language model with its configuration to `directory`, all or nothing.

    The tokenizer's files are those of `base`. keep_pooler: writes the base's pooler too, where its checkpoint
    has one: a masked language model has none, and without it fine-tuning would draw a new one at random.
    Raises InputError for weights that are all as in `base`.
    """
    # training may have left the model on a GPU
    model.to(torch.device("cpu"))  # type: ignore[arg-type]
    before = dict(load_base(base).named_parameters())
    if all(torch.equal(weights, before[name]) for name, weights in model.named_parameters()):
        made = f"{entry['from']}, from which it is made: {entry['method']} changed nothing"
        raise InputError(f"its weights are those of {made}")
    pooler = pooler_of(base.directory, model.base_model_prefix) if keep_pooler else {}
    weights = model.state_dict() | pooler
    # one file, however large
    save_like(model, base.directory, directory, state_dict=weights, max_shard_size="1000GB")


def pooler_of(directory: Path, prefix: str) -> dict[str, Tensor]:
    """The weights of the pooler in a model directory's checkpoint, in float32; none where it has no pooler.

    Their names are those that they have in a model whose encoder is called `prefix` (`bert`, `roberta` …).
    """
    # what a checkpoint lacks is drawn at random
    with torch.random.fork_rng(devices=[]):
        encoder, loading = from_directory(AutoModel, directory, dtype=torch.float32, output_loading_info=True)
    pooler = {name: tensor for name, tensor in encoder.state_dict().items() if POOLER in name.split(".")}
    if not pooler.keys().isdisjoint(loading["missing_keys"]):
        return {}
    return {f"{prefix}.{name}": tensor for name, tensor in pooler.items()}
