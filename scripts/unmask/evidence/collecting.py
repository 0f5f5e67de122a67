"""From pairs and a model to an Evidence table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.errors import InputError
from unmask.evidence.engine import Answers, Questions, answer
from unmask.evidence.maskings import MASKINGS, MODIFIED, NONE, roles_of
from unmask.evidence.sentences import Sentence, shuffle_tokens, tokenise_pairs
from unmask.models.loading import LoadedModel
from unmask.tables import SHUFFLED


def collect_evidence(
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int = 0,
    max_length: int | None = None,
    batch_tokens: int = 2048,
) -> pd.DataFrame:
    """The Evidence rows of `model` on a Pairs table, in the order of pairs, roles and positions.

    Raises InputError for a sentence that the model cannot take, and for a log-probability that is
    not finite, naming the pair.
    """
    sentences = tokenise_pairs(pairs, model.tokenizer, roles_of(masking), max_length)
    if variant == SHUFFLED:
        sentences = [shuffle_tokens(sentence, shuffle_seed) for sentence in sentences]
    work = _lay_out(sentences, masking, model.tokenizer.mask_token_id)
    rows = len(work.sentence)
    everything = answer(model, work.inputs, work.special, work.questions, batch_tokens)
    own = Answers(
        everything.log_prob[:rows],
        everything.rank[:rows],
        everything.attention[:rows],
        everything.attention_content[:rows],
    )
    cross: npt.NDArray[np.float64] = np.full(rows, np.nan)
    if masking == MODIFIED and rows:
        log_prob = everything.log_prob[rows:].astype(np.float64)
        cross = np.bincount(work.cross_row, log_prob, rows) / np.bincount(work.cross_row, minlength=rows)
    frame = _as_frame(sentences, work, own, cross, model)
    broken = frame.loc[~np.isfinite(frame["log_prob"])]
    if len(broken):
        first = broken.iloc[0]
        raise InputError(
            f"pair {first.pair_id}: the model gives log-probability {first.log_prob} to token "
            f"{first.token!r} of the {first.role} sentence ({len(broken)} such tokens)"
        )
    return frame


@dataclass(frozen=True)
class _Work:
    """Unique inputs and the questions about them: one per row of evidence, then the cross questions."""

    inputs: list[tuple[int, ...]]
    special: list[npt.NDArray[np.bool_]]
    questions: Questions
    sentence: npt.NDArray[np.int64]
    """For each row of evidence: the index of its sentence."""
    cross_row: npt.NDArray[np.int64]
    """For each cross question (a hidden token at another hidden position): its row of evidence."""


def _lay_out(sentences: Sequence[Sentence], masking: str, mask_id: int) -> _Work:
    index: dict[tuple[int, ...], int] = {}
    special: list[npt.NDArray[np.bool_]] = []
    rows: list[tuple[int, int, int, int]] = []
    crosses: list[tuple[int, int, int, int]] = []
    for number, sentence in enumerate(sentences):
        for hidden in MASKINGS[masking](sentence):
            ids = sentence.ids.copy()
            ids[hidden] = mask_id
            key = tuple(ids.tolist())
            if key not in index:
                index[key] = len(index)
                special.append(sentence.special)
            predicted = range(len(ids)) if masking == NONE else hidden.tolist()
            for position in predicted:
                token = int(sentence.ids[position])
                if masking == MODIFIED:
                    crosses.extend((len(rows), index[key], other, token) for other in hidden.tolist())
                rows.append((number, index[key], position, token))
    sentence_of, inputs, positions, tokens = _columns(rows)
    cross_row, cross_inputs, cross_positions, cross_tokens = _columns(crosses)
    questions = Questions(
        np.concatenate([inputs, cross_inputs]),
        np.concatenate([positions, cross_positions]),
        np.concatenate([tokens, cross_tokens]),
    )
    return _Work(list(index), special, questions, sentence_of, cross_row)


def _columns(rows: Sequence[tuple[int, int, int, int]]) -> npt.NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, 4).T


def _as_frame(
    sentences: Sequence[Sentence],
    work: _Work,
    own: Answers,
    cross: npt.NDArray[np.float64],
    model: LoadedModel,
) -> pd.DataFrame:
    rows = len(work.sentence)
    position = work.questions.position[:rows]
    token_id = work.questions.token[:rows]
    distinct, inverse = np.unique(token_id, return_inverse=True)
    tokens = np.array(model.tokenizer.convert_ids_to_tokens(distinct.tolist()), dtype=object)
    at = list(zip(work.sentence.tolist(), position.tolist(), strict=True))

    def of_token(name: str) -> list[object]:
        """One attribute of the sentences, looked up for each row; null where a sentence has none."""
        arrays = [getattr(sentence, name) for sentence in sentences]
        return [None if arrays[s] is None else arrays[s][p].item() for s, p in at]

    return pd.DataFrame(
        {
            "pair_id": [sentences[s].pair_id for s, _ in at],
            "role": [sentences[s].role for s, _ in at],
            "position": position,
            "token_id": token_id,
            "token": tokens[inverse] if rows else [],
            "special": of_token("special"),
            "modified": of_token("modified"),
            "log_prob": own.log_prob,
            "rank": own.rank,
            "attention": own.attention,
            "attention_content": own.attention_content,
            "cross_log_prob": cross,
            "source_position": of_token("source"),
        }
    )
