"""Loading a model directory for scoring, and reading sequences with it.

A language model is an encoder (of a causal one, the layers of its decoder), which reads a sequence, and a
head, which turns one position's hidden state into a distribution over the vocabulary. They are used apart, so
that the head, half of a small model's work, runs at the positions that are asked for alone.
"""

import dataclasses
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedModel, PreTrainedTokenizerBase
from transformers.activations import NewGELUActivation

from unmask.errors import InputError
from unmask.models.devices import Device, ran_out_of_memory
from unmask.models.directory import is_allowed
from unmask.models.tokenizer import Start, load_tokenizer, read_after

logger = logging.getLogger(__name__)

TOLERANCE = {"float32": 1e-4, "tf32": 1e-2, "bfloat16": 0.3}
"""How far log-probabilities of a faster way may be from the plain forward pass when it is checked."""

PROBES = ((4, 8), (4, 7))
"""Sequences and tokens of what a way of reading is tried on: of two lengths, with more places than either.
A model that takes fewer tokens than a short sentence has is refused before."""

CPUINFO = Path("/proc/cpuinfo")
"""Where Linux says what the processor is."""
ROWS = 256
"""Rows for which weights of linear layers are laid out."""
SMALLEST = 1 << 16
"""Weights that a network's largest layer must have: below, oneDNN was slower for batches of few rows."""
WIDE = 1 << 13
"""Outputs that a layer has which is as wide as a vocabulary."""


@dataclass(frozen=True)
class Encoded:
    """What reading `batch` sequences of `length` tokens leaves.

    hidden: places × width, for `LoadedModel.head`. attention: batch × query × key, mean over layers and
    heads; None where not asked for or not to be had.
    """

    hidden: torch.Tensor
    attention: torch.Tensor | None


@dataclass(frozen=True)
class LoadedModel:
    """A masked or causal language model on its device, ready to score.

    encode: reads a batch of token ids (batch × length), and gives the hidden states at some places: sorted
    indices into the batch's tokens, one sequence after the other. A third argument, a mask (batch × length),
    is False where a token only fills up its sequence and is not attended to. head: turns hidden states (rows
    × width) into logits (rows × vocabulary). predicts_next: whether a hidden state predicts the token behind
    its place, as in a decoder, and not the one in it.
    """

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    device: Device
    encode: Callable[..., Encoded]
    head: Callable[[torch.Tensor], torch.Tensor]
    predicts_next: bool = False


def load(
    directory: str | Path,
    device: Device,
    with_attention: bool,
    stack: str | None = None,
    dtype: str = "float32",
    start: Start | None = None,
    fast_layers: bool = True,
) -> LoadedModel:
    """Load tokenizer and network of a model directory in evaluation mode.

    start: of a causal language model, whose tokenizer then puts it before each text; None for a masked one.

    `dtype` is float32, or one that is faster and less exact: tf32 (products of float32 with ten bits of
    mantissa, on a GPU) or bfloat16.

    `stack` (encoder | decoder) chooses whose attention counts in an encoder-decoder model; without
    a choice such a model, like one whose attention is no map of all tokens by all, loads without attention.
    Every faster way of the same arithmetic is checked against the plain forward pass and left out, with a
    line in the log, where it differs; `fast_layers`: whether layers are replaced, too. Raises InputError for
    a model that does not fit into the device's memory.
    """
    if device.torch.type == "cuda":
        # cuDNN's attention plans anew for each shape, of which there are many
        torch.backends.cuda.enable_cudnn_sdp(False)
    tokenizer = load_tokenizer(directory)
    if start is not None:
        read_after(tokenizer, start)
    auto = AutoModelForMaskedLM if start is None else AutoModelForCausalLM
    # the fused kernels return no attention maps
    options = {"attn_implementation": "eager"} if with_attention else {}
    network = load_network(auto, directory, device, dtype, **options)
    if start is not None:
        # nothing is generated: keys and values of tokens read before would take memory for nothing
        network.config.use_cache = False
    with _in_memory(directory, device):
        probes = [_probe(tokenizer, shape, device.torch) for shape in PROBES]
        attention = _attention_output(network, probes, stack) if with_attention else None
        plain = Reader(network, attention, apart=False)
        expected = _outputs(plain, probes)
        if fast_layers:
            if device.torch.type == "cpu":
                use_fast_linear_layers(network)
            _use_fused_gelu(network)
        ways = (Reader(network, attention, apart=True), plain)
        way = next((each for each in ways if _agrees(each, probes, expected, TOLERANCE[dtype])), None)
    if way is None and fast_layers:
        logger.warning("faster layers differ from the plain ones: this model runs without them")
        return load(directory, device, with_attention, stack, dtype, start, fast_layers=False)
    way = way or plain
    if way is plain:
        logger.info("head apart from encoder: not for this architecture, it runs at every position")
    return LoadedModel(network, tokenizer, device, way.encode, way.head, start is not None)


def load_network(
    auto: Any, directory: str | Path, device: Device, dtype: str = "float32", **options: Any
) -> PreTrainedModel:
    """A network of a class of transformers, on the device, in evaluation mode.

    dtype: as of `load`; options: as of the class's `from_pretrained`. Raises InputError for a network that
    does not fit into the device's memory.
    """
    if device.torch.type == "cuda":
        # single precision means single precision: TF32 would move the scores
        torch.backends.cuda.matmul.fp32_precision = "tf32" if dtype == "tf32" else "ieee"
    with _in_memory(directory, device):
        network: Any = auto.from_pretrained(
            directory,
            local_files_only=True,
            trust_remote_code=is_allowed(directory),
            dtype=torch.bfloat16 if dtype == "bfloat16" else torch.float32,
            **options,
        )
        loaded: PreTrainedModel = network.eval().to(device.torch)
    return loaded


@contextmanager
def _in_memory(directory: str | Path, device: Device) -> Iterator[None]:
    """Raises InputError where memory runs out within the block."""
    try:
        yield
    except (RuntimeError, MemoryError, OSError) as error:
        if not ran_out_of_memory(error):
            raise
        raise InputError(
            f"{directory}: this model is too large for the memory of {device}: "
            "give it more, or take another device (config key runtime.device)"
        ) from None


def _probe(tokenizer: PreTrainedTokenizerBase, shape: tuple[int, int], device: torch.device) -> torch.Tensor:
    """A short input with ordinary, special and (where there are any) mask tokens; sequences × tokens."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(len(tokenizer), shape, generator=generator)
    if tokenizer.mask_token_id is not None:
        # a padding token in the middle would be read as the end by some architectures
        ids[ids == tokenizer.pad_token_id] = tokenizer.mask_token_id
        ids[:, 3] = tokenizer.mask_token_id
    return ids.to(device)


def _attention_output(
    network: PreTrainedModel, probes: Sequence[torch.Tensor], stack: str | None
) -> str | None:
    """The name of the output that holds the attention maps."""
    # of an encoder-decoder of which none is chosen there is none of this name
    name = f"{stack}_attentions" if network.config.is_encoder_decoder else "attentions"
    try:
        # without maps of all tokens by all there are two outputs a probe
        if len(_outputs(Reader(network, name, apart=False), probes)) == 3 * len(probes):
            return name
    except Exception as error:  # whatever it is that an architecture cannot
        _log_unsupported(error)
    logger.warning(
        "no attention maps of all tokens by all tokens, of an encoder-decoder of the stack that is chosen "
        "(key attention): AULA stays undefined"
    )
    return None


def head_apart(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> "Reader | None":
    """The way to read with a network in evaluation mode whose head runs apart from its encoder; None where
    the two give other log-probabilities than the network does."""
    probes = [_probe(tokenizer, shape, network.device) for shape in PROBES]
    plain, apart = (Reader(network, None, apart) for apart in (False, True))
    return apart if _agrees(apart, probes, _outputs(plain, probes), TOLERANCE["float32"]) else None


class Reader:
    """A way to read with a network: encoder and head apart, or as it is, the head running at every position.

    The encoder is the network's base model. The head is whatever the network does with the base model's
    output: it is run by calling the network while its base model returns what it is told.
    """

    def __init__(self, network: PreTrainedModel, attention: str | None, apart: bool) -> None:
        self.network, self.attention, self.apart = network, attention, apart
        self.output: Any = None

    def encode(self, ids: torch.Tensor, places: torch.Tensor, mask: torch.Tensor | None = None) -> Encoded:
        # the hidden states of the batch before
        self.output = None
        output: Any = (self.network.base_model if self.apart else self.network)(
            input_ids=ids,
            attention_mask=torch.ones_like(ids) if mask is None else mask.to(ids.dtype),
            output_attentions=self.attention is not None,
        )
        attention = _mean(output, self.attention, ids)
        if not self.apart:
            return Encoded(output.logits.flatten(0, 1)[places], attention)
        # kept for its other fields, which heads pass on; the maps would fill the memory
        without_maps = {} if self.attention is None else {self.attention: None}
        self.output = dataclasses.replace(output, **without_maps)
        return Encoded(output.last_hidden_state.flatten(0, 1)[places], attention)

    def head(self, hidden: torch.Tensor) -> torch.Tensor:
        if not self.apart:
            return hidden
        output = dataclasses.replace(self.output, last_hidden_state=hidden[None])
        ids = torch.zeros(1, len(hidden), dtype=torch.long, device=hidden.device)
        base = self.network.base_model
        forward = base.forward
        base.forward = lambda *args, **kwargs: output
        try:
            logits: torch.Tensor = self.network(input_ids=ids).logits[0]
        finally:
            base.forward = forward
        return logits


def _mean(output: Any, name: str | None, ids: torch.Tensor) -> torch.Tensor | None:
    """The mean over layers and heads of the attention maps of this name: batch × query × key, in single
    precision. None where they are not one map a layer (batch × heads × query × key) of all tokens by all."""
    maps = output.get(name) if name else None
    batch, length = ids.shape
    if not isinstance(maps, tuple) or not maps or not all(map(torch.is_tensor, maps)):
        return None
    if any(each.ndim != 4 or (len(each), *each.shape[2:]) != (batch, length, length) for each in maps):
        return None
    means: list[torch.Tensor] = [layer.float().mean(1) for layer in maps]
    return reduce(torch.add, means) / len(means)


def _use_fused_gelu(network: nn.Module) -> None:
    """ALBERT's GELU is written out in seven operations; PyTorch has the same formula as one."""
    for path, module in list(network.named_modules()):
        if isinstance(module, NewGELUActivation):
            network.set_submodule(path, nn.GELU(approximate="tanh"))


@torch.inference_mode()
def _outputs(way: Reader, probes: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """What a way of reading makes of each probe: log-probabilities at all places and at some alone, as where
    tokens are hidden, and attention if there is any."""
    outputs = []
    for probe in probes:
        every = torch.arange(probe.numel(), device=probe.device)
        for places in (every[1::3], every):
            encoded = way.encode(probe, places)
            outputs.append(way.head(encoded.hidden).float().log_softmax(-1))
        outputs += [] if encoded.attention is None else [encoded.attention]
    return outputs


def _agrees(
    way: Reader, probes: Sequence[torch.Tensor], expected: Sequence[torch.Tensor], tolerance: float
) -> bool:
    """Whether a way of reading gives the log-probabilities and the attention that it should."""
    try:
        outputs = _outputs(way, probes)
    except Exception as error:  # whatever it is that an architecture cannot
        _log_unsupported(error)
        return False
    return len(outputs) == len(expected) and all(
        one.shape == other.shape and torch.allclose(one, other, rtol=tolerance, atol=tolerance)
        for one, other in zip(outputs, expected, strict=True)
    )


def _log_unsupported(error: Exception) -> None:
    """Raises the error where it is about memory: what way is taken must not depend on how much is free."""
    if ran_out_of_memory(error):
        raise error
    logger.info("%s: %s", type(error).__name__, str(error).partition("\n")[0])


class PackedLinear(nn.Module):
    """A linear layer with its weight laid out for oneDNN; fp32, for inference only."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.out_features = layer.out_features
        self.packed = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), ROWS)
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

    PyTorch's own go to a library (MKL) that leaves half of some processors' speed unused. On an AMD EPYC with
    AVX-512 those of oneDNN were measured about twice as fast; on one with AVX2 alone only those as wide as a
    vocabulary, 1.5 times. They are taken on such processors alone, and nothing is timed here: what is chosen
    must be the same in every run on one machine.
    """
    layers = {
        path: layer
        for path, layer in network.named_modules()
        # subclasses may do something else
        if type(layer) is nn.Linear and layer.weight.dtype == torch.float32
    }
    outputs = pays_from()
    if outputs is None or all(layer.weight.numel() < SMALLEST for layer in layers.values()):
        return False
    layers = {path: layer for path, layer in layers.items() if layer.out_features >= outputs}
    for path, layer in layers.items():
        network.set_submodule(path, PackedLinear(layer))
    logger.info("linear layers: oneDNN's for %d of at least %d outputs", len(layers), outputs)
    return bool(layers)


def pays_from() -> int | None:
    """How many outputs a layer has at least for which oneDNN was found faster on this processor, if any."""
    outputs = {"AVX512": 1, "AVX2": WIDE}.get(torch.backends.cpu.get_cpu_capability())
    is_amd = CPUINFO.exists() and "AuthenticAMD" in CPUINFO.read_text()
    return outputs if torch._C._has_mkldnn and is_amd else None
