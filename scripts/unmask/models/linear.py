"""Linear layers in single precision as fast as the processor allows.

PyTorch's own fp32 layer goes to a library (MKL) that leaves half of some processors' speed unused;
oneDNN, which comes with PyTorch too, does not. On an AMD EPYC with AVX-512 its layers were measured
about twice as fast. On one with AVX2 alone they were not, but for layers as wide as a vocabulary, where they
were 1.5 times as fast. They are taken on such processors alone. Nothing is timed when a model is loaded: the
two round differently, and what is chosen must be the same in every run on one machine.
"""

import logging
import re
from pathlib import Path

import torch
from torch import nn

logger = logging.getLogger(__name__)

ROWS = 256
"""Rows for which weights are laid out."""
SMALLEST = 1 << 16
"""Weights that a network's largest layer must have: below, oneDNN was slower for batches of few rows."""
WIDE = 1 << 13
"""Outputs that a layer has which is as wide as a vocabulary."""


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


def use_fast_linear_layers(network: nn.Module) -> int:
    """Replace the network's linear layers by oneDNN's where that pays; how many were replaced."""
    outputs = pays_from()
    layers = {
        path: layer
        for path, layer in network.named_modules()
        # subclasses may do something else
        if type(layer) is nn.Linear and layer.weight.dtype == torch.float32
    }
    largest = max((layer.weight.numel() for layer in layers.values()), default=0)
    if outputs is None or largest < SMALLEST:
        return 0
    layers = {path: layer for path, layer in layers.items() if layer.out_features >= outputs}
    for path, layer in layers.items():
        network.set_submodule(path, PackedLinear(layer))
    logger.info("linear layers: oneDNN's for %d of at least %d outputs", len(layers), outputs)
    return len(layers)


def pays_from() -> int | None:
    """How many outputs a layer has at least for which oneDNN was found faster on this processor, if any."""
    outputs = {"AVX512": 1, "AVX2": WIDE}.get(torch.backends.cpu.get_cpu_capability())
    return outputs if torch._C._has_mkldnn and _vendor() == "AuthenticAMD" else None


def _vendor() -> str | None:
    """The processor's maker as it calls itself; None where the operating system does not say (not Linux)."""
    info = Path("/proc/cpuinfo")
    match = re.search(r"^vendor_id\s*: (\S+)", info.read_text(), re.MULTILINE) if info.exists() else None
    return match and match[1]
