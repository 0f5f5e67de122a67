"""Evidence of an exact model: the rows that a transformer with its answers would leave."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import MASKINGS, Ids, Sentence, modified_tokens, predicted
from unmask.models.detecting import CAUSAL_LM
from unmask.tables import framed
from unmask.terms import CAUSAL_MASKINGS, MODIFIED, NONE, SIDES, START
from unmask.worlds.exact import ExactModel, Floats, Tokens

DECIMALS = 12
"""Logarithms are rounded to so many, so that what is equal but for the order of a sum is equal."""


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
    Raises InputError for a sentence that is not of the grammar, naming the pair; and for masking `none` where
    the corruption neither keeps tokens nor makes them random: what is said of an unmasked token that was
    never asked for is undefined. Raises ValueError for a masking of models of the other kind.
    """
    if (masking in CAUSAL_MASKINGS) != (model.kind == CAUSAL_LM):
        raise ValueError(f"masking {masking} is not for a {model.kind}")
    if masking == NONE and not model.answers_unmasked:
        raise InputError(
            f"world {model.world.name}: its corruption masks all tokens that are to be predicted, so that no "
            "answer at an unmasked one is right or wrong; keep some or make some random"
        )
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
        answers = model.around_each(inputs)
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
