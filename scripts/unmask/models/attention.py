"""Attention averaged while a network runs, so that no layer's maps are kept."""

from typing import Any

import torch
from torch import nn


class AttentionSum:
    """Adds up the attention maps that a network's layers return, as means over heads.

    The layers are those innermost modules that return a map (batch × head × query × key) when the
    network reads `probe`; a module that is used for several layers counts each time.
    """

    def __init__(self, network: nn.Module, probe: torch.Tensor) -> None:
        self.listening = False
        self.total: torch.Tensor | None = None
        self.layers = 0
        modules: list[nn.Module] = []
        length = probe.shape[1]

        def note(module: nn.Module, inputs: Any, output: Any) -> None:
            if _map_in(output, length) is not None and module not in modules:
                modules.append(module)

        hooks = [module.register_forward_hook(note) for module in network.modules()]
        with torch.inference_mode():
            network(input_ids=probe, attention_mask=torch.ones_like(probe))
        for hook in hooks:
            hook.remove()
        self.sources = [
            module
            for module in modules
            if not any(inner in modules for inner in module.modules() if inner is not module)
        ]
        for module in self.sources:
            module.register_forward_hook(self._add)

    def _add(self, module: nn.Module, inputs: Any, output: Any) -> None:
        attention = _map_in(output, None) if self.listening else None
        if attention is not None:
            mean = attention.float().mean(1)
            self.total = mean if self.total is None else self.total.add_(mean)
            self.layers += 1

    def start(self) -> None:
        """Add up from here on."""
        self.listening, self.total, self.layers = True, None, 0

    def take(self) -> torch.Tensor | None:
        """The mean over layers and heads since the start: batch × query × key; None if there was none."""
        self.listening = False
        return None if self.total is None else self.total / self.layers


def _map_in(output: Any, length: int | None) -> torch.Tensor | None:
    """The attention map among a module's outputs, if it returns one beside its hidden states."""
    if type(output) is tuple:
        for item in output[1:]:
            square = isinstance(item, torch.Tensor) and item.ndim == 4 and item.shape[2] == item.shape[3]
            if square and length in (None, item.shape[3]):
                attention: torch.Tensor = item
                return attention
    return None
