"""The engine: unique inputs with questions about them, and a loop that answers these in batches.

Inputs are read in batches of exactly one length, so the engine pads nothing and no result depends on the
other sequences of its batch beyond float error. An input that occurs twice is read once, and a
distribution over the vocabulary that is asked about twice is computed once. What does not fit into the
device's memory is taken in smaller portions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from unmask.evidence.tables import Progress
from unmask.models.loading import LoadedModel

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Columns = tuple[npt.NDArray[np.generic], ...]
"""Columns of answers, each with one entry per question."""


@dataclass(frozen=True)
class Queries:
    """What a model is asked.

    inputs: unique token id sequences. special: which tokens of each are special. The other three have
    one entry per question, the probability of `token` at `position` of an input; `input` is an index. A model
    that predicts what follows takes `position` for the place of the token, which may be the one behind the
    last of the input.
    """

    inputs: Sequence[tuple[int, ...]]
    special: Sequence[npt.NDArray[np.bool_]]
    input: Indices
    position: Indices
    token: Indices


@dataclass(frozen=True)
class Answers:
    """One entry per question, in its order.

    log_prob: natural logarithm of the token's probability. rank: 1 + how many tokens of the vocabulary are
    more probable. attention: what the position receives, mean over layers, heads and queries, and
    attention_content over the queries that are not special tokens; NaN if not asked for. likeliest: questions
    × as many as were asked for, the most probable tokens in its place, the likeliest first.
    """

    log_prob: Floats
    rank: npt.NDArray[np.int32]
    likeliest: npt.NDArray[np.int32]
    likeliest_log_prob: Floats
    attention: Floats
    attention_content: Floats


Block = tuple[Indices, npt.NDArray[np.bool_] | None]
"""Token ids of inputs of one length, and a mask, False where a token is padding that is not attended to, None
where there is none; both inputs × length. For very many inputs: no Python object for each."""


def answer(model: LoadedModel, queries: Queries, progress: Progress | None = None, top: int = 0) -> Answers:
    """Run the model over all inputs, in batches of the size that suits its device.

    top: how many of the most probable tokens are wanted for each question (all, of a smaller vocabulary).
    A batch that does not fit into memory is halved, and so are those after it, also of later calls with
    the same device. Raises InputError for a sequence that does not fit by itself.
    """
    count, top = len(queries.input), min(top, len(model.tokenizer))
    log_prob, attention, content = (np.full(count, np.nan, dtype=np.float32) for _ in range(3))
    rank, likeliest = (np.zeros(shape, dtype=np.int32) for shape in (count, (count, top)))
    answers = Answers(log_prob, rank, likeliest, np.zeros((count, top), dtype=np.float32), attention, content)
    places = np.maximum(queries.position - 1, 0) if model.predicts_next else queries.position
    _fill(tuple(vars(answers).values()), model, _of_queries(queries, places), progress, top)
    if model.predicts_next:
        # nothing stands before the first token: it is given, and so is certain
        first = queries.position == 0
        log_prob[first], rank[first] = 0, 1
    return answers


def token_log_probs(
    model: LoadedModel, blocks: Sequence[Block], progress: Progress | None = None
) -> list[npt.NDArray[np.float32]]:
    """Log-probability of each block's tokens where they stand, nothing hidden: inputs × length.

    Neither ranks, which take a look at the whole vocabulary for each token, nor attention. Memory and errors
    as with `answer`.
    """
    of_blocks = [np.full(ids.shape, np.nan, dtype=np.float32) for ids, _ in blocks]
    for number in sorted(range(len(blocks)), key=lambda number: -blocks[number][0].shape[1]):
        ids, mask = blocks[number]
        rows, positions = (each.reshape(-1) for each in np.indices(ids.shape))
        inputs = _Inputs(ids, np.arange(ids.size), rows, positions, ids.reshape(-1), mask=mask)
        _fill((of_blocks[number].reshape(-1),), model, [inputs], progress)
    return of_blocks


@dataclass(frozen=True)
class _Inputs:
    """Inputs of one length, and questions about them, by place.

    ids, special, mask: inputs × length. special is None where neither ranks nor attention are wanted; mask is
    as in Block. question: for each question its number; row, position and token are those of each, too.
    """

    ids: Indices
    question: Indices
    row: Indices
    position: Indices
    token: Indices
    special: npt.NDArray[np.bool_] | None = None
    mask: npt.NDArray[np.bool_] | None = None

    def part(self, rows: slice) -> "_Inputs":
        """Some of the inputs, with their questions."""
        some = slice(*np.searchsorted(self.row, (rows.start, rows.stop)))
        special, mask = (None if each is None else each[rows] for each in (self.special, self.mask))
        row = self.row[some] - rows.start
        of_questions = self.question[some], row, self.position[some], self.token[some]
        return _Inputs(self.ids[rows], *of_questions, special, mask)


def _of_queries(queries: Queries, places: Indices) -> Iterator[_Inputs]:
    """The inputs of each length, longest first, so that memory runs out early or never."""
    lengths = np.array([len(ids) for ids in queries.inputs], dtype=np.int64)
    for length in np.unique(lengths)[::-1]:
        alike = sorted(np.flatnonzero(lengths == length).tolist(), key=lambda i: queries.inputs[i])
        turn = np.full(len(lengths), -1)
        turn[alike] = np.arange(len(alike))
        row = turn[queries.input]
        some = np.lexsort((places, row))[np.count_nonzero(row < 0) :]
        ids, special = (np.array([each[i] for i in alike]) for each in (queries.inputs, queries.special))
        yield _Inputs(ids, some, row[some], places[some], queries.token[some], special)


def _fill(
    columns: Columns, model: LoadedModel, inputs: Iterable[_Inputs], progress: Progress | None, top: int = 0
) -> None:
    """Read all inputs, and write the answer to each question to its place in the columns."""
    for alike in inputs:
        count, length = alike.ids.shape
        for batch, answers in model.device.in_parts(count, length, partial(_read, model, alike, top)):
            for column, values in zip(columns, answers, strict=True):
                column[batch.question] = values
            if progress is not None:
                progress.add(batch.ids.size)


@torch.inference_mode()
def _read(model: LoadedModel, alike: _Inputs, top: int, rows: slice) -> tuple[_Inputs, Columns]:
    """Some of the inputs, and their columns of Answers, or the first alone where `special` is None."""
    batch = alike.part(rows)
    places, place_of = np.unique(batch.row * batch.ids.shape[1] + batch.position, return_inverse=True)
    states, received = _encode(model, batch, places)
    # a distribution has four bytes for each token of the vocabulary
    device, parts, wanted = model.device, [], None if batch.special is None else top
    room = max(1, min(device.head_bytes // (4 * len(model.tokenizer)), device.head_rows))
    for start in range(0, len(states), room):
        some = slice(*np.searchsorted(place_of, (start, start + room)))
        questions = place_of[some] - start, batch.token[some]
        parts.append(_project(model, states[start : start + room], *questions, wanted))
    return batch, (*(np.concatenate(column) for column in zip(*parts, strict=True)), *received)


def _encode(model: LoadedModel, batch: _Inputs, places: Indices) -> tuple[torch.Tensor, Columns]:
    """Hidden states at the places (indices into the batch's tokens), and both attentions if wanted."""
    device = model.device.torch
    ids, at = torch.from_numpy(batch.ids).to(device), torch.from_numpy(places).to(device)
    mask = None if batch.mask is None else torch.from_numpy(batch.mask).to(device)
    hidden, attention = model.encode(ids, at, mask)
    if batch.special is None:
        return hidden, ()
    if attention is None:
        return hidden, (np.full(len(batch.question), np.nan),) * 2
    received = _attention_received(attention, ~torch.from_numpy(batch.special).to(device))
    return hidden, tuple(values.cpu().numpy()[batch.row, batch.position] for values in received)


def _project(
    model: LoadedModel, states: torch.Tensor, place_of: Indices, tokens: Indices, top: int | None
) -> Columns:
    """The columns but those of attention, at places whose distributions are computed at once.

    place_of: the place of each question, ascending; the questions are taken as many at a time.
    """
    device = model.device.torch
    logits = model.head(states).float()
    # PyTorch's fused log_softmax adds up less exactly: by 5e-6 a token on a vocabulary of 30,000
    peak = logits.amax(1, keepdim=True)
    memory = torch.sub(logits, peak).exp_()
    total = memory.sum(1).log_() + peak[:, 0]
    at, token = (torch.from_numpy(indices).to(device) for indices in (place_of, tokens))
    logit = logits[at, token]
    columns = [logit - total[at]]
    if top is not None:
        best = logits.topk(top, dim=1)
        rank = torch.empty_like(at, dtype=torch.int32)
        # most places are asked about once: only for further questions are their distributions copied
        further = torch.from_numpy(np.diff(place_of, prepend=-1) == 0).to(device)
        rank[~further] = _rank(logits, logit[~further], memory)
        for part in torch.split(further.nonzero()[:, 0], len(logits)):
            of_places = logits[at[part]]
            rank[part] = _rank(of_places, logit[part], torch.empty_like(of_places))
        columns += [rank, best.indices.to(torch.int32)[at], (best.values - total[:, None])[at]]
    return tuple(column.cpu().numpy() for column in columns)


def _rank(logits: torch.Tensor, logit: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    """1 + how many logits of a row (rows × vocabulary) are larger than one of them (rows).

    memory: of the shape of `logits`, overwritten. In single precision ones are compared and counted several
    times as fast as truth values, and exactly in any vocabulary of less than 2^24 tokens.
    """
    return 1 + torch.gt(logits, logit[:, None], out=memory).sum(1).to(torch.int32)


def _attention_received(attention: torch.Tensor, content: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean over queries of attention (batch × query × key): over all, and over content queries."""
    weights = content.to(attention.dtype)
    weights = weights / weights.sum(1, keepdim=True)
    return attention.mean(1), torch.einsum("bq,bqk->bk", weights, attention)
