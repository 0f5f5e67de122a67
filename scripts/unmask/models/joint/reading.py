"""What is told of a class of networks that read a text together with a picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers import PreTrainedModel

REGIONS, PIXELS = "regions", "pixels"
"""What a network sees: features of the regions that an object detector found, or the picture itself."""


@dataclass(frozen=True)
class Reading:
    """How networks of one class are loaded and read; `config` is the configuration of such a network."""

    network: type[PreTrainedModel]
    embed: Callable[[Any, Tensor, Tensor, Tensor | None], Tensor]
    """Network, token ids (batch × tokens), numbers of the pictures (batch × regions × features, or batch × 3
    × height × width), boxes (batch × regions × 4, or None) -> joint embeddings (batch × width). Every token,
    region and pixel is attended to."""
    width: Callable[[Any], int]
    """config -> numbers of a joint embedding."""
    features: Callable[[Any], int] | None = None
    """config -> features of a region; None for networks of pixels."""
    boxes: bool = False
    """Whether it reads where regions are."""
    patch: Callable[[Any], int | Sequence[int]] | None = None
    """config -> edge of a patch in pixels, or its height and width; None for networks of regions."""

    @property
    def sees(self) -> str:
        return PIXELS if self.features is None else REGIONS

    def length(self, config: Any, shape: Sequence[int]) -> int:
        """How many tokens a picture, of numbers of this shape, is about for the network."""
        if self.patch is None:
            return shape[0]
        edges = self.patch(config)
        height, width = (edges, edges) if isinstance(edges, int) else edges
        return 1 + (shape[1] // height) * (shape[2] // width)
