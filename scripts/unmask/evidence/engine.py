"""The engine: forward passes over unique inputs in batches of equal length, answers per token.

Batches hold sequences of exactly one length, so nothing is padded and no result depends on the
other sequences of its batch beyond float error. Equal inputs are read once and so score equally.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import torch

from unmask.models.loading import LoadedModel

log = logging.getLogger(__name__)

HEAD_ROWS = 256
"""Vocabulary distributions looked at in one go: bounds the memory, and fits the cache."""


@dataclass(frozen=True)
class Questions:
    """What is asked of a model: the probability of `token` at `position` of an input, one entry each."""

    input: npt.NDArray[np.int64]
    position: npt.NDArray[np.int64]
    token: npt.NDArray[np.int64]


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
def answer(
    model: LoadedModel,
    inputs: Sequence[tuple[int, ...]],
    special: Sequence[npt.NDArray[np.bool_]],
    questions: Questions,
    batch_tokens: int,
) -> Answers:
    """Run the model over `inputs` (unique token id sequences) and answer the questions about them.

    `special` tells the special tokens of each input; `batch_tokens` bounds a batch's tokens.
    """
    count = len(questions.input)
    answers = Answers(
        np.full(count, np.nan, dtype=np.float32),
        np.zeros(count, dtype=np.int32),
        np.full(count, np.nan, dtype=np.float32),
        np.full(count, np.nan, dtype=np.float32),
    )
    asked_of = np.argsort(questions.input, kind="stable")
    starts = np.searchsorted(questions.input[asked_of], np.arange(len(inputs) + 1))
    progress = _Progress(inputs)
    for batch in _batches(inputs, batch_tokens):
        ids = torch.tensor([inputs[i] for i in batch], device=model.device)
        output = model.forward(ids)
        of_each = [asked_of[starts[i] : starts[i + 1]] for i in batch]
        asked = np.concatenate(of_each)
        row = np.repeat(np.arange(len(batch)), [len(part) for part in of_each])
        for start in range(0, len(asked), HEAD_ROWS):
            part = asked[start : start + HEAD_ROWS]
            logits = output.logits[row[start : start + HEAD_ROWS], questions.position[part]].float()
            tokens = torch.from_numpy(questions.token[part]).to(model.device)
            chosen = logits.gather(1, tokens[:, None])
            answers.log_prob[part] = (chosen[:, 0] - logits.logsumexp(1)).cpu().numpy()
            answers.rank[part] = 1 + (logits > chosen).sum(1).cpu().numpy()
        if output.attention is not None:
            content = torch.from_numpy(np.array([~special[i] for i in batch])).to(model.device)
            everywhere, of_content = (a.cpu().numpy() for a in _received(output.attention, content))
            answers.attention[asked] = everywhere[row, questions.position[asked]]
            answers.attention_content[asked] = of_content[row, questions.position[asked]]
        progress.done(len(batch), ids.numel())
    return answers


def _received(attention: torch.Tensor, content: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean over queries of attention (batch × query × key): over all, and over content queries."""
    weights = content.to(attention.dtype)
    weights = weights / weights.sum(1, keepdim=True)
    return attention.mean(1), torch.einsum("bq,bqk->bk", weights, attention)


def _batches(inputs: Sequence[tuple[int, ...]], batch_tokens: int) -> Iterator[list[int]]:
    """Indices of `inputs`, longest first (so that memory runs out at once or never), equal lengths."""
    order = sorted(range(len(inputs)), key=lambda i: (-len(inputs[i]), inputs[i]))
    for length, group in groupby(order, key=lambda i: len(inputs[i])):
        members = list(group)
        size = max(1, batch_tokens // length)
        for start in range(0, len(members), size):
            yield members[start : start + size]


class _Progress:
    """Says every ten seconds how far the work is, counted in tokens."""

    def __init__(self, inputs: Sequence[tuple[int, ...]]) -> None:
        self.sequences, self.tokens = len(inputs), sum(map(len, inputs))
        self.sequences_done = self.tokens_done = 0
        self.start = self.said = time.monotonic()
        log.info("%d sequences, %d tokens", self.sequences, self.tokens)

    def done(self, sequences: int, tokens: int) -> None:
        self.sequences_done += sequences
        self.tokens_done += tokens
        now = time.monotonic()
        if now - self.said >= 10 or self.sequences_done == self.sequences:
            self.said = now
            elapsed = max(now - self.start, 1e-9)
            speed = self.tokens_done / elapsed
            log.info(
                "%d of %d sequences (%.0f%%), %.0f tokens/s, %.0f s left",
                self.sequences_done,
                self.sequences,
                100 * self.tokens_done / self.tokens,
                speed,
                (self.tokens - self.tokens_done) / speed,
            )
