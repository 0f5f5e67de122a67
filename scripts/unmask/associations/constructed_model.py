"""The encoder of a constructed world: a VisualBERT of one layer with hand-set weights, and its tokenizer.

An axis is a pair of coordinates, + and -, so that vectors have mean 0 and layer norm only sets their length.
Queries and keys are 0, so that all tokens and regions are attended to alike; the value matrix is WEIGHT times
the identity, and the output matrix is the identity. Positions, types and the feed-forward part add nothing.
"""

import numpy as np
import torch
from transformers import BertTokenizer, VisualBertConfig, VisualBertModel

from unmask.associations.association import Floats
from unmask.associations.constructed_oracle import WEIGHT
from unmask.associations.constructed_world import AXES, SENTENCE, World, vocabulary

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_LENGTH = 16
"""Tokens that the model takes."""


def make_tokenizer(world: World) -> BertTokenizer:
    """A tokenizer of whole words, of a world's vocabulary."""
    tokens = [*SPECIAL, *vocabulary(world)]
    numbers = {token: number for number, token in enumerate(tokens)}
    return BertTokenizer(vocab=numbers, do_lower_case=False, model_max_length=MAX_LENGTH)


def make_network(world: World) -> VisualBertModel:
    """The encoder, in evaluation mode: features of a region are its meaning, of one number per axis."""
    meanings = _meanings(world)
    config = VisualBertConfig(
        vocab_size=len(meanings),
        hidden_size=2 * len(AXES),
        visual_embedding_dim=len(AXES),
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=MAX_LENGTH,
        pad_token_id=SPECIAL.index("[PAD]"),
    )
    network: VisualBertModel = VisualBertModel(config)
    network.eval()  # type: ignore[no-untyped-call]
    axes = np.kron(np.eye(len(AXES)), [1.0, -1.0])
    attention = "encoder.layer.0.attention"
    weights = {
        "embeddings.word_embeddings.weight": meanings @ axes,
        "embeddings.visual_projection.weight": axes.T,
        f"{attention}.self.value.weight": WEIGHT * np.eye(config.hidden_size),
        f"{attention}.output.dense.weight": np.eye(config.hidden_size),
    }
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name in weights:
                parameter.copy_(torch.from_numpy(weights[name]))
            elif not name.endswith("LayerNorm.weight"):
                parameter.zero_()
    return network


def _meanings(world: World) -> Floats:
    """The meaning of each token: (tokens, axes). [CLS] has the sentence's, and other special tokens none."""
    words = vocabulary(world)
    special = np.zeros((len(SPECIAL), len(AXES)))
    special[SPECIAL.index("[CLS]")] = words[SENTENCE[0]]
    return np.concatenate([special, np.stack(list(words.values()))])
