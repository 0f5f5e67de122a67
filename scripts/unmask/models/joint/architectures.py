"""Networks that read a text together with a picture: which there are, and how each is loaded and read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor
from transformers import (
    BlipForImageTextRetrieval,
    FlavaModel,
    LxmertModel,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    ViltModel,
    VisualBertModel,
)

from unmask.errors import InputError
from unmask.models.checking import load_config, max_length

TITLE = "encoder of text with pictures"

TWO_TOWERS = (
    "align",
    "altclip",
    "chinese_clip",
    "clip",
    "clipseg",
    "groupvit",
    "metaclip_2",
    "siglip",
    "siglip2",
    "vision-text-dual-encoder",
    "xclip",
)
"""Types of models that read texts and pictures apart, and only compare them."""

REGIONS, PIXELS = "regions", "pixels"
"""What a network sees: features of the regions that an object detector found, or the picture itself."""


@dataclass(frozen=True)
class Architecture:
    """How networks of one class are loaded and read; `config` is the configuration of such a network."""

    network: type[PreTrainedModel]
    embed: Callable[[Any, Tensor, Tensor, Tensor | None], Tensor]
    """Network, token ids (batch × tokens), numbers of the pictures (batch × regions × features, or batch × 3
    × height × width), boxes (batch × regions × 4, or None) -> the joint embedding of each text, and behind it
    one of each of its tokens where they are kept apart (batch × 1 [+ tokens] × width). Every token, region
    and pixel is attended to."""
    width: Callable[[Any], int]
    """config -> numbers of a joint embedding."""
    features: Callable[[Any], int] | None = None
    """config -> features of a region; None for networks of pixels."""
    keeps_tokens: bool = True
    """Whether there is an embedding of each token."""
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


def config_of(directory: Path, what: str) -> tuple[PretrainedConfig, Architecture]:
    """The configuration of such an encoder, and how it reads.

    Raises InputError beginning with `what` where it is none, as CLIP.
    """
    config = load_config(
        directory, what, {*ARCHITECTURES, *TWO_TOWERS}, TITLE, f"known are {', '.join(sorted(ARCHITECTURES))}"
    )
    if config.model_type in TWO_TOWERS:
        raise InputError(
            f"{what}: its text is not grounded: {config.model_type} reads text and picture apart, so that "
            "what it makes of a text is the same with every picture"
        )
    return config, ARCHITECTURES[config.model_type]


def longest_text(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens a text may have, special ones included; None for any number."""
    return max_length(getattr(config, "text_config", None) or config, tokenizer)


def _first_and_all(hidden: Tensor) -> Tensor:
    """Hidden states of a text's tokens, and that of the first before them all."""
    return torch.cat([hidden[:, :1], hidden], 1)


# VisualBERT (Li et al. 2019): regions follow the text in one sequence, as its second segment.


def _embed_visual_bert(
    network: VisualBertModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None
) -> Tensor:
    """The last hidden states of the text; the first token's is the joint one.

    Raises InputError for a network whose regions bypass the transformer.
    """
    if network.config.bypass_transformer:
        # it would fail over a mask of one row, of which it takes another
        raise InputError(
            f"transformers {transformers.__version__} cannot run VisualBERT with bypass_transformer"
        )
    seen = torch.ones(numbers.shape[:2], dtype=torch.long, device=numbers.device)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_embeds=numbers,
        visual_attention_mask=seen,
        visual_token_type_ids=seen,
    ).last_hidden_state
    return _first_and_all(hidden[:, : ids.shape[1]])


_VISUAL_BERT = Architecture(
    VisualBertModel,
    _embed_visual_bert,
    width=lambda config: int(config.hidden_size),
    features=lambda config: int(config.visual_embedding_dim),
)


# LXMERT (Tan & Bansal 2019): text and regions are read apart, then each looks at the other.


def _embed_lxmert(network: LxmertModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden states of the text, which has looked at the regions; the first token's is the joint
    one."""
    assert boxes is not None
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        visual_feats=numbers,
        visual_pos=boxes,
        visual_attention_mask=torch.ones(numbers.shape[:2], device=numbers.device),
    ).language_output
    return _first_and_all(hidden)


_LXMERT = Architecture(
    LxmertModel,
    _embed_lxmert,
    width=lambda config: int(config.hidden_size),
    features=lambda config: int(config.visual_feat_dim),
    boxes=True,
)


# ViLT (Kim, Son & Kim 2021): patches of the picture follow the text in one sequence.

_EVERY_PATCH = -1


def _embed_vilt(network: ViltModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden states of the text; the first token's is the joint one.

    transformers puts the patches in an order drawn at random, and where `max_image_length` is set leaves some
    out. Here they are put back, every one: the same bytes for each run and place in the batch.
    """
    pixels = torch.ones((len(numbers), *numbers.shape[2:]), dtype=torch.long, device=numbers.device)
    read: Any = network.embeddings.visual_embed
    patches, mask, (places, (_, across)) = read(numbers, pixels, max_image_length=_EVERY_PATCH)
    # the first is a token of its own, before the patches
    order = 1 + (places[..., 0] * across + places[..., 1]).argsort(1)
    order = torch.cat([torch.zeros_like(order[:, :1]), order], 1)
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        image_embeds=patches.gather(1, order[..., None].expand_as(patches)),
        pixel_mask=mask,
    ).last_hidden_state
    return _first_and_all(hidden[:, : ids.shape[1]])


_VILT = Architecture(
    ViltModel,
    _embed_vilt,
    width=lambda config: int(config.hidden_size),
    patch=lambda config: config.patch_size,
)


# FLAVA (Singh et al. 2022): encoders of text and picture, and one on top that reads both.


def _embed_flava(network: FlavaModel, ids: Tensor, numbers: Tensor, boxes: Tensor | None) -> Tensor:
    """The last hidden states of the encoder on top: that of its own first token is the joint one, and those
    of the text come last, behind the picture's."""
    hidden: Tensor = network(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        token_type_ids=torch.zeros_like(ids),
        pixel_values=numbers,
    ).multimodal_embeddings
    return torch.cat([hidden[:, :1], hidden[:, -ids.shape[1] :]], 1)


_FLAVA = Architecture(
    FlavaModel,
    _embed_flava,
    width=lambda config: int(config.multimodal_config.hidden_size),
    patch=lambda config: config.image_config.patch_size,
)


# BLIP (Li et al. 2022), trained to tell whether text and picture go together: its text looks at the picture.
#
# The class is BlipForImageTextRetrieval. BlipModel, which AutoModel would take, has a text tower of its own
# that looks at no picture, and that such a checkpoint has no weights of.


def _embed_blip(
    network: BlipForImageTextRetrieval, ids: Tensor, numbers: Tensor, boxes: Tensor | None
) -> Tensor:
    """The last hidden states of the text. The first token's, which its own head for matching reads, is the
    joint one.

    Both halves are run here, as the whole does with `use_itm_head`, because that has the picture's mask on
    the CPU wherever the network is. Raises ValueError for pictures of another size than the network's: it
    would take the places of their patches for others.
    """
    config: Any = network.config
    edge = config.vision_config.image_size
    if numbers.shape[2:] != (edge, edge):
        height, width = numbers.shape[2:]
        raise ValueError(f"pictures of {height} × {width} pixels, and the network takes {edge} × {edge}")
    picture = network.vision_model(pixel_values=numbers).last_hidden_state
    hidden: Tensor = network.text_encoder(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        encoder_hidden_states=picture,
        encoder_attention_mask=torch.ones(picture.shape[:2], dtype=torch.long, device=picture.device),
    ).last_hidden_state
    return _first_and_all(hidden)


_BLIP = Architecture(
    BlipForImageTextRetrieval,
    _embed_blip,
    width=lambda config: int(config.text_config.hidden_size),
    patch=lambda config: config.vision_config.patch_size,
)


ARCHITECTURES: Mapping[str, Architecture] = {
    "visual_bert": _VISUAL_BERT,
    "lxmert": _LXMERT,
    "vilt": _VILT,
    "flava": _FLAVA,
    "blip": _BLIP,
}
"""By the type of a model, as its config.json states it."""
