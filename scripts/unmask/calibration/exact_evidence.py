"""Evidence of an exact model: the rows that a transformer with its answers would leave."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.calibration.exact_model import ExactModel, Floats
from unmask.errors import InputError
from unmask.evidence.masking import hidden_positions
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import Positions, Sentence, modified_tokens
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, MODIFIED, NONE, STEREOTYPE

ROLES = (STEREOTYPE, ANTISTEREOTYPE)
"""Unrelated sentences are left out: they are not of the grammar."""

DECIMALS = 12
"""Logarithms are rounded to so many, so that what is equal but for the order of a sum is equal."""

Input = tuple[int, ...]
"""What the model is shown, without the special tokens around it."""


class _Reading(NamedTuple):
    """A sentence as it is shown to the model once, and the places that are asked for."""

    sentence: Sentence
    input_ids: Input
    positions: Positions


def exact_evidence(pairs: pd.DataFrame, model: ExactModel, masking: str) -> pd.DataFrame:
    """The Evidence rows of an exact model on a Pairs table, in the order of pairs, roles and positions.

    Special tokens are certain, and attention is uniform: 1/length everywhere, so that AULA (corrected) is
    AUL. `cross_log_prob` is null where one of the modified tokens cannot stand in the place of another.
    Raises InputError for a sentence that is not of the grammar, naming the pair; and for masking `none` where
    the corruption neither keeps tokens nor makes them random: what is said of an unmasked token that was
    never asked for is undefined.
    """
    if masking == NONE and not model.answers_unmasked:
        raise InputError(
            f"world {model.world.name}: its corruption masks all tokens that are to be predicted, so that no "
            "answer at an unmasked one is right or wrong; keep some or make some random"
        )
    readings = list(_readings(_sentences(pairs, model), masking, model.tokens.mask))
    answers = _answers(model, [reading.input_ids for reading in readings], unmasked=masking == NONE)
    rows = [row for reading in readings for row in _rows(reading, answers[reading.input_ids], model, masking)]
    return framed(rows, EVIDENCE)


def _sentences(pairs: pd.DataFrame, model: ExactModel) -> Iterator[Sentence]:
    for pair_id, *texts in pairs[["pair_id", *ROLES]].itertuples(index=False):
        ids = [
            _with_specials(text, model, f"pair {pair_id}: the {role} sentence")
            for role, text in zip(ROLES, texts, strict=True)
        ]
        masks = modified_tokens(*ids)
        for role, token_ids, modified in zip(ROLES, ids, masks, strict=True):
            special = np.isin(token_ids, (model.tokens.first, model.tokens.last))
            yield Sentence(pair_id, role, token_ids, special, modified)


def _with_specials(text: str, model: ExactModel, what: str) -> npt.NDArray[np.int64]:
    try:
        ids = model.tokens.read(text)
    except KeyError:
        ids = ()
    if not model.knows(ids):
        raise InputError(f"{what} is not of the grammar of world {model.world.name}: {text!r}")
    return np.array([model.tokens.first, *ids, model.tokens.last])


def _readings(sentences: Iterator[Sentence], masking: str, mask: int) -> Iterator[_Reading]:
    hidden_in = hidden_positions(masking)
    for sentence in sentences:
        for hidden in hidden_in(sentence):
            input_ids = sentence.ids.copy()
            # what is around a single place is the same whether or not that place is hidden
            if len(hidden) > 1:
                input_ids[hidden] = mask
            positions = np.arange(len(input_ids)) if masking == NONE else hidden
            yield _Reading(sentence, tuple(input_ids[1:-1].tolist()), positions)


def _answers(model: ExactModel, inputs: Sequence[Input], unmasked: bool) -> dict[Input, Floats]:
    """For each input: log P of every token in every place, length × tokens of the world."""
    by_length: dict[int, list[Input]] = {}
    for input_ in dict.fromkeys(inputs):
        by_length.setdefault(len(input_), []).append(input_)
    answers: dict[Input, Floats] = {}
    for of_length in by_length.values():
        ids = np.array(of_length)
        probability = model.around(ids)
        if unmasked:
            probability = model.unmasked(probability, ids)
        with np.errstate(divide="ignore"):
            # 0 is added since -0 is another number to a digest
            log_probs = np.log(probability).round(DECIMALS) + 0.0
        answers |= zip(of_length, log_probs, strict=True)
    return answers


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
            "token": model.tokens.names[token],
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
