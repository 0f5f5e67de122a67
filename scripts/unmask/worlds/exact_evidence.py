"""Evidence of an exact model: the rows that a transformer with its answers would leave."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.maskings import MASKINGS, predicted
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import Ids, Sentence, modified_tokens
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, CAUSAL_MASKINGS, MODIFIED, NONE, START, STEREOTYPE
from unmask.worlds.exact import ExactLeftModel, ExactModel, Floats

ROLES = (STEREOTYPE, ANTISTEREOTYPE)
"""Unrelated sentences are left out: they are not of the grammar."""

DECIMALS = 12
"""Logarithms are rounded to so many, so that what is equal but for the order of a sum is equal."""

Input = tuple[int, ...]
"""What the model is shown, without the special tokens around it."""

Answers = dict[Input, Floats]
"""For each input: log P of every token in every place, length × tokens of the world."""


class _Reading(NamedTuple):
    """A sentence as it is shown to the model once, and the places that are asked for."""

    sentence: Sentence
    input_ids: Input
    positions: Ids


def exact_evidence(pairs: pd.DataFrame, model: ExactModel | ExactLeftModel, masking: str) -> pd.DataFrame:
    """The Evidence rows of an exact model on a Pairs table, in the order of pairs, roles and positions.

    Special tokens are certain, and attention is uniform: 1/length everywhere, so that AULA (corrected) is
    AUL. `cross_log_prob` is null where one of the modified tokens cannot stand in the place of another.
    A causal model reads a sentence without its start token as one with it: of the grammar all begin alike.
    Under masking `start` a sentence has rows if a sentence of the grammar begins with each of its tokens;
    what else the text says of a token behind the start token is that it never stands there.
    Raises InputError for a sentence that is not of the grammar, naming the pair; and for masking `none` where
    the corruption neither keeps tokens nor makes them random: what is said of an unmasked token that was
    never asked for is undefined. Raises ValueError for a masking of models of the other kind.
    """
    return _evidence(list(_sentences(pairs, model)), model, masking)


def _evidence(
    sentences: Sequence[Sentence], model: ExactModel | ExactLeftModel, masking: str
) -> pd.DataFrame:
    if isinstance(model, ExactLeftModel):
        readings, answers = _read_left(sentences, masking, model)
    else:
        readings, answers = _read_around(sentences, masking, model)
    rows = [row for reading in readings for row in _rows(reading, answers[reading.input_ids], model, masking)]
    return framed(rows, EVIDENCE)


def _read_around(
    sentences: Sequence[Sentence], masking: str, model: ExactModel
) -> tuple[list[_Reading], Answers]:
    """What a masked language model is shown, and its answers."""
    if masking in CAUSAL_MASKINGS:
        raise ValueError(f"masking {masking} is for causal language models")
    if masking == NONE and not model.answers_unmasked:
        raise InputError(
            f"world {model.world.name}: its corruption masks all tokens that are to be predicted, so that no "
            "answer at an unmasked one is right or wrong; keep some or make some random"
        )
    readings = list(_readings(sentences, masking, model.tokens.mask))
    return readings, _answers(model, [reading.input_ids for reading in readings], unmasked=masking == NONE)


def _read_left(
    sentences: Sequence[Sentence], masking: str, model: ExactLeftModel
) -> tuple[list[_Reading], Answers]:
    """What a causal language model is shown, and its answers."""
    if masking not in CAUSAL_MASKINGS:
        raise ValueError(f"masking {masking} is for masked language models")
    readings: list[_Reading] = []
    answers: Answers = {}
    for sentence in sentences:
        ids = tuple(sentence.ids[1:].tolist())
        if masking == START and not all(map(model.is_first, ids)):
            continue
        length = len(sentence.ids)
        positions = [predicted(masking, hidden, length) for hidden in MASKINGS[masking].hidden(sentence)]
        readings += [_Reading(sentence, ids, each) for each in positions]
        if ids not in answers:
            before = [() if masking == START else ids[:place] for place in range(len(ids))]
            answers[ids] = _logarithms(np.stack([model.following(beginning) for beginning in before]))
    return readings, answers


def _sentences(pairs: pd.DataFrame, model: ExactModel | ExactLeftModel) -> Iterator[Sentence]:
    for pair_id, *texts in pairs[["pair_id", *ROLES]].itertuples(index=False):
        ids = [
            _with_specials(text, model, f"pair {pair_id}: the {role} sentence")
            for role, text in zip(ROLES, texts, strict=True)
        ]
        masks = modified_tokens(*ids)
        for role, token_ids, modified in zip(ROLES, ids, masks, strict=True):
            special = token_ids >= len(model.tokens.content)
            yield Sentence(pair_id, role, token_ids, special, modified)


def _with_specials(text: str, model: ExactModel | ExactLeftModel, what: str) -> npt.NDArray[np.int64]:
    try:
        ids = model.tokens.read(text)
    except KeyError:
        ids = ()
    if not model.knows(ids):
        raise InputError(f"{what} is not of the grammar of world {model.world.name}: {text!r}")
    return model.with_specials(ids)


def _readings(sentences: Sequence[Sentence], masking: str, mask: int) -> Iterator[_Reading]:
    for sentence in sentences:
        for hidden in MASKINGS[masking].hidden(sentence):
            input_ids = sentence.ids.copy()
            # what is around a single place is the same whether or not that place is hidden
            if len(hidden) > 1:
                input_ids[hidden] = mask
            positions = predicted(masking, hidden, len(input_ids))
            yield _Reading(sentence, tuple(input_ids[1:-1].tolist()), positions)


def _answers(model: ExactModel, inputs: Sequence[Input], unmasked: bool) -> Answers:
    by_length: dict[int, list[Input]] = {}
    for input_ in dict.fromkeys(inputs):
        by_length.setdefault(len(input_), []).append(input_)
    answers: Answers = {}
    for of_length in by_length.values():
        ids = np.array(of_length)
        probability = model.around(ids)
        if unmasked:
            probability = model.unmasked(probability, ids)
        answers |= zip(of_length, _logarithms(probability), strict=True)
    return answers


def _logarithms(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        # 0 is added since -0 is another number to a digest
        logarithms: Floats = np.log(probability).round(DECIMALS) + 0.0
    return logarithms


def _rows(
    reading: _Reading, log_probs: Floats, model: ExactModel | ExactLeftModel, masking: str
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
