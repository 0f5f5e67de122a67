"""The engine: a work list of unique inputs with questions about them, and a loop that answers.

Inputs are read in batches of exactly one length, so nothing is padded and no result depends on the
other sequences of its batch beyond float error. An input that occurs twice is read once, and a
distribution over the vocabulary that is asked about twice is computed once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import torch

from unmask.evidence.progress import Progress
from unmask.models.loading import LoadedModel

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Work:
    """What a model is to be asked.

    inputs: unique token id sequences. special: which tokens of each are special. The other three have
    one entry per question, the probability of `token` at `position` of an input; `input` is an index.
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


@torch.inference_mode()
def answer(model: LoadedModel, work: Work, progress: Progress | None = None) -> Answers:
    """Run the model over all inputs, in batches of the size that suits its device."""
    count = len(work.input)
    log_prob, attention, content = (np.full(count, np.nan, dtype=np.float32) for _ in range(3))
    rank = np.zeros(count, dtype=np.int32)
    device = model.device.torch
    for batch in _batches(work, model.device.batch_tokens):
        ids = torch.tensor([work.inputs[i] for i in batch.inputs], device=device)
        places, of_question = np.unique(batch.row * ids.shape[1] + batch.position, return_inverse=True)
        encoded = model.encode(ids, torch.from_numpy(places).to(device))
        found = _ask(model, encoded.hidden, of_question, batch.token)
        log_prob[batch.questions], rank[batch.questions] = found
        if encoded.attention is not None:
            special = torch.from_numpy(np.array([work.special[i] for i in batch.inputs]))
            received = _received(encoded.attention, ~special.to(device))
            for column, values in zip((attention, content), received, strict=True):
                column[batch.questions] = values.cpu().numpy()[batch.row, batch.position]
        if progress is not None:
            progress.add(ids.shape[0], ids.numel())
    return Answers(log_prob, rank, attention, content)


@dataclass(frozen=True)
class _Batch:
    """Inputs of one length; row, position and token are those of each question, sorted by place."""

    inputs: list[int]
    questions: Indices
    row: Indices
    position: Indices
    token: Indices


def _batches(work: Work, batch_tokens: int) -> Iterator[_Batch]:
    """Longest first, so that memory runs out at once or never."""
    order = sorted(range(len(work.inputs)), key=lambda i: (-len(work.inputs[i]), work.inputs[i]))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order))
    questions = np.lexsort((work.position, turn[work.input]))
    starts = np.searchsorted(turn[work.input][questions], np.arange(len(order) + 1))
    first = 0
    for length, group in groupby(order, key=lambda i: len(work.inputs[i])):
        members = list(group)
        size = max(1, batch_tokens // length)
        for start in range(0, len(members), size):
            inputs = members[start : start + size]
            asked = questions[starts[first] : starts[first + len(inputs)]]
            row = turn[work.input[asked]] - first
            yield _Batch(inputs, asked, row, work.position[asked], work.token[asked])
            first += len(inputs)


def _ask(
    model: LoadedModel, states: torch.Tensor, of_question: Indices, tokens: Indices
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """Log-probability and rank of each question's token; `of_question` tells its place, in order."""
    device = model.device.torch
    # a distribution has four bytes for each token of the vocabulary
    size = max(1, model.device.head_bytes // (4 * len(model.tokenizer)))
    token = torch.from_numpy(tokens).to(device)
    at = torch.from_numpy(of_question).to(device)
    log_probs, ranks = [], []
    for start in range(0, len(states), size):
        logits = model.head(states[start : start + size]).float()
        total = logits.logsumexp(1)
        first, last = np.searchsorted(of_question, (start, start + size))
        for part in range(first, last, size):
            asked = slice(part, min(part + size, last))
            rows = at[asked] - start
            of_places = logits if len(rows) == len(logits) == last - first else logits[rows]
            chosen = of_places.gather(1, token[asked, None])
            log_probs.append(chosen[:, 0] - total[rows])
            ranks.append(1 + (of_places > chosen).sum(1, dtype=torch.int32))
    return torch.cat(log_probs).cpu().numpy(), torch.cat(ranks).cpu().numpy()


def _received(attention: torch.Tensor, content: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean over queries of attention (batch × query × key): over all, and over content queries."""
    weights = content.to(attention.dtype)
    weights = weights / weights.sum(1, keepdim=True)
    return attention.mean(1), torch.einsum("bq,bqk->bk", weights, attention)
