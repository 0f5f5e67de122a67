"""Training a masked language model: tokens that it is to predict, and a head that runs at these alone."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from unmask.models.checking import count_embeddings
from unmask.models.devices import ran_out_of_memory
from unmask.models.training import IGNORED, Batch

logger = logging.getLogger(__name__)

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


@contextmanager
def head_at_labels(model: PreTrainedModel) -> Iterator[None]:
    """Have the head of a masked language model run, while the block does, where there are labels alone.

    That is a seventh of the tokens, and over a large vocabulary the head is half of a small model's work. In
    an architecture of which the loss would come out otherwise it runs at every position.
    """
    expected, places = _losses(model), cast(Tensor | None, None)

    def before(module: nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
        nonlocal places
        labels, places = kwargs.get("labels"), None
        if labels is None or (labels == IGNORED).all():
            return None
        places = labels != IGNORED
        return args, kwargs | {"labels": labels[places][None]}

    def behind(encoder: nn.Module, args: Any, output: Any) -> Any:
        if places is not None:
            output["last_hidden_state"] = output["last_hidden_state"][places][None]
        return output

    with ExitStack() as hooks:
        hooks.callback(model.register_forward_pre_hook(before, with_kwargs=True).remove)
        hooks.callback(model.base_model.register_forward_hook(behind).remove)
        try:
            same = np.allclose(_losses(model), expected, rtol=1e-3, atol=0)
        except Exception as error:  # whatever it is that an architecture cannot
            if ran_out_of_memory(error):
                raise
            same = False
        if not same:
            logger.info("head at labels alone: not for this architecture, it runs at every position")
            hooks.close()
        yield


@torch.inference_mode()
def _losses(model: PreTrainedModel) -> list[float]:
    """The losses on short inputs of two lengths, with more labels than a sequence has tokens."""
    model.eval()  # type: ignore[no-untyped-call]
    generator, vocabulary, losses = torch.Generator().manual_seed(0), count_embeddings(model), []
    for length in (8, 7):
        ids = torch.randint(vocabulary, (2, length), generator=generator).to(model.device)
        # padding in the middle of a sequence would move the positions behind it
        if (pad := model.config.pad_token_id) is not None:
            ids[ids == pad] = (pad + 1) % vocabulary
        labels = ids.clone()
        labels[:, ::3] = IGNORED
        losses.append(float(model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss))
    return losses
