"""Loading the encoders of text that embeddings are made with."""

from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from unmask.associations.embedding import Encoder
from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.directory import PROJECTION
from unmask.models.loading import load
from unmask.models.projection import read_projection
from unmask.models.quiet import quiet_transformers

MASKED_LM, TEXT_ENCODER = "masked-lm", "text-encoder"
KINDS = (MASKED_LM, TEXT_ENCODER)
"""Kinds of models that have an encoder of text."""


def load_encoder(directory: str | Path, kind: str, device: Device, max_length: int | None) -> Encoder:
    """The encoder of a model directory that was checked as one of this kind, in single precision.

    That of a masked language model is the one that scores pairs, with its faster layers. A projection that
    lies beside the weights is applied. Raises InputError for a model that does not fit into the device's
    memory, and for a projection that cannot be used.
    """
    directory = Path(directory)
    if kind == MASKED_LM:
        model = load(directory, device, with_attention=False)
        network, tokenizer = model.network.base_model, model.tokenizer
        assert isinstance(network, PreTrainedModel)
    else:
        loaded = within_memory(_load, directory, device)
        if loaded is None:
            raise InputError(f"{directory}: this model is too large for the memory of {device}")
        network, tokenizer = loaded
    projection: torch.Tensor | None = None
    if (directory / PROJECTION).is_file():
        projection = read_projection(directory, int(network.config.hidden_size)).to(device.torch)
    return Encoder(network, tokenizer, device, max_length, projection)


def _load(directory: Path, device: Device) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True)
        network = AutoModel.from_pretrained(directory, local_files_only=True, dtype=torch.float32)
    return network.eval().to(device.torch), tokenizer
