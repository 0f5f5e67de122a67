"""From tokenised pairs and a model to rows of evidence, and of the likeliest tokens beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from transformers import PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.evidence.engine import Answers, Indices, Queries, answer
from unmask.evidence.maskings import MASKINGS, predicted
from unmask.evidence.sentences import Pair, Sentence, shuffle_tokens
from unmask.evidence.tokenising import tokenise
from unmask.models.loading import LoadedModel
from unmask.terms import CAUSAL_MASKINGS, LEFT, MODIFIED, SHUFFLED, START, UNRELATED


@dataclass(frozen=True)
class Layout:
    """Sentences as queries to the engine: one question per row of evidence, then the cross questions."""

    sentences: Sequence[Sentence]
    queries: Queries
    sentence: Indices
    """For each row of evidence: the index of its sentence."""
    cross_row: Indices
    """For each cross question, a hidden token at any hidden position: the row of evidence it is for."""
    position: Indices
    """For each row of evidence: where its token stands in the sentence."""
    unpredicted: int = 0
    """So many tokens at the head of each sentence are given, and not predicted."""


def collect_evidence(
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int = 0,
    max_length: int | None = None,
) -> pd.DataFrame:
    """The Evidence rows of `model` on a Pairs table, in the order of pairs, roles and positions.

    Raises InputError as `tokenise` and `as_rows` do.
    """
    sentences = tokenise(pairs, model.tokenizer, max_length, MASKINGS[masking].roles)
    return evidence_of(sentences, model, masking, variant, shuffle_seed)


def evidence_of(
    pairs: Sequence[Pair], model: LoadedModel, masking: str, variant: str, shuffle_seed: int = 0
) -> pd.DataFrame:
    """The same of tokenised pairs."""
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
    rows: list[tuple[int, int, int, int]] = []
    crosses: list[tuple[int, int, int, int]] = []
    # the part of a sentence that a model reads
    part = slice(1) if masking == START else slice(None)
    for number, sentence in enumerate(sentences):
        tokens = sentence.ids.tolist()
        for hidden in MASKINGS[masking].hidden(sentence):
            positions = hidden.tolist()
            ids = tokens.copy()
            if masking not in CAUSAL_MASKINGS:
                for position in positions:
                    ids[position] = mask_id
            key = tuple(ids[part])
            input_ = index.setdefault(key, len(index))
            if input_ == len(special):
                special.append(sentence.special[part])
            for position in predicted(masking, hidden, len(tokens)).tolist():
                if masking == MODIFIED:
                    crosses.extend((len(rows), input_, other, tokens[position]) for other in positions)
                rows.append((number, input_, position, tokens[position]))
    questions = np.array(rows, dtype=np.int64).reshape(-1, 4)
    place = questions[:, 2].copy()
    if masking == START:
        questions[:, 2] = 1
    cross_questions = np.array(crosses, dtype=np.int64).reshape(-1, 4)
    input_of, position_of, token_of = np.concatenate([questions, cross_questions])[:, 1:].T
    queries = Queries(list(index), special, input_of, position_of, token_of)
    first = int(masking == LEFT)
    return Layout(sentences, queries, questions[:, 0], cross_questions[:, 0], place, first)


def as_rows(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The engine's answers as Evidence rows.

    Raises InputError for a log-probability that is not finite, naming the pair.
    """
    count = len(layout.sentence)
    # cross questions come after those of the rows
    of_rows = slice(count)
    position, token_id = layout.position, layout.queries.token[of_rows]
    cross = np.full(count, np.nan)
    if len(layout.cross_row):
        log_prob = answers.log_prob[count:].astype(np.float64)
        questions = np.bincount(layout.cross_row, minlength=count)
        cross = np.bincount(layout.cross_row, log_prob, count) / questions
    distinct, token = np.unique(token_id, return_inverse=True)
    names = np.array(tokenizer.convert_ids_to_tokens(distinct.tolist()), dtype=object)
    sentences = layout.sentences
    lengths = [len(sentence.ids) for sentence in sentences]
    at = np.concatenate([[0], np.cumsum(lengths)])[layout.sentence] + position

    def of_token(arrays: list[npt.NDArray[np.generic] | None]) -> npt.NDArray[np.object_]:
        """An attribute of every token, for each row; null where a sentence has none."""
        parts = [
            np.full(length, None) if array is None else array.astype(object)
            for length, array in zip(lengths, arrays, strict=True)
        ]
        every: npt.NDArray[np.object_] = np.concatenate(parts) if parts else np.array([], dtype=object)
        return every[at]

    rows = pd.DataFrame(
        {
            "pair_id": np.array([s.pair_id for s in sentences], dtype=object)[layout.sentence],
            "role": np.array([s.role for s in sentences], dtype=object)[layout.sentence],
            "position": position,
            "token_id": token_id,
            "token": names[token],
            "special": of_token([s.special for s in sentences]).astype(bool)
            | (position < layout.unpredicted),
            "modified": of_token([None if s.role == UNRELATED else s.modified for s in sentences]),
            "log_prob": answers.log_prob[of_rows],
            "rank": answers.rank[of_rows],
            "attention": answers.attention[of_rows],
            "attention_content": answers.attention_content[of_rows],
            "cross_log_prob": cross,
            "source_position": of_token([s.source for s in sentences]),
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
    """The likeliest tokens in the place of each row of evidence, as LIKELIEST.

    A number beyond the tokenizer's vocabulary, which some models can answer, stands in brackets.
    """
    count = len(layout.sentence)
    likeliest, log_prob = answers.likeliest[:count], answers.likeliest_log_prob[:count]
    top = likeliest.shape[1]
    distinct, token = np.unique(likeliest, return_inverse=True)
    known = tokenizer.convert_ids_to_tokens(distinct.tolist())
    names = [f"[{id_}]" if name is None else name for id_, name in zip(distinct, known, strict=True)]

    def repeated(values: list[str]) -> np.ndarray:
        return np.array(values, dtype=object)[layout.sentence].repeat(top)

    return pd.DataFrame(
        {
            "pair_id": repeated([sentence.pair_id for sentence in layout.sentences]),
            "role": repeated([sentence.role for sentence in layout.sentences]),
            "position": layout.position.repeat(top),
            "place": np.tile(np.arange(1, top + 1), count),
            "token": np.array(names, dtype=object)[token.ravel()],
            "log_prob": log_prob.ravel(),
        }
    )
