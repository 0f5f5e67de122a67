"""A constructed world as files that an ordinary study can name: a model, a grounded test, and regions.

The model is a VisualBERT of one layer with hand-set weights, and its tokenizer.

An axis is a pair of coordinates, + and -, so that vectors have mean 0 and layer norm only sets their length.
Queries and keys are 0, so that all tokens and regions are attended to alike; the value matrix is WEIGHT times
the identity, and the output matrix is the identity. Positions, types and the feed-forward part add nothing.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import BertTokenizer, VisualBertConfig, VisualBertModel

from hand_set_worlds import (
    AXES,
    CATEGORIES,
    SENTENCE,
    WEIGHT,
    WORDS,
    Floats,
    World,
    pictured_words,
    text_of,
    vocabulary,
)
from unmask.associations.read_tests import KEYS
from unmask.associations.terms import SETS, X, Y
from unmask.files import write_text
from unmask.models.quiet import quiet_transformers

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


class Files(NamedTuple):
    """Where the files of a world are."""

    # a model of kind vision-and-language
    model: Path
    # a test in the format grounded
    test: Path
    # {picture}/features: regions × features
    features: Path


def write_world(folder: Path, world: World) -> Files:
    """Write the model, the test and the features of its pictures into a folder, made if it is not there."""
    files = Files(folder / "model", folder / "constructed.jsonl", folder / "features.npz")
    folder.mkdir(parents=True, exist_ok=True)
    with quiet_transformers():
        make_network(world).save_pretrained(files.model)
        make_tokenizer(world).save_pretrained(files.model)
    write_text(files.test, json.dumps(grounded_test(world), indent=2) + "\n")
    regions = {f"{each.image}/features": each.regions.astype(np.float32) for each in pictured_words(world)}
    np.savez(files.features, allow_pickle=False, **regions)
    return files


def grounded_test(world: World) -> dict[str, Any]:
    """The test as one JSON object, as Ross, Katz & Barbu (2021) lay it out."""
    images: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for each in pictured_words(world):
        images[each.cell][each.image] = [each.word]
    groups: dict[str, dict[str, Any]] = {}
    for name in SETS:
        groups[name] = {
            "category": CATEGORIES[name],
            "captions": {word: text_of(world, name, word) for word in WORDS[name]},
        }
        if name in (X, Y):
            groups[name]["images"] = images[name, name]
        else:
            groups[name] |= {f"{CATEGORIES[owner]}_Images": images[name, owner] for owner in (X, Y)}
    return {
        "test_types": ["sentence", "contextual"],
        "test_name": "constructed",
        **{key: groups[name] for name, key in KEYS.items()},
        "contextual_words": [word for name in SETS for word in WORDS[name]],
    }
