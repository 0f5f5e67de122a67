"""Linear layers in single precision as fast as the processor allows.

PyTorch's own go to a library (MKL) that leaves half of some processors' speed unused; oneDNN, which comes
with PyTorch, does not. On an AMD EPYC with AVX-512 its layers were measured about twice as fast; on one with
AVX2 alone only those as wide as a vocabulary, 1.5 times. They are taken on such processors alone. Nothing is
timed when a model is loaded: what is chosen must be the same in every run on one machine.
"""

import logging
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
    layers = {
        path: layer
        for path, layer in network.named_modules()
        # subclasses may do something else
        if type(layer) is nn.Linear and layer.weight.dtype == torch.float32
    }
    outputs = pays_from()
    if outputs is None or all(layer.weight.numel() < SMALLEST for layer in layers.values()):
        return 0
    layers = {path: layer for path, layer in layers.items() if layer.out_features >= outputs}
    for path, layer in layers.items():
        network.set_submodule(path, PackedLinear(layer))
    logger.info("linear layers: oneDNN's for %d of at least %d outputs", len(layers), outputs)
    return len(layers)


def pays_from() -> int | None:
    """How many outputs a layer has at least for which oneDNN was found faster on this processor, if any."""
    outputs = {"AVX512": 1, "AVX2": WIDE}.get(torch.backends.cpu.get_cpu_capability())
    return outputs if torch._C._has_mkldnn and "AuthenticAMD" in _processor() else None


def _processor() -> str:
    """What the operating system says of the processor; nothing where it is not Linux."""
    info = Path("/proc/cpuinfo")
    return info.read_text() if info.exists() else ""
