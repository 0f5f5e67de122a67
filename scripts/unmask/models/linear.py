"""Linear layers in single precision as fast as the processor allows.

PyTorch's own fp32 layer goes to a library that leaves half of some processors' speed unused; oneDNN,
which comes with PyTorch too, does not. Its layers are taken only where they are found equal and
clearly faster when the model is loaded.
"""

import logging
import time
from collections.abc import Callable

import torch
from torch import nn

log = logging.getLogger(__name__)

ROWS = 256
"""Rows for which weights are laid out and the two libraries compared."""
WORTHWHILE = 1.2
"""How many times faster oneDNN must be: far from the noise of a measurement, so that every run on
one machine chooses alike."""
SMALLEST = 1 << 16
"""Weights that a network's largest layer must have: below, a measurement is all noise."""


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
        f"{path}.{name}" if path else name: layer
        for path, module in network.named_modules()
        for name, layer in module.named_children()
        # subclasses may do something else
        if type(layer) is nn.Linear and layer.weight.dtype == torch.float32
    }
    if not layers or not torch._C._has_mkldnn:
        return 0
    largest = max(layers.values(), key=lambda layer: layer.weight.numel())
    if largest.weight.numel() < SMALLEST or not _pays(largest):
        return 0
    for path, layer in layers.items():
        network.set_submodule(path, PackedLinear(layer))
    return len(layers)


@torch.inference_mode()
def _pays(layer: nn.Linear) -> bool:
    rows = torch.randn(ROWS, layer.in_features, generator=torch.Generator().manual_seed(0))
    try:
        packed = PackedLinear(layer)
        difference = (packed(rows) - layer(rows)).abs().max()
    except (RuntimeError, NotImplementedError, AttributeError) as error:
        log.info("linear layers: PyTorch's own (oneDNN cannot: %s)", str(error).splitlines()[0])
        return False
    if not difference <= 1e-4 * layer(rows).abs().max():
        log.warning("linear layers: PyTorch's own (oneDNN differs by %g)", difference)
        return False
    gain = _seconds(lambda: layer(rows)) / _seconds(lambda: packed(rows))
    log.info("linear layers: oneDNN is %.1f times as fast as PyTorch's own", gain)
    return gain >= WORTHWHILE


def _seconds(action: Callable[[], object]) -> float:
    """The shortest of several times, after a first one that does not count."""
    action()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)
