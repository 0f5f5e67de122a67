"""The last layer's feed-forward network at the places that are asked for alone.

Attention needs every token of a sequence, but what follows the last layer's attention is done for
each token by itself, and what is done for a token that nobody asks about is lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn


class Narrowing:
    """Lets the last layer of an encoder go on with some places only, while `to` is in force."""

    def __init__(self, intermediate: nn.Module, output: nn.Module) -> None:
        self.places: torch.Tensor | None = None
        intermediate.register_forward_pre_hook(self._narrow_first)
        output.register_forward_pre_hook(self._narrow_second)

    @classmethod
    def of(cls, base: nn.Module) -> "Narrowing | None":
        """For an encoder built like BERT's; None for any other."""
        layers = getattr(getattr(base, "encoder", None), "layer", None)
        if not isinstance(layers, nn.ModuleList):
            return None
        intermediate, output = (getattr(layers[-1], name, None) for name in ("intermediate", "output"))
        if not (isinstance(intermediate, nn.Module) and isinstance(output, nn.Module)):
            return None
        return cls(intermediate, output)

    @contextmanager
    def to(self, places: torch.Tensor) -> Iterator[None]:
        """Hidden states come out as 1 × places × width, places being indices into the batch's tokens."""
        self.places = places
        try:
            yield
        finally:
            self.places = None

    def _narrow_first(self, module: nn.Module, inputs: Any) -> Any:
        """Of intermediate(attended)."""
        return None if self.places is None else (self._at_places(inputs[0]), *inputs[1:])

    def _narrow_second(self, module: nn.Module, inputs: Any) -> Any:
        """Of output(intermediate, attended), the latter being added to the former."""
        return None if self.places is None else (inputs[0], self._at_places(inputs[1]), *inputs[2:])

    def _at_places(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden.flatten(0, 1)[self.places][None]
