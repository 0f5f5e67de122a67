"""Training a masked language model: tokens that it is to predict, and a head that runs at these alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.models.loading import head_apart
from unmask.models.training import IGNORED, Batch, Loss, own_loss

CHOSEN = 0.15
"""BERT's share of the tokens that are to be predicted."""
SHARES = (0.8, 0.1, 0.1)
"""BERT's shares of these that are masked, kept and made random."""


@dataclass(frozen=True)
class Masking:
    """BERT's corruption: of the tokens chosen some are masked, some kept, and the others made random.

    rates: of each token id, how often it is chosen; ordinary: the tokens that stand in place of others, all
    equally often; shares: of the chosen tokens, those that are masked, kept and made random.
    """

    rates: Tensor
    ordinary: Tensor
    mask_id: int
    pad_id: int
    shares: tuple[float, float, float] = SHARES

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase) -> "Masking":
        """As BERT was trained: of all tokens but the special ones."""
        size, special = max(tokenizer.get_vocab().values()) + 1, sorted(set(tokenizer.all_special_ids))
        rates = torch.full((size,), CHOSEN)
        rates[special] = 0.0
        ordinary = torch.tensor(sorted(set(tokenizer.get_vocab().values()) - set(special)))
        # any token will do where none is for padding: it is not attended to
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.mask_token_id
        return cls(rates, ordinary, tokenizer.mask_token_id, pad)

    def batch(
        self, examples: Sequence[npt.NDArray[np.int32]], generator: torch.Generator | None = None
    ) -> Batch:
        """A batch (input_ids, attention_mask, labels; batch × length) of sequences of token ids."""
        lengths = torch.tensor([len(ids) for ids in examples])
        attended = torch.arange(int(lengths.max())) < lengths[:, None]
        original = torch.full(attended.shape, self.pad_id)
        original[attended] = torch.from_numpy(np.concatenate(examples).astype(np.int64))
        corrupted, chosen = self.corrupt(original, generator or torch.default_generator)
        chosen &= attended
        return {
            "input_ids": torch.where(attended, corrupted, original),
            "attention_mask": attended.long(),
            "labels": torch.where(chosen, original, IGNORED),
        }

    def corrupt(self, original: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """The corrupted ids and what is chosen, both of the shape of the ids in `original`."""
        masked, kept, _ = self.shares
        chosen = torch.rand(original.shape, generator=generator) < self.rates[original]
        fate = torch.rand(original.shape, generator=generator)
        corrupted = torch.where(chosen & (fate < masked), self.mask_id, original)
        random = self.ordinary[torch.randint(len(self.ordinary), original.shape, generator=generator)]
        return torch.where(chosen & (fate >= masked + kept), random, corrupted), chosen


def loss_at_labels(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Loss:
    """The loss of a masked language model, whose head runs where there are labels alone.

    That is a seventh of the tokens, and over a large vocabulary the head is half of a small model's work. In
    an architecture whose head cannot run apart from the encoder it is the model's own loss.
    """
    model.eval()  # type: ignore[no-untyped-call]
    reader = head_apart(model, tokenizer)
    if reader is None:
        return own_loss

    def loss(model: PreTrainedModel, batch: Batch) -> Tensor:
        labels = batch["labels"].flatten()
        places = (labels != IGNORED).nonzero()[:, 0]
        encoded = reader.encode(batch["input_ids"], places, batch["attention_mask"])
        return cross_entropy(reader.head(encoded.hidden), labels[places])

    return loss
