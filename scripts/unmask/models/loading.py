"""Loading a model directory for scoring, and reading sequences with it.

A language model is an encoder (of a causal one, the layers of its decoder), which reads a sequence, and a
head, which turns one position's hidden state into a distribution over the vocabulary. They are used apart, so
that the head, half of a small model's work, runs at the positions that are asked for alone.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedModel, PreTrainedTokenizerBase
from transformers.activations import NewGELUActivation

from unmask.models.devices import Device, ran_out_of_memory
from unmask.models.directory import from_directory
from unmask.models.tokenizer import Start, load_tokenizer, read_after

logger = logging.getLogger(__name__)

TOLERANCE = {"float32": 1e-4, "tf32": 1e-2, "bfloat16": 0.3}
"""How far log-probabilities of a faster way may be from the plain forward pass when it is checked."""

PROBES = ((4, 8), (4, 7))
"""Sequences and tokens of what a way of reading is tried on: of two lengths, with more places than either.
A model that takes fewer tokens than a short sentence has is refused before."""

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux says what the processor is."""
SMALLEST = 1 << 16
"""Weights that a network's largest layer must have: below, oneDNN was slower for batches of few rows."""


@dataclass
class LoadedModel:
    """A masked or causal language model on its device, ready to score, and a way to read with it.

    predicts_next: whether a hidden state predicts the token behind its place, as in a decoder, and not the
    one in it. with_attention: whether attention maps are read. apart: whether the encoder, the network's base
    model, runs apart from the head, or the head at every position. The head is whatever the network does with
    the base model's output: it is run by calling the network while its base model returns what it is told.
    """

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: Device
    predicts_next: bool = False
    with_attention: bool = False
    apart: bool = True
    output: Any = None
    """What the encoder made of the last batch."""

    def encode(
        self, ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Hidden states for `head`, places × width, and attention, batch × query × key: the mean over layers
        and heads, None where it is not asked for or there are no maps of all tokens by all.

        ids: batch × length. places: sorted indices into the batch's tokens, one sequence after the other.
        mask: batch × length, False where a token only fills up its sequence and is not attended to.
        """
        # the hidden states of the batch before
        self.output = None
        output: Any = (self.network.base_model if self.apart else self.network)(
            input_ids=ids,
            attention_mask=torch.ones_like(ids) if mask is None else mask.to(ids.dtype),
            output_attentions=self.with_attention,
        )
        attention = _mean(output.get("attentions"), ids) if self.with_attention else None
        if not self.apart:
            return output.logits.flatten(0, 1)[places], attention
        # kept for its other fields, which heads pass on; the maps would fill the memory
        without_maps = {"attentions": None} if self.with_attention else {}
        self.output = replace(output, **without_maps)
        return output.last_hidden_state.flatten(0, 1)[places], attention

    def head(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits, rows × vocabulary, of hidden states, rows × width."""
        if not self.apart:
            return hidden
        output = replace(self.output, last_hidden_state=hidden[None])
        ids = torch.zeros(1, len(hidden), dtype=torch.long, device=hidden.device)
        base = self.network.base_model
        forward = base.forward
        base.forward = lambda *args, **kwargs: output
        try:
            logits: torch.Tensor = self.network(input_ids=ids).logits[0]
        finally:
            base.forward = forward
        return logits


def load(
    directory: str | Path,
    device: Device,
    with_attention: bool,
    dtype: str = "float32",
    start: Start | None = None,
    fast_layers: bool = True,
) -> LoadedModel:
    """Load tokenizer and network of a model directory in evaluation mode.

    start: of a causal language model, whose tokenizer then puts it before each text; None for a masked one.

    `dtype` is float32, or one that is faster and less exact: tf32 (products of float32 with ten bits of
    mantissa, on a GPU) or bfloat16.

    An encoder-decoder model, like one whose attention is no map of all tokens by all, loads without
    attention. Every faster way of the same arithmetic is checked against the plain forward pass and left out,
    with a line in the log, where it differs; `fast_layers`: whether layers are replaced, too.
    """
    if device.torch.type == "cuda":
        # cuDNN's attention plans anew for each shape, of which there are many
        torch.backends.cuda.enable_cudnn_sdp(False)
    tokenizer = load_tokenizer(directory)
    read_after(tokenizer, start)
    auto = AutoModelForMaskedLM if start is None else AutoModelForCausalLM
    # the fused kernels return no attention maps
    options = {"attn_implementation": "eager"} if with_attention else {}
    network = load_network(auto, directory, device, dtype, **options)
    if start is not None:
        # nothing is generated: keys and values of tokens read before would take memory for nothing
        network.config.use_cache = False
    plain = LoadedModel(network, tokenizer, device, start is not None, with_attention, apart=False)
    # first with attention: BigBird changes its own for good at the first text
    expected = _tried(plain) if with_attention else []
    # with maps of all tokens by all there are three outputs a probe
    if len(expected) < 3 * len(PROBES):
        plain.with_attention = False
        expected = _outputs(plain)
        if with_attention:
            logger.warning("no attention maps of all tokens by all tokens: AULA stays undefined")
    if fast_layers:
        if device.torch.type == "cpu":
            use_fast_linear_layers(network)
        _use_fused_gelu(network)
    ways = (replace(plain, apart=True), plain)
    way = next((each for each in ways if _agree(_tried(each), expected, TOLERANCE[dtype])), None)
    if way is None and fast_layers:
        logger.warning("faster layers differ from the plain ones: this model runs without them")
        return load(directory, device, with_attention, dtype, start, fast_layers=False)
    way = way or plain
    if not way.apart:
        logger.info("head apart from encoder: not for this architecture, it runs at every position")
    return way


def load_network(
    auto: Any, directory: str | Path, device: Device, dtype: str = "float32", **options: Any
) -> PreTrainedModel:
    """A network of a class of transformers, on the device, in evaluation mode.

    dtype: as of `load`; options: as of the class's `from_pretrained`.
    """
    if device.torch.type == "cuda":
        # single precision means single precision: TF32 would move the scores
        torch.backends.cuda.matmul.fp32_precision = "tf32" if dtype == "tf32" else "ieee"
    options["dtype"] = torch.bfloat16 if dtype == "bfloat16" else torch.float32
    network: PreTrainedModel = from_directory(auto, directory, **options).eval().to(device.torch)
    return network


def head_apart(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, device: Device
) -> LoadedModel | None:
    """The way to read with a network in evaluation mode whose head runs apart from its encoder; None where
    the two give other log-probabilities than the network does."""
    plain, apart = (LoadedModel(network, tokenizer, device, apart=each) for each in (False, True))
    return apart if _agree(_tried(apart), _outputs(plain), TOLERANCE["float32"]) else None


def _mean(maps: Any, ids: torch.Tensor) -> torch.Tensor | None:
    """The mean over layers and heads of attention maps: batch × query × key, in single precision. None where
    they are not one map a layer (batch × heads × query × key) of all tokens by all."""
    batch, length = ids.shape
    if not isinstance(maps, tuple) or not maps or not all(map(torch.is_tensor, maps)):
        return None
    if any(each.ndim != 4 or (len(each), *each.shape[2:]) != (batch, length, length) for each in maps):
        return None
    mean: torch.Tensor = reduce(torch.add, (layer.float().mean(1) for layer in maps)) / len(maps)
    return mean


def _use_fused_gelu(network: nn.Module) -> None:
    """ALBERT's GELU is written out in seven operations; PyTorch has the same formula as one."""
    for path, module in list(network.named_modules()):
        if isinstance(module, NewGELUActivation):
            network.set_submodule(path, nn.GELU(approximate="tanh"))


@torch.inference_mode()
def _outputs(model: LoadedModel) -> list[torch.Tensor]:
    """What a way of reading makes of each of PROBES: log-probabilities at all places and at some alone, as
    where tokens are hidden, and attention if there is any."""
    outputs = []
    for shape in PROBES:
        probe = _probe(model.tokenizer, shape, model.device.torch)
        every = torch.arange(probe.numel(), device=probe.device)
        for places in (every[1::3], every):
            hidden, attention = model.encode(probe, places)
            outputs.append(model.head(hidden).float().log_softmax(-1))
        outputs += [] if attention is None else [attention]
    return outputs


def _tried(model: LoadedModel) -> list[torch.Tensor]:
    """The same; nothing where the architecture cannot be read so."""
    try:
        return _outputs(model)
    except Exception as error:  # whatever it is that an architecture cannot
        # what way is taken must not depend on how much memory is free
        if ran_out_of_memory(error):
            raise
        logger.info("%s: %s", type(error).__name__, str(error).partition("\n")[0])
        return []


def _probe(tokenizer: PreTrainedTokenizerBase, shape: tuple[int, int], device: torch.device) -> torch.Tensor:
    """A short input with ordinary, special and (where there are any) mask tokens; sequences × tokens."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(len(tokenizer), shape, generator=generator)
    if tokenizer.mask_token_id is not None:
        # a padding token in the middle would be read as the end by some architectures
        ids[ids == tokenizer.pad_token_id] = tokenizer.mask_token_id
        ids[:, 3] = tokenizer.mask_token_id
    return ids.to(device)


def _agree(outputs: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], tolerance: float) -> bool:
    """Whether a way of reading gives the log-probabilities and the attention that it should."""
    return len(outputs) == len(expected) > 0 and all(
        one.shape == other.shape and torch.allclose(one, other, rtol=tolerance, atol=tolerance)
        for one, other in zip(outputs, expected, strict=True)
    )


class PackedLinear(nn.Module):
    """A linear layer with its weight laid out for oneDNN; fp32, for inference only."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.out_features = layer.out_features
        # for so many rows
        self.packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), 256)
        self.bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """… × in_features -> … × out_features"""
        rows = input.reshape(-1, input.shape[-1])
        output: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            rows, self.packed, self.bias, "none", [], ""
        )
        return output.reshape(*input.shape[:-1], self.out_features)


def use_fast_linear_layers(network: nn.Module) -> bool:
    """Replace the network's linear layers by oneDNN's where that pays; whether any was.

    PyTorch's own go to a library (MKL) that leaves half of some processors' speed unused. On AMD EPYC with
    AVX-512 those of oneDNN were measured about twice as fast. They are taken there alone, and nothing is
    timed here: what is chosen must be the same in every run on one machine.
    """
    layers = {
        path: layer
        for path, layer in network.named_modules()
        # subclasses may do something else
        if type(layer) is nn.Linear and layer.weight.dtype == torch.float32
    }
    if not onednn_pays() or all(layer.weight.numel() < SMALLEST for layer in layers.values()):
        return False
    for path, layer in layers.items():
        network.set_submodule(path, PackedLinear(layer))
    logger.info("linear layers: oneDNN's for all %d", len(layers))
    return True


def onednn_pays() -> bool:
    """Whether oneDNN was found faster on this processor."""
    has_avx512 = torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch._C._has_mkldnn and has_avx512 and CPUINFO.exists() and "AuthenticAMD" in CPUINFO.read_text()
