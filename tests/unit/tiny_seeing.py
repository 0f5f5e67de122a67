"""A tiny random encoder of text with pictures, for tests."""

from pathlib import Path
from typing import Any

import torch
from transformers import VisualBertConfig, VisualBertModel

from tiny_models import tiny_tokenizer


def tiny_seeing(directory: Path, seed: int = 0, **overrides: Any) -> Path:
    """Save a random VisualBERT and its tokenizer to `directory`.

    Joint embeddings of 32 numbers of texts of up to 128 tokens, with regions of 12 features. No weight is
    zero, or what it counts for would not be seen.
    """
    tokenizer = tiny_tokenizer("bert")
    config = VisualBertConfig(
        **{
            "vocab_size": len(tokenizer),
            "pad_token_id": tokenizer.pad_token_id,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "max_position_embeddings": 128,
            "initializer_range": 0.5,
            "visual_embedding_dim": 12,
            **overrides,
        }
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = VisualBertModel(config)
        with torch.no_grad():
            for weights in model.parameters():
                if not weights.any():
                    weights.normal_(std=0.3)
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory
