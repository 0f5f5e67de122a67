"""Encoders of text with pictures, which are fit for grounded tests."""

from pathlib import Path

import torch
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase, VisualBertModel

from unmask.models.checking import Kind, max_length
from unmask.models.visual_bert import TITLE, config_of, embed


def _read_regions(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, directory: Path
) -> torch.Tensor:
    """The hidden states, 1 × tokens × width, of a text with three synthetic regions."""
    assert isinstance(model, VisualBertModel)
    generator = torch.Generator().manual_seed(0)
    regions = torch.rand(1, 3, model.config.visual_embedding_dim, generator=generator)
    return embed(model, torch.tensor([tokenizer("a few words of a text")["input_ids"]]), regions)


def _fault(embedding: torch.Tensor, config: PretrainedConfig) -> str | None:
    return None if embedding.isfinite().all() else "with its config.json it gives numbers that are not finite"


KIND = Kind(
    TITLE,
    purpose="grounded tests",
    unread="with its config.json it reads no text with a picture",
    config=config_of,
    network=lambda config: VisualBertModel,
    probe=_read_regions,
    fault=_fault,
    # of the text alone
    facts=lambda config, tokenizer, what, entry: {"max_length": max_length(config, tokenizer)},
    fast_tokenizer=True,
)
check, describe = KIND.check, KIND.describe
