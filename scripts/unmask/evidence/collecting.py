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
from unmask.evidence.schema import EVIDENCE
from unmask.evidence.sentences import MASKINGS, Pair, Sentence, predicted, shuffle_tokens
from unmask.evidence.tables import Progress
from unmask.models.loading import LoadedModel
from unmask.terms import CAUSAL_MASKINGS, LEFT, MODIFIED, SHUFFLED, START, UNRELATED

Objects = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Layout:
    """Sentences as queries to the engine: one question per row of evidence, then the cross questions.

    rows: what is known of each row before a model answers (_tokens_of). cross_row: for each cross question, a
    hidden token at any hidden position, the row that it is for.
    """

    queries: Queries
    rows: pd.DataFrame
    cross_row: Indices


@dataclass(frozen=True)
class Wanted:
    """What is read of a benchmark: a variant of its sentences under a masking.

    seed: of the shuffled variant; top: how many of the likeliest tokens are wanted beside each row.
    """

    variant: str
    masking: str
    seed: int | None = None
    top: int = 0


def evidence_of(
    pairs: Sequence[Pair], model: LoadedModel, wanted: Wanted, progress: Progress | None = None
) -> list[pd.DataFrame]:
    """The Evidence rows of `model` on tokenised pairs, in order of pairs, roles and positions, and LIKELIEST
    rows where these are wanted.

    Raises InputError as `as_rows` does.
    """
    layout = prepare(pairs, wanted, model.tokenizer.mask_token_id)
    answers = answer(model, layout.queries, progress, wanted.top)
    rows = as_rows(layout, answers, model.tokenizer)
    return [rows, as_likeliest(layout, answers, model.tokenizer)] if wanted.top else [rows]


def prepare(pairs: Sequence[Pair], wanted: Wanted, mask_id: int | None) -> Layout:
    """Hide tokens of each sentence as the masking says, and ask for those that it predicts.

    Under `left` all tokens are asked for, too, each behind those before it; under `start` those hidden, each
    behind the start token alone.
    """
    masking = wanted.masking
    sentences = [pair[role] for pair in pairs for role in MASKINGS[masking].roles if role in pair]
    if wanted.variant == SHUFFLED:
        sentences = [shuffle_tokens(sentence, wanted.seed or 0) for sentence in sentences]
    index: dict[tuple[int, ...], int] = {}
    special: list[npt.NDArray[np.bool_]] = []
    # the number of the token or row, that of the input, the position and the token
    rows: list[tuple[int, int, int, int]] = []
    crosses: list[tuple[int, int, int, int]] = []
    # the part of a sentence that a model reads
    part = slice(1) if masking == START else slice(None)
    starts = np.cumsum([0, *(len(sentence.ids) for sentence in sentences)]).tolist()
    for start, sentence in zip(starts, sentences, strict=False):
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
                rows.append((start + position, input_, position, tokens[position]))
    questions, cross = (np.array(each, dtype=np.int64).reshape(-1, 4) for each in (rows, crosses))
    of_rows = _tokens_of(sentences).iloc[questions[:, 0]].reset_index(drop=True)
    if masking == LEFT:
        # the first token is given, and not predicted
        of_rows["special"] |= of_rows["position"] == 0
    if masking == START:
        questions[:, 2] = 1
    queries = Queries(list(index), special, *np.concatenate([questions, cross])[:, 1:].T)
    return Layout(queries, of_rows, cross[:, 0])


def _tokens_of(sentences: Sequence[Sentence]) -> pd.DataFrame:
    """The tokens of all sentences, a row each: pair_id, role, position, token_id, special, modified and
    source_position as in EVIDENCE."""
    rows: list[tuple[Any, ...]] = []
    for each in sentences:
        absent = [None] * len(each.ids)
        modified = absent if each.modified is None or each.role == UNRELATED else each.modified
        source = absent if each.source is None else each.source
        rows.append((each.pair_id, each.role, range(len(each.ids)), each.ids, each.special, modified, source))
    sides, columns = ["pair_id", "role"], ["position", "token_id", "special", "modified", "source_position"]
    tokens = pd.DataFrame(rows, columns=[*sides, *columns]).explode(columns, ignore_index=True)
    return tokens.astype({"position": np.int64, "token_id": np.int64, "special": bool})


def as_rows(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The engine's answers as Evidence rows.

    Raises InputError for a log-probability that is not finite, naming the pair.
    """
    count = len(layout.rows)
    cross = np.full(count, np.nan)
    if len(layout.cross_row):
        # cross questions come after those of the rows
        log_prob = answers.log_prob[count:].astype(np.float64)
        questions = np.bincount(layout.cross_row, minlength=count)
        cross = np.bincount(layout.cross_row, log_prob, count) / questions
    names = ("log_prob", "rank", "attention", "attention_content")
    of_rows = {name: getattr(answers, name)[:count] for name in names}
    token = _names(tokenizer, layout.rows["token_id"].to_numpy())
    rows = layout.rows.assign(token=token, **of_rows, cross_log_prob=cross)
    broken = rows.loc[~np.isfinite(rows["log_prob"])]
    if len(broken):
        first = broken.iloc[0]
        raise InputError(
            f"pair {first.pair_id}: the model gives log-probability {first.log_prob} to token "
            f"{first.token!r} of the {first.role} sentence ({len(broken)} such tokens)"
        )
    return rows.reindex(columns=EVIDENCE.names)


def as_likeliest(layout: Layout, answers: Answers, tokenizer: PreTrainedTokenizerBase) -> pd.DataFrame:
    """The likeliest tokens in the place of each row of evidence, as LIKELIEST."""
    count, top = len(layout.rows), answers.likeliest.shape[1]
    rows = layout.rows[["pair_id", "role", "position"]].iloc[np.arange(count).repeat(top)]
    return rows.reset_index(drop=True).assign(
        place=np.tile(np.arange(1, top + 1), count),
        token=_names(tokenizer, answers.likeliest[:count].ravel()),
        log_prob=answers.likeliest_log_prob[:count].ravel(),
    )


def _names(tokenizer: PreTrainedTokenizerBase, ids: npt.NDArray[np.integer[Any]]) -> Objects:
    """The tokens of these numbers; one beyond the vocabulary, which some models answer, is in brackets."""
    distinct, place = np.unique(ids, return_inverse=True)
    names = tokenizer.convert_ids_to_tokens(distinct.tolist())
    shown = [f"[{id_}]" if name is None else name for id_, name in zip(distinct, names, strict=True)]
    known: Objects = np.array(shown, dtype=object)[place]
    return known
