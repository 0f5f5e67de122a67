"""From tokenised pairs and a model to rows of evidence, and of the likeliest tokens beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Answers, Indices, Queries, answer
from unmask.evidence.sentences import MASKINGS, Pair, Sentence, predicted, shuffle_tokens
from unmask.models.loading import LoadedModel
from unmask.terms import CAUSAL_MASKINGS, LEFT, MODIFIED, SHUFFLED, START, UNRELATED

Objects = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Layout:
    """Sentences as queries to the engine: one question per row of evidence, then the cross questions.

    sentence, position: for each row the index of its sentence, and where its token stands there. cross_row:
    for each cross question, a hidden token at any hidden position, the row that it is for. unpredicted: so
    many tokens at the head of each sentence are given, and not predicted.
    """

    sentences: Sequence[Sentence]
    queries: Queries
    sentence: Indices
    cross_row: Indices
    position: Indices
    unpredicted: int = 0


def evidence_of(
    pairs: Sequence[Pair], model: LoadedModel, masking: str, variant: str, shuffle_seed: int = 0
) -> pd.DataFrame:
    """The Evidence rows of `model` on tokenised pairs, in the order of pairs, roles and positions.

    Raises InputError as `as_rows` does.
    """
    layout = prepare(pairs, masking, variant, shuffle_seed, model.tokenizer.mask_token_id)
    return as_rows(layout, answer(model, layout.queries), model.tokenizer)


def prepare(
    pairs: Sequence[Pair], masking: str, variant: str, shuffle_seed: int, mask_id: int | None
) -> Layout:
    """Hide tokens of each sentence as the masking says, and ask for those that it predicts.

    Under `left` all tokens are asked for, too, each behind those before it; under `start` those hidden, each
    behind the start token alone.
    """
    roles = MASKINGS[masking].roles
    sentences = [pair[role] for pair in pairs for role in roles if role in pair]
    if variant == SHUFFLED:
        sentences = [shuffle_tokens(sentence, shuffle_seed) for sentence in sentences]
    index: dict[tuple[int, ...], int] = {}
    special: list[npt.NDArray[np.bool_]] = []
    # the number of the sentence or row, that of the input, the position and the token
    rows: list[tuple[int, int, int, int]] = []
    crosses: list[tuple[int, int, int, int]] = []
    # the part of a sentence that a model reads
    part = slice(1) if masking == START else slice(None)
    for number, sentence in enumerate(sentences):
        tokens = sentence.ids.tolist()
        for hidden in MASKINGS[masking].hidden(sentence):
            positions, ids = hidden.tolist(), tokens.copy()
            if masking not in CAUSAL_MASKINGS:
                for position in positions:
                    ids[position] = mask_id
            input_ = index.setdefault(tuple(ids[part]), len(index))
            if input_ == len(special):
                special.append(sentence.special[part])
            for position in predicted(masking, hidden, len(tokens)).tolist():
                if masking == MODIFIED:
                    crosses.extend((len(rows), input_, other, tokens[position]) for other in positions)
                rows.append((number, input_, position, tokens[position]))
    questions, cross = (np.array(each, dtype=np.int64).reshape(-1, 4) for each in (rows, crosses))
    place = questions[:, 2].copy()
    if masking == START:
        questions[:, 2] = 1
    queries = Queries(list(index), special, *np.concatenate([questions, cross])[:, 1:].T)
    return Layout(sentences, queries, questions[:, 0], cross[:, 0], place, int(masking == LEFT))


def as_rows(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The engine's answers as Evidence rows.

    Raises InputError for a log-probability that is not finite, naming the pair.
    """
    count, position = len(layout.sentence), layout.position
    pair_id, role = _pairs_and_roles(layout)
    token_id = layout.queries.token[:count]
    cross = np.full(count, np.nan)
    if len(layout.cross_row):
        # cross questions come after those of the rows
        log_prob = answers.log_prob[count:].astype(np.float64)
        questions = np.bincount(layout.cross_row, minlength=count)
        cross = np.bincount(layout.cross_row, log_prob, count) / questions
    modified, source = _of_tokens(layout, "modified"), _of_tokens(layout, "source")
    modified[role == UNRELATED] = None
    rows = pd.DataFrame(
        {
            "pair_id": pair_id,
            "role": role,
            "position": position,
            "token_id": token_id,
            "token": _names(tokenizer, token_id),
            "special": _of_tokens(layout, "special").astype(bool) | (position < layout.unpredicted),
            "modified": modified,
            "log_prob": answers.log_prob[:count],
            "rank": answers.rank[:count],
            "attention": answers.attention[:count],
            "attention_content": answers.attention_content[:count],
            "cross_log_prob": cross,
            "source_position": source,
        }
    )
    broken = rows.loc[~np.isfinite(rows["log_prob"])]
    if len(broken):
        first = broken.iloc[0]
        raise InputError(
            f"pair {first.pair_id}: the model gives log-probability {first.log_prob} to token "
            f"{first.token!r} of the {first.role} sentence ({len(broken)} such tokens)"
        )
    return rows


def as_likeliest(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The likeliest tokens in the place of each row of evidence, as LIKELIEST."""
    count, top = len(layout.sentence), answers.likeliest.shape[1]
    pair_id, role = _pairs_and_roles(layout)
    return pd.DataFrame(
        {
            "pair_id": pair_id.repeat(top),
            "role": role.repeat(top),
            "position": layout.position.repeat(top),
            "place": np.tile(np.arange(1, top + 1), count),
            "token": _names(tokenizer, answers.likeliest[:count].ravel()),
            "log_prob": answers.likeliest_log_prob[:count].ravel(),
        }
    )


def _pairs_and_roles(layout: Layout) -> tuple[Objects, Objects]:
    """The pair and the role of each row of evidence."""
    names = np.array([(each.pair_id, each.role) for each in layout.sentences], dtype=object).reshape(-1, 2)
    return names[layout.sentence, 0], names[layout.sentence, 1]


def _of_tokens(layout: Layout, name: str) -> Objects:
    """What the sentence of each row says of its token under this name; null where it says nothing."""
    lengths = [len(sentence.ids) for sentence in layout.sentences]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    every: Objects = np.full(starts[-1], None)
    for sentence, start in zip(layout.sentences, starts[:-1], strict=True):
        values: Any = getattr(sentence, name)
        if values is not None:
            every[start : start + len(values)] = values
    of_rows: Objects = every[starts[layout.sentence] + layout.position]
    return of_rows


def _names(tokenizer: PreTrainedTokenizerBase, ids: npt.NDArray[np.integer[Any]]) -> Objects:
    """The tokens of these numbers; one beyond the vocabulary, which some models answer, is in brackets."""
    distinct, place = np.unique(ids, return_inverse=True)
    names = tokenizer.convert_ids_to_tokens(distinct.tolist())
    shown = [f"[{id_}]" if name is None else name for id_, name in zip(distinct, names, strict=True)]
    known: Objects = np.array(shown, dtype=object)[place]
    return known
