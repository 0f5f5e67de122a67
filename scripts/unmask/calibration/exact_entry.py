"""Exact models as models of a study: from an entry to the model, and what its manifest says."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from unmask.calibration.exact_model import ExactModel
from unmask.calibration.exact_tokens import MASK_TOKEN
from unmask.worlds.corruption import Corruption
from unmask.worlds.grammar import World

MODEL_TYPE = "exact"
BALANCED = "balanced"


def exact_model(name: str, entry: Mapping[str, Any], settings: Mapping[str, Any]) -> ExactModel:
    """The exact model that the entry `name` of a study's models stands for.

    entry: its `world`, `context`, and, where it is given, `text` (balanced: of that world without bias) and
    `corruption` (in place of the world's own); settings: the world's. Raises InputError naming the key where
    a world or a corruption cannot be.
    """
    world = World.from_config(entry["world"], settings)
    if own := entry.get("corruption"):
        corruption = Corruption.checked(f"models.{name}.corruption", own)
    else:
        corruption = Corruption.from_config(world.name, settings)
    balanced = entry.get("text") == BALANCED
    return ExactModel(world.balanced() if balanced else world, corruption, entry["context"])


def described(model: ExactModel) -> dict[str, Any]:
    """What the manifest of an exact model says; its weights are what its answers are computed from."""
    sentences = [(*sentence.words, sentence.probability) for sentence in model.world.sentences]
    return {
        "model_type": MODEL_TYPE,
        # none is learnt, and nothing limits how long a sentence is but the grammar
        "parameters": 0,
        "max_length": None,
        "vocab_size": len(model.tokens.names),
        "mask_token": MASK_TOKEN,
        "files": {},
        "weights_digest": _digest(
            [sentences, model.corruption, model.context, model.tokens.rates(model.recipe).tolist()]
        ),
        "tokenizer_digest": _digest(model.tokens.names),
    }


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()
