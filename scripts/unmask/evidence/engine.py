"""The engine: unique inputs with questions about them, and a loop that answers these in batches.

Inputs are read in batches of exactly one length, so the engine pads nothing and no result depends on the
other sequences of its batch beyond float error. An input that occurs twice is read once, and a
distribution over the vocabulary that is asked about twice is computed once. What does not fit into the
device's memory is taken in smaller portions.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import numpy.typing as npt
import torch

from unmask.evidence.progress import Progress
from unmask.models.devices import SAME, within_memory
from unmask.models.loading import LoadedModel

logger = logging.getLogger(__name__)

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
    """One entry per question, in its order."""

    log_prob: npt.NDArray[np.float32]
    """Natural logarithm of the token's probability."""
    rank: npt.NDArray[np.int32]
    """1 + how many tokens of the vocabulary are more probable."""
    attention: npt.NDArray[np.float32]
    """Attention that the position receives, mean over layers, heads and queries; NaN if not asked for."""
    attention_content: npt.NDArray[np.float32]
    """The same over the queries that are not special tokens."""
    likeliest: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))
    """questions × as many as were asked for: the most probable tokens in its place, the likeliest first."""
    likeliest_log_prob: npt.NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 0), dtype=np.float32)
    )
    """Their log-probabilities."""


@dataclass(frozen=True)
class Block:
    """Inputs of one length, each asked for its own tokens, nothing hidden.

    The short form of `Queries` for very many inputs: no Python object for each.
    """

    ids: Indices
    """inputs × length"""
    mask: npt.NDArray[np.bool_] | None = None
    """inputs × length: False where a token is padding and not attended to; None where there is none."""


def answer(model: LoadedModel, queries: Queries, progress: Progress | None = None, top: int = 0) -> Answers:
    """Run the model over all inputs, in batches of the size that suits its device.

    top: how many of the most probable tokens are wanted for each question (all, of a smaller vocabulary).
    A batch that does not fit into memory is halved, and so are those after it, also of later calls with
    the same device. Raises InputError for a sequence that does not fit by itself.
    """
    count = len(queries.input)
    log_prob, attention, content = (np.full(count, np.nan, dtype=np.float32) for _ in range(3))
    rank = np.zeros(count, dtype=np.int32)
    top = min(top, len(model.tokenizer))
    likeliest = np.zeros((count, top), dtype=np.int32), np.full((count, top), np.nan, dtype=np.float32)
    columns = (log_prob, rank, *(likeliest if top else ()), attention, content)
    # where in its input what is said of each question stands
    places = np.maximum(queries.position - 1, 0) if model.predicts_next else queries.position
    _fill(columns, model, _of_queries(queries, places), progress, top)
    if model.predicts_next:
        # nothing stands before the first token: it is given, and so is certain
        first = queries.position == 0
        log_prob[first], rank[first] = 0, 1
    return Answers(log_prob, rank, attention, content, *likeliest)


def token_log_probs(
    model: LoadedModel, blocks: Sequence[Block], progress: Progress | None = None
) -> list[npt.NDArray[np.float32]]:
    """Log-probability of each block's tokens where they stand: inputs × length.

    Neither ranks, which take a look at the whole vocabulary for each token, nor attention. Memory and errors
    as with `answer`.
    """
    of_blocks = [np.full(block.ids.shape, np.nan, dtype=np.float32) for block in blocks]
    for number in sorted(range(len(blocks)), key=lambda number: -blocks[number].ids.shape[1]):
        _fill((of_blocks[number].reshape(-1),), model, [_of_block(blocks[number])], progress)
    return of_blocks


@dataclass(frozen=True)
class _Inputs:
    """Inputs of one length, and questions about them, by place."""

    ids: Indices
    """inputs × length"""
    question: Indices
    """For each question its number; row, position and token are those of each, too."""
    row: Indices
    position: Indices
    token: Indices
    special: npt.NDArray[np.bool_] | None = None
    """inputs × length; None where neither ranks nor attention are wanted."""
    mask: npt.NDArray[np.bool_] | None = None
    """inputs × length, as in Block"""

    def part(self, rows: slice) -> "_Inputs":
        """Some of the inputs, with their questions."""
        some = slice(*np.searchsorted(self.row, (rows.start, rows.stop)))
        return _Inputs(
            self.ids[rows],
            self.question[some],
            self.row[some] - rows.start,
            self.position[some],
            self.token[some],
            None if self.special is None else self.special[rows],
            None if self.mask is None else self.mask[rows],
        )


def _of_queries(queries: Queries, places: Indices) -> Iterator[_Inputs]:
    """The inputs of each length, longest first, so that memory runs out early or never."""
    order = sorted(range(len(queries.inputs)), key=lambda i: (-len(queries.inputs[i]), queries.inputs[i]))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order))
    turn_of = turn[queries.input]
    questions = np.lexsort((places, turn_of))
    for _, alike in groupby(enumerate(order), key=lambda each: len(queries.inputs[each[1]])):
        turns, inputs = zip(*alike, strict=True)
        some = questions[slice(*np.searchsorted(turn_of[questions], (turns[0], turns[-1] + 1)))]
        yield _Inputs(
            np.array([queries.inputs[i] for i in inputs], dtype=np.int64),
            some,
            turn_of[some] - turns[0],
            places[some],
            queries.token[some],
            np.array([queries.special[i] for i in inputs]),
        )


def _of_block(block: Block) -> _Inputs:
    rows, positions = (each.reshape(-1) for each in np.indices(block.ids.shape))
    questions = np.arange(block.ids.size)
    return _Inputs(block.ids, questions, rows, positions, block.ids.reshape(-1), mask=block.mask)


def _fill(
    columns: Columns, model: LoadedModel, inputs: Iterable[_Inputs], progress: Progress | None, top: int = 0
) -> None:
    """Read all inputs, and write the answer to each question to its place in the columns."""
    for alike in inputs:
        (count, length), done = alike.ids.shape, 0
        while done < count:
            batch = alike.part(slice(done, done + max(1, model.device.batch_tokens // length)))
            answers = _read(model, batch, top)
            if answers is None:
                model.device.take_half(*batch.ids.shape)
                continue
            for column, values in zip(columns, answers, strict=True):
                column[batch.question] = values
            done += len(batch.ids)
            if progress is not None:
                progress.add(len(batch.ids), batch.ids.size)


@torch.inference_mode()
def _read(model: LoadedModel, batch: _Inputs, top: int) -> Columns | None:
    """The columns of Answers for a batch, those of attention last, or the first alone; None where memory runs
    out."""
    places, place_of = np.unique(batch.row * batch.ids.shape[1] + batch.position, return_inverse=True)
    encoded = within_memory(_encode, model, batch, places)
    if encoded is None:
        return None
    states, received = encoded
    predicted = _query(model, states, place_of, batch.token, batch.special is not None, top)
    return None if predicted is None else (*predicted, *received)


def _encode(model: LoadedModel, batch: _Inputs, places: Indices) -> tuple[torch.Tensor, Columns]:
    """Hidden states at the places (indices into the batch's tokens), and both attentions if wanted."""
    device = model.device.torch
    ids, at = torch.from_numpy(batch.ids).to(device), torch.from_numpy(places).to(device)
    mask = None if batch.mask is None else torch.from_numpy(batch.mask).to(device)
    encoded = model.encode(ids, at, mask)
    if batch.special is None:
        return encoded.hidden, ()
    if encoded.attention is None:
        return encoded.hidden, (np.full(len(batch.question), np.nan),) * 2
    received = _attention_received(encoded.attention, ~torch.from_numpy(batch.special).to(device))
    return encoded.hidden, tuple(values.cpu().numpy()[batch.row, batch.position] for values in received)


def _query(
    model: LoadedModel, states: torch.Tensor, place_of: Indices, token: Indices, ranks: bool, top: int
) -> Columns | None:
    """Log-probability (and rank, and the likeliest tokens) of each question; None where memory runs out at a
    single place.

    place_of: the place of each question, ascending.
    """
    device = model.device
    # a distribution has four bytes for each token of the vocabulary
    place_bytes = 4 * len(model.tokenizer)
    parts: list[Columns] = []
    done = 0
    while done < len(states):
        room = max(1, min(device.head_bytes // place_bytes, device.head_rows))
        first, last = np.searchsorted(place_of, (done, done + room))
        questions = place_of[first:last] - done, token[first:last]
        part = within_memory(_project, model, states[done : done + room], *questions, room, ranks, top)
        size = min(room, len(questions[0]))
        if part is not None:
            parts.append(part)
            done += room
        elif size > 1:
            device.head_bytes = size // 2 * place_bytes
            logger.warning(
                "out of memory on %s with %d distributions over the vocabulary: at most %d from here on; %s",
                device,
                size,
                size // 2,
                SAME,
            )
        else:
            return None
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _project(
    model: LoadedModel,
    states: torch.Tensor,
    place_of: Indices,
    tokens: Indices,
    room: int,
    ranks: bool,
    top: int,
) -> Columns:
    """`_query` at places whose distributions are computed at once, for `room` questions at a time."""
    device = model.device.torch
    logits = model.head(states).float()
    # PyTorch's fused log_softmax adds up less exactly: by 5e-6 a token on a vocabulary of 30,000
    peak = logits.amax(1, keepdim=True)
    memory = torch.sub(logits, peak).exp_()
    total = memory.sum(1).log_() + peak[:, 0]
    at, token = (torch.from_numpy(indices).to(device) for indices in (place_of, tokens))
    logit = logits[at, token]
    columns = [logit - total[at]]
    if top:
        best = logits.topk(top, dim=1)
        likeliest = [best.indices.to(torch.int32)[at], (best.values - total[:, None])[at]]
    if ranks:
        rank = torch.empty_like(at, dtype=torch.int32)
        # most places are asked about once: only for further questions are their distributions copied
        further = torch.from_numpy(np.diff(place_of, prepend=-1) == 0).to(device)
        rank[~further] = _rank(logits, logit[~further], memory)
        for part in torch.split(further.nonzero()[:, 0], room):
            of_places = logits[at[part]]
            rank[part] = _rank(of_places, logit[part], torch.empty_like(of_places))
        columns.append(rank)
    if top:
        columns += likeliest
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
