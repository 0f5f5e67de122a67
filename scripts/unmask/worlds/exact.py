"""Perfect language models of a world: what every token is, given all the others or those before it, exactly.

Training draws a sentence x of the grammar and chooses some of its tokens. Of the chosen ones it masks some,
keeps some, and puts a random one, uniform over the V tokens of the world, in the place of the rest: with w a
token and y what is shown of it,

    C(y|w) = masked·[y is a mask] + (kept·[y = w] + random/V)·[y is a token]    where w was chosen,
    f(y|w) = [y is w or a mask]                                                 elsewhere.

What is asked is always what stood at a chosen place:

    P(x_i = w | y) ∝ C(y_i|w) · Σ_{x as long as y, x_i = w} P(x) Π_{j≠i} f(y_j|x_j),

which is computed here by summing over all sentences of the grammar. It is the limit when tokens are chosen
ever more seldom: the other tokens that are seen are what they seem, and a mask hides and tells nothing.

A causal model, from nothing but what stands before a token, says of it

    P(x_t = w | x_<t) = Σ_{x that begins with x_<t, w} P(x) / Σ_{x that begins with x_<t} P(x).

Before the first token stands the start token, which begins every sentence and tells nothing.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unmask.models.detecting import CAUSAL_LM
from unmask.worlds.grammar import SPLIT_PEOPLES, World
from unmask.worlds.recipe import Corruption

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

FULL_STOP = "."
MASK_TOKEN, FIRST_TOKEN, LAST_TOKEN = "[MASK]", "[CLS]", "[SEP]"

GOES_ON = "##"
"""What a token begins with that goes on with a word, as WordPiece marks it."""

MODEL_TYPE = "exact"

AT_ONCE = 32
"""Sequences that are computed at a time: some tens of megabytes."""


class ExactTokens:
    """The tokens of a world by number: those that stand in sentences, sorted, then the three special ones."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.content = tuple(sorted({piece for word in world.words for piece in pieces_of(word)}))
        """The tokens that stand in sentences; their numbers are their places."""
        self.mask, self.first, self.last = range(len(self.content), len(self.content) + 3)
        self.names = (*self.content, MASK_TOKEN, FIRST_TOKEN, LAST_TOKEN)
        """Every token by its number."""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.content)}

    @cached_property
    def _numbers_of_words(self) -> dict[str, tuple[int, ...]]:
        return {word: tuple(self._numbers[piece] for piece in pieces_of(word)) for word in self._world.words}

    def numbered(self, words: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the tokens of words. Raises KeyError for a word that the world has not."""
        return tuple(number for word in words for number in self._numbers_of_words[word])

    def read(self, text: str) -> tuple[int, ...]:
        """The numbers of the tokens of a sentence as it is written. Raises KeyError as `numbered` does."""
        ends = text.endswith(FULL_STOP)
        words = text.removesuffix(FULL_STOP).split()
        return self.numbered([*words, FULL_STOP] if ends else words)


def pieces_of(word: str) -> tuple[str, ...]:
    """The tokens of a word, those that go on with it marked."""
    first, *rest = SPLIT_PEOPLES.get(word, (word,))
    return (first, *(f"{GOES_ON}{piece}" for piece in rest))


class _Table(NamedTuple):
    """The sentences of one length: sentences × tokens, and their probabilities."""

    ids: Ids
    probability: Floats


class ExactModel:
    """What a model of a world answers that has learnt all that its training could teach it.

    Tokens are numbers of `tokens`; sequences come without the special tokens around them.
    """

    def __init__(self, world: World, corruption: Corruption) -> None:
        self.world, self.corruption = world, corruption
        self.tokens = ExactTokens(world)
        rows: dict[int, list[tuple[tuple[int, ...], float]]] = {}
        for words, probability in world.sentences:
            ids = self.tokens.numbered(words)
            rows.setdefault(len(ids), []).append((ids, probability))
        self._tables = {
            length: _Table(np.array([ids for ids, _ in of_length]), np.array([p for _, p in of_length]))
            for length, of_length in rows.items()
        }
        self._sentences = frozenset(ids for of_length in rows.values() for ids, _ in of_length)
        tokens = len(self.tokens.content)
        # how likely each token (and, last, a mask) is to be shown of each token: (tokens + 1) × tokens
        self._emission = np.vstack([np.eye(tokens), np.ones(tokens)])

    @property
    def answers_unmasked(self) -> bool:
        """Whether training asks for tokens that it shows; else nothing says what the answer there is."""
        return self.corruption.kept + self.corruption.random > 0

    @property
    def names(self) -> tuple[str, ...]:
        """Every token by its number."""
        return self.tokens.names

    def knows(self, ids: tuple[int, ...]) -> bool:
        """Whether a sequence of tokens is a sentence of the grammar."""
        return ids in self._sentences

    def with_specials(self, ids: tuple[int, ...]) -> Ids:
        """A sequence between the special tokens."""
        return np.array([self.tokens.first, *ids, self.tokens.last])

    def around(self, inputs: Ids) -> Floats:
        """P(token | all tokens but the one in its place): inputs × length × tokens of the world.

        inputs: sequences of one length, masks among them: inputs × length. What stands in a place itself has
        no part in what is said of it, so this is the answer at a mask, and what would be the answer if any
        one token were hidden. NaN where no sentence of the grammar can have led to the other tokens.
        Raises ValueError where no sentence of the grammar is as long.
        """
        if inputs.shape[1] not in self._tables:
            raise ValueError(f"no sentence of the grammar has {inputs.shape[1]} tokens")
        parts = [self._around(inputs[start : start + AT_ONCE]) for start in range(0, len(inputs), AT_ONCE)]
        return np.concatenate(parts)

    def unmasked(self, around: Floats, ids: Ids) -> Floats:
        """P(token | all tokens, the one in its place, too), of the shape of `around`.

        around: as the method gives it for `ids`, which hold no masks. NaN where no sentence of the grammar
        can have led to these tokens.
        Raises ValueError where training never asks for a token that it shows.
        """
        if not self.answers_unmasked:
            raise ValueError("nothing is kept or made random: no unmasked token is ever asked for")
        random = self.corruption.random / len(self.tokens.content)
        weights = around * random
        visible = ids[..., None]
        probability = np.take_along_axis(around, visible, axis=-1)
        np.put_along_axis(weights, visible, probability * (self.corruption.kept + random), axis=-1)
        return _normalised(weights)

    def _around(self, inputs: Ids) -> Floats:
        """`around` of a few inputs."""
        table, probability = self._tables[inputs.shape[1]]
        # by place: how likely it is to be shown what it is shown, inputs × sentences
        likelihoods = [self._emission[np.ix_(inputs[:, i], table[:, i])] for i in range(inputs.shape[1])]
        after = [np.ones_like(likelihoods[0])]
        for factor in reversed(likelihoods[1:]):
            after.append(after[-1] * factor)
        before = np.broadcast_to(probability, likelihoods[0].shape)
        tokens = len(self.tokens.content)
        answers = np.empty((*inputs.shape, tokens))
        first = tokens * np.arange(len(inputs))[:, None]
        for i, factor in enumerate(likelihoods):
            others = before * after.pop()
            sums = np.bincount((first + table[:, i]).ravel(), others.ravel(), len(inputs) * tokens)
            answers[:, i] = sums.reshape(-1, tokens)
            before = before * factor
        return _normalised(answers)


def _normalised(weights: Floats) -> Floats:
    """Weights as shares of their sum along the last axis; NaN where all are zero."""
    with np.errstate(invalid="ignore"):
        shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares


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
        "weights_digest": digest_of([sentences, model.corruption]),
        "tokenizer_digest": digest_of(model.tokens.names),
    }


def digest_of(what: object) -> str:
    """A digest of what JSON can write."""
    return hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()


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


def perfect_model(entry: Mapping[str, Any], settings: Mapping[str, Any]) -> ExactModel | ExactLeftModel:
    """The exact model of an entry of a study's models, by its `world` and `kind`.

    settings: those of its world. Raises InputError naming the key where a world or a corruption cannot be.
    """
    world = World.from_config(entry["world"], settings)
    if entry["kind"] == CAUSAL_LM:
        return ExactLeftModel(world)
    return ExactModel(world, Corruption.from_config(world.name, settings))


def manifest_of(model: ExactModel | ExactLeftModel) -> dict[str, Any]:
    """What the manifest of an exact model says; its weights are what its answers are computed from."""
    return described_left(model) if isinstance(model, ExactLeftModel) else described(model)
