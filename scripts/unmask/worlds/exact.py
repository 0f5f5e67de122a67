"""Exact language models of worlds: what every token is, given all the others or those before it.

Training draws a sentence x of the grammar and chooses some of its tokens. Of the chosen ones it masks MASKED,
keeps KEPT, and puts a random one, uniform over the V tokens of the world, in the place of the rest: with w a
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
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import MASKINGS, Ids, Sentence, modified_tokens, predicted
from unmask.models.directory import CAUSAL_LM, MASKED_LM
from unmask.tables import framed
from unmask.terms import CAUSAL_MASKINGS, MODIFIED, NONE, SIDES, START
from unmask.worlds.grammar import World

Floats = npt.NDArray[np.float64]
Tokens = tuple[int, ...]

MODEL_TYPE = "exact"
FULL_STOP = "."
MASK, FIRST, LAST = "[MASK]", "[CLS]", "[SEP]"
START_TOKEN = "<|endoftext|>"
"""The start token of the decoders that are trained on a world."""
GOES_ON = "##"
"""What a token begins with that goes on with a word, as WordPiece marks it."""
DECIMALS = 12
"""Logarithms are rounded to so many, so that what is equal but for the order of a sum is equal."""
AT_ONCE = 32
"""Sequences that are computed at a time: some tens of megabytes."""


MASKED, KEPT, RANDOM = 0.6, 0.2, 0.2
"""Shares of the tokens chosen for prediction that training masks, keeps and makes random. AUL and AULA need
the kept and random ones: they hide nothing."""


class ExactModel:
    """What a model of a world answers that has learnt all that its training could teach it.

    kind: MASKED_LM or CAUSAL_LM. Words have pieces, as in the world's tokenizers. Tokens are numbers, places
    in `names`: those that stand in sentences, sorted, then the special ones.
    Sequences come without special tokens, if nothing else is said.
    """

    def __init__(self, world: World, kind: str = MASKED_LM) -> None:
        self.world, self.kind = world, kind
        pieces = world.split_words
        self._pieces = {
            word: (first, *(f"{GOES_ON}{piece}" for piece in rest))
            for word in world.words
            for first, *rest in (pieces.get(word, (word,)),)
        }
        tokens = sorted({piece for of_word in self._pieces.values() for piece in of_word})
        self._numbers = {token: number for number, token in enumerate(tokens)}
        self.size = self.mask = len(tokens)
        """How many tokens stand in sentences; the number of the mask."""
        self.names = (*tokens, *((START_TOKEN,) if kind == CAUSAL_LM else (MASK, FIRST, LAST)))
        self._sentences = {self.numbered(words): probability for words, probability in world.sentences}

    def numbered(self, words: Sequence[str]) -> Tokens:
        """The tokens of words. Raises KeyError for a word that the world has not."""
        return tuple(self._numbers[piece] for word in words for piece in self._pieces[word])

    def read(self, text: str) -> Tokens | None:
        """The tokens of a sentence as it is written; None where it is not of the grammar."""
        words = text.removesuffix(FULL_STOP).split()
        if not text.endswith(FULL_STOP) or not self._pieces.keys() >= set(words):
            return None
        tokens = self.numbered([*words, FULL_STOP])
        return tokens if tokens in self._sentences else None

    def with_specials(self, tokens: Tokens) -> Ids:
        """A sequence with its special tokens: behind the start token, or between the first and the last."""
        if self.kind == CAUSAL_LM:
            return np.array([self.size, *tokens])
        return np.array([self.mask + 1, *tokens, self.mask + 2])

    def around(self, inputs: Iterable[Tokens]) -> dict[Tokens, Floats]:
        """P(token | all tokens but the one in its place) of each input, a sequence with masks among its
        tokens that is as long as some sentence of the grammar: length × tokens of the world.

        What stands in a place itself has no part in what is said of it, so this is the answer at a mask, and
        what would be the answer if any one token were hidden. NaN where no sentence of the grammar can have
        led to the other tokens.
        """
        answers: dict[Tokens, Floats] = {}
        for _, alike in groupby(sorted(dict.fromkeys(inputs), key=len), key=len):
            of_length = list(alike)
            for start in range(0, len(of_length), AT_ONCE):
                some = of_length[start : start + AT_ONCE]
                answers |= zip(some, self._around(np.array(some)), strict=True)
        return answers

    def unmasked(self, around: Floats, ids: Ids) -> Floats:
        """P(token | all tokens, the one in its place, too), of the shape of `around`.

        around: as the method gives it for `ids`, which hold no masks.
        """
        random = RANDOM / self.size
        weights = around * random
        visible = ids[..., None]
        probability = np.take_along_axis(around, visible, axis=-1)
        np.put_along_axis(weights, visible, probability * (KEPT + random), axis=-1)
        return _normalised(weights)

    @cached_property
    def _tables(self) -> dict[int, tuple[Ids, Floats]]:
        """By length: the sentences (sentences × tokens), and their probabilities."""
        rows: dict[int, dict[Tokens, float]] = {}
        for tokens, probability in self._sentences.items():
            rows.setdefault(len(tokens), {})[tokens] = probability
        return {n: (np.array([*of.keys()]), np.array([*of.values()])) for n, of in rows.items()}

    def _around(self, inputs: Ids) -> Floats:
        """`around` of a few inputs of one length: inputs × length × tokens of the world."""
        table, probability = self._tables[inputs.shape[1]]
        # how likely each token (and, last, a mask) is to be shown of each token
        emission = np.vstack([np.eye(self.size), np.ones(self.size)])
        # by place: how likely it is to be shown what it is shown, inputs × sentences
        likelihoods = [emission[np.ix_(inputs[:, i], table[:, i])] for i in range(inputs.shape[1])]
        after = [np.ones_like(likelihoods[0])]
        for factor in reversed(likelihoods[1:]):
            after.append(after[-1] * factor)
        before = np.broadcast_to(probability, likelihoods[0].shape)
        answers = np.empty((*inputs.shape, self.size))
        first = self.size * np.arange(len(inputs))[:, None]
        for i, factor in enumerate(likelihoods):
            others = before * after.pop()
            sums = np.bincount((first + table[:, i]).ravel(), others.ravel(), len(inputs) * self.size)
            answers[:, i] = sums.reshape(-1, self.size)
            before = before * factor
        return _normalised(answers)

    def following(self, beginning: Tokens) -> Floats:
        """P(token | those before it), one number for each token of the world, behind a beginning of some
        sentence of the grammar."""
        masses = self._following[beginning]
        answers = np.zeros(self.size)
        answers[list(masses)] = list(masses.values())
        shares: Floats = answers / math.fsum(masses.values())
        return shares

    @cached_property
    def _following(self) -> dict[Tokens, dict[int, float]]:
        """The probability that a sentence begins so and goes on with a token, by beginning and token."""
        parts: dict[Tokens, dict[int, list[float]]] = {}
        for tokens, probability in self._sentences.items():
            for place, token in enumerate(tokens):
                parts.setdefault(tokens[:place], {}).setdefault(token, []).append(probability)
        return {
            beginning: {token: math.fsum(masses) for token, masses in of_token.items()}
            for beginning, of_token in parts.items()
        }


def _normalised(weights: Floats) -> Floats:
    """Weights as shares of their sum along the last axis; NaN where all are zero."""
    with np.errstate(invalid="ignore"):
        shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def manifest_of(model: ExactModel) -> dict[str, Any]:
    """What the manifest of an exact model says; its weights are what its answers are computed from."""
    sentences = [(*sentence.words, sentence.probability) for sentence in model.world.sentences]
    is_causal = model.kind == CAUSAL_LM
    start = {"token": START_TOKEN, "id": model.size, "reason": "every sentence of its world begins so"}
    return {
        "model_type": MODEL_TYPE,
        # none is learnt, and nothing limits how long a sentence is but the grammar
        "parameters": 0,
        "max_length": None,
        "vocab_size": len(model.names),
        **({"start": start} if is_causal else {"mask_token": MASK}),
        "files": {},
        "weights_digest": _digest(["left", sentences] if is_causal else [sentences, [MASKED, KEPT, RANDOM]]),
        "tokenizer_digest": _digest(model.names),
    }


def _digest(what: object) -> str:
    """A digest of what JSON can write."""
    return hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()


class _Reading(NamedTuple):
    """A sentence as it is shown to the model once, and the positions that are asked for."""

    sentence: Sentence
    tokens: Tokens
    """What is shown, masks among them, without the special tokens around it."""
    positions: Ids


def exact_evidence(pairs: pd.DataFrame, model: ExactModel, masking: str) -> pd.DataFrame:
    """The Evidence rows of an exact model on a Pairs table, in the order of pairs, roles and positions.

    Unrelated sentences are left out: they are not of the grammar. Special tokens are certain, and attention
    is uniform: 1/length everywhere, so that AULA (corrected) is AUL. `cross_log_prob` is null where one of
    the modified tokens cannot stand in the place of another.
    A causal model reads a sentence without its start token as one with it: of the grammar all begin alike.
    Under masking `start` a sentence has rows if a sentence of the grammar begins with each of its tokens;
    what else the text says of a token behind the start token is that it never stands there.
    Raises InputError for a sentence that is not of the grammar, naming the pair. Raises ValueError for a
    masking of models of the other kind.
    """
    if (masking in CAUSAL_MASKINGS) != (model.kind == CAUSAL_LM):
        raise ValueError(f"masking {masking} is not for a {model.kind}")
    readings = list(_readings(pairs, model, masking))
    answers = _answers(model, [reading.tokens for reading in readings], masking)
    rows = [row for reading in readings for row in _rows(reading, answers[reading.tokens], model, masking)]
    return framed(rows, EVIDENCE)


def _readings(pairs: pd.DataFrame, model: ExactModel, masking: str) -> Iterator[_Reading]:
    for sentence in _sentences(pairs, model):
        if masking == START and not model.following(())[sentence.ids[1:]].all():
            continue
        for hidden in MASKINGS[masking].hidden(sentence):
            shown = sentence.ids.copy()
            # what is around a single place is the same whether or not that place is hidden
            if model.kind != CAUSAL_LM and len(hidden) > 1:
                shown[hidden] = model.mask
            tokens = shown[~sentence.special].tolist()
            yield _Reading(sentence, tuple(tokens), predicted(masking, hidden, len(shown)))


def _sentences(pairs: pd.DataFrame, model: ExactModel) -> Iterator[Sentence]:
    for pair_id, *texts in pairs[["pair_id", *SIDES]].itertuples(index=False):
        ids = []
        for role, text in zip(SIDES, texts, strict=True):
            tokens = model.read(text)
            if tokens is None:
                raise InputError(
                    f"pair {pair_id}: the {role} sentence is not of the grammar of world {model.world.name}: "
                    f"{text!r}"
                )
            ids.append(model.with_specials(tokens))
        for role, token_ids, modified in zip(SIDES, ids, modified_tokens(*ids), strict=True):
            yield Sentence(pair_id, role, token_ids, token_ids >= model.size, modified)


def _answers(model: ExactModel, inputs: list[Tokens], masking: str) -> dict[Tokens, Floats]:
    """For each input log P of every token in every place, length × tokens of the world."""
    if model.kind == CAUSAL_LM:
        begins = [(each, [() if masking == START else each[:n] for n in range(len(each))]) for each in inputs]
        answers = {tokens: np.stack([*map(model.following, before)]) for tokens, before in begins}
    else:
        answers = model.around(inputs)
        if masking == NONE:
            answers = {tokens: model.unmasked(each, np.array(tokens)) for tokens, each in answers.items()}
    with np.errstate(divide="ignore"):
        # 0 is added since -0 is another number to a digest
        return {tokens: np.log(each).round(DECIMALS) + 0.0 for tokens, each in answers.items()}


def _rows(
    reading: _Reading, log_probs: Floats, model: ExactModel, masking: str
) -> Iterator[dict[str, object]]:
    sentence, _, positions = reading
    length = len(sentence.ids)
    for position in positions:
        token = sentence.ids[position]
        row: dict[str, object] = {
            "pair_id": sentence.pair_id,
            "role": sentence.role,
            "position": position,
            "token_id": token,
            "token": model.names[token],
            "special": sentence.special[position],
            "modified": None if sentence.modified is None else sentence.modified[position],
            "log_prob": 0.0,
            "rank": 1,
        }
        if not sentence.special[position]:
            in_place = log_probs[position - 1]
            row |= {"log_prob": in_place[token], "rank": 1 + np.count_nonzero(in_place > in_place[token])}
        if masking == NONE:
            row |= {"attention": 1 / length, "attention_content": 1 / length}
        if masking == MODIFIED:
            cross = log_probs[positions - 1, token].mean()
            row["cross_log_prob"] = cross if np.isfinite(cross) else None
        yield row
