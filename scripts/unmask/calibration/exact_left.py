"""A perfect causal language model of a world: what every token is, given those before it, exactly.

A model that has learnt all of its text says of each token, from nothing but what stands before it,

    P(x_t = w | x_<t) = Σ_{x that begins with x_<t, w} P(x) / Σ_{x that begins with x_<t} P(x),

which is computed here by summing over all sentences of the grammar. Before the first token stands the start
token, which begins every sentence and tells nothing.
"""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from unmask.calibration.exact_model import BALANCED, MODEL_TYPE, ExactTokens, Floats, Ids, digest_of
from unmask.worlds.grammar import World

START_TOKEN = "<|endoftext|>"
"""That of the decoders that are trained on a world."""

Beginning = tuple[int, ...]


class ExactLeftModel:
    """What a causal language model of a world answers that has learnt all of its text.

    Tokens are numbers of `tokens`; sequences come without the start token.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.tokens = ExactTokens(world)
        self.start = len(self.tokens.content)
        """The number of the start token."""
        self.names = (*self.tokens.content, START_TOKEN)
        """Every token by its number."""

    def knows(self, ids: Beginning) -> bool:
        """Whether a sequence of tokens is a sentence of the grammar."""
        # a full stop ends each sentence, so that none begins another
        return bool(ids) and ids not in self._following and ids[-1] in self._following.get(ids[:-1], {})

    def with_specials(self, ids: Beginning) -> Ids:
        """A sequence behind the start token."""
        return np.array([self.start, *ids])

    def is_first(self, token: int) -> bool:
        """Whether a sentence of the grammar begins with this token."""
        return token in self._following[()]

    def following(self, beginning: Beginning) -> Floats:
        """P(token | those before it), one number for each token of the world.

        Raises ValueError where no sentence of the grammar goes on behind this beginning.
        """
        if beginning not in self._following:
            raise ValueError(f"no sentence of the grammar goes on behind the tokens {beginning}")
        masses = self._following[beginning]
        answers = np.zeros(len(self.tokens.content))
        answers[list(masses)] = list(masses.values())
        shares: Floats = answers / math.fsum(masses.values())
        return shares

    @cached_property
    def _following(self) -> dict[Beginning, dict[int, float]]:
        """The probability that a sentence begins so and goes on with a token, by beginning and token."""
        parts: dict[Beginning, dict[int, list[float]]] = {}
        for words, probability in self.world.sentences:
            ids = self.tokens.numbered(words)
            for place, token in enumerate(ids):
                parts.setdefault(ids[:place], {}).setdefault(token, []).append(probability)
        return {
            beginning: {token: math.fsum(masses) for token, masses in of_token.items()}
            for beginning, of_token in parts.items()
        }


def exact_left_model(entry: Mapping[str, Any], settings: Mapping[str, Any]) -> ExactLeftModel:
    """The exact model of an entry of kind causal-lm: of its `world` and, where it is given, `text`.

    settings: the world's. Raises InputError naming the key where a world cannot be.
    """
    world = World.from_config(entry["world"], settings)
    return ExactLeftModel(world.balanced() if entry.get("text") == BALANCED else world)


def described_left(model: ExactLeftModel) -> dict[str, Any]:
    """What the manifest of an exact causal language model says."""
    sentences = [(*sentence.words, sentence.probability) for sentence in model.world.sentences]
    return {
        "model_type": MODEL_TYPE,
        # none is learnt, and nothing limits how long a sentence is but the grammar
        "parameters": 0,
        "max_length": None,
        "vocab_size": len(model.names),
        "start": {"token": START_TOKEN, "id": model.start, "reason": "every sentence of its world begins so"},
        "files": {},
        "weights_digest": digest_of(["left", sentences]),
        "tokenizer_digest": digest_of(model.names),
    }
