"""Loading a model directory for scoring: one forward pass in, logits and attention out."""

import logging
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.quiet import quiet_transformers

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Output:
    """What a forward pass over `batch` sequences of `length` tokens leaves."""

    logits: torch.Tensor
    """batch × length × vocabulary"""
    attention: torch.Tensor | None
    """batch × query × key, mean over layers and heads; None where not asked for or not to be had"""


@dataclass(frozen=True)
class LoadedModel:
    """A masked language model on its device, in single precision, ready to score."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: torch.device
    attention: str | None
    """Name of the network's output that holds the attention maps; None for no attention."""

    def forward(self, ids: torch.Tensor) -> Output:
        """Run a batch (batch × length) of token ids without padding."""
        output = self.network(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            output_attentions=self.attention is not None,
        )
        if self.attention is None:
            return Output(output.logits, None)
        maps = output[self.attention]
        mean = maps[0].float().mean(1)
        for layer in maps[1:]:
            mean += layer.float().mean(1)
        return Output(output.logits, mean / len(maps))


def pick_device(name: str) -> torch.device:
    """The device called `name`; `auto` is the first GPU, else the CPU.

    Raises InputError where that device is not here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"config key runtime.device: {name} asked for, but PyTorch sees no GPU here")
    return torch.device(name)


def load(
    directory: str | Path, device: torch.device, with_attention: bool, stack: str | None = None
) -> LoadedModel:
    """Load tokenizer and network of a model directory in fp32, in evaluation mode.

    `stack` (encoder | decoder) chooses whose attention counts in an encoder-decoder model; without
    a choice such a model, like one that has no attention maps, loads without attention.
    """
    if device.type == "cuda":
        # single precision means single precision: TF32 would move the scores
        torch.backends.cuda.matmul.fp32_precision = "ieee"
    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True)
        network = AutoModelForMaskedLM.from_pretrained(
            directory,
            local_files_only=True,
            dtype=torch.float32,
            # the fused kernels return no attention maps
            **({"attn_implementation": "eager"} if with_attention else {}),
        )
    network.eval().to(device)
    attention = _attention_output(network, tokenizer, stack) if with_attention else None
    return LoadedModel(network, tokenizer, device, attention)


def _attention_output(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, stack: str | None
) -> str | None:
    if network.config.is_encoder_decoder:
        if stack is None:
            log.warning("an encoder-decoder has several attentions and none was chosen: AULA stays undefined")
            return None
        return f"{stack}_attentions"
    probe = torch.tensor([[tokenizer.mask_token_id] * 2], device=network.device)
    with torch.inference_mode():
        output = network(input_ids=probe, attention_mask=torch.ones_like(probe), output_attentions=True)
    if not output.get("attentions"):
        log.warning("this architecture gives no attention maps: AULA stays undefined")
        return None
    return "attentions"
