"""Training a masked language model: tokens that it is to predict, and a head that runs at these alone."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

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
    """BERT's corruption: of the tokens chosen some are masked, some kept, and the others made random."""

    rates: Tensor
    """Of each token id, how often it is chosen."""
    ordinary: Tensor
    """The tokens that stand in place of others, all equally often."""
    mask_id: int
    pad_id: int
    shares: tuple[float, float, float] = SHARES
    """Of the chosen tokens, those that are masked, kept and made random."""

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
    """Have a masked language model go on, while the block does, where there are labels alone.

    That is a seventh of the tokens. What comes behind the last attention is done for each token by itself: in
    the last layer, and in the head, which over a large vocabulary is half of a small model's work. In an
    architecture of which the loss would come out otherwise the head alone runs so, or nothing does.
    """
    plain = _losses(model)
    with ExitStack() as hooks:
        for behind in dict.fromkeys((_last_attention(model), None)):
            _hook(model, behind, hooks)
            if _has_losses(model, plain):
                break
            hooks.close()
        else:
            logger.info("head at labels alone: not for this architecture, it runs at every position")
        yield


def _last_attention(model: PreTrainedModel) -> nn.Module | None:
    """The module by which a pass through the encoder lets tokens see each other last.

    None where no module has the name that architectures like BERT have for it, and where layers share it.
    """
    named = model.base_model.named_modules()
    modules = [module for name, module in named if name.rpartition(".")[2] == "attention"]
    return modules[-1] if len(modules) == getattr(model.config, "num_hidden_layers", 0) else None


def _hook(model: PreTrainedModel, attention: nn.Module | None, hooks: ExitStack) -> None:
    """Cut hidden states down to places with labels, as 1 × places × width, until `hooks` are closed.

    attention: behind which they are cut; None cuts them behind the encoder.
    """
    places: Tensor | None = None

    def before(module: nn.Module, args: Any, kwargs: dict[str, Any]) -> Any:
        nonlocal places
        labels = kwargs.get("labels")
        places = None
        if labels is None or (labels == IGNORED).all():
            return None
        places = labels != IGNORED
        return args, kwargs | {"labels": labels[places][None]}

    def behind_attention(module: nn.Module, args: Any, output: Any) -> Any:
        return output if places is None else (output[0][places][None], *output[1:])

    def behind_encoder(module: nn.Module, args: Any, output: Any) -> Any:
        if places is not None:
            output["last_hidden_state"] = output["last_hidden_state"][places][None]
        return output

    hooks.callback(model.register_forward_pre_hook(before, with_kwargs=True).remove)
    if attention is None:
        hooks.callback(model.base_model.register_forward_hook(behind_encoder).remove)
    else:
        hooks.callback(attention.register_forward_hook(behind_attention).remove)


def _has_losses(model: PreTrainedModel, losses: list[float]) -> bool:
    """Whether the losses on the short inputs are these."""
    try:
        return np.allclose(_losses(model), losses, rtol=1e-3, atol=0)
    except Exception as error:  # whatever it is that an architecture cannot
        if ran_out_of_memory(error):
            raise
        return False


def _losses(model: PreTrainedModel) -> list[float]:
    """The losses on short inputs of two lengths, with more labels than a sequence has tokens."""
    model.eval()  # type: ignore[no-untyped-call]
    generator = torch.Generator().manual_seed(0)
    vocabulary = count_embeddings(model)
    losses = []
    for length in (8, 7):
        ids = torch.randint(vocabulary, (2, length), generator=generator).to(model.device)
        # padding in the middle of a sequence would move the positions behind it
        if (pad := model.config.pad_token_id) is not None:
            ids[ids == pad] = (pad + 1) % vocabulary
        labels = ids.clone()
        labels[:, ::3] = IGNORED
        with torch.inference_mode():
            loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss
        losses.append(float(loss))
    return losses
