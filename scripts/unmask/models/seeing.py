"""Encoders of text with pictures: which there are."""

from collections.abc import Mapping
from pathlib import Path

from transformers import PretrainedConfig, PreTrainedTokenizerBase

from unmask.errors import InputError
from unmask.models.checking import load_config, max_length
from unmask.models.joint import blip, flava, lxmert, vilt, visual_bert
from unmask.models.joint.reading import Reading

TITLE = "encoder of text with pictures"

READINGS: Mapping[str, Reading] = {
    "visual_bert": visual_bert.READING,
    "lxmert": lxmert.READING,
    "vilt": vilt.READING,
    "flava": flava.READING,
    "blip": blip.READING,
}
"""By the type of a model, as its config.json states it."""

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


def config_of(directory: Path, what: str) -> tuple[PretrainedConfig, Reading]:
    """The configuration of such an encoder, and how it reads.

    Raises InputError beginning with `what` where it is none, as CLIP.
    """
    config = load_config(
        directory, what, {*READINGS, *TWO_TOWERS}, TITLE, f"known are {', '.join(sorted(READINGS))}"
    )
    if config.model_type in TWO_TOWERS:
        raise InputError(
            f"{what}: its text is not grounded: {config.model_type} reads text and picture apart, so that "
            "what it makes of a text is the same with every picture"
        )
    return config, READINGS[config.model_type]


def longest_text(config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """How many tokens a text may have, special ones included; None for any number."""
    return max_length(getattr(config, "text_config", None) or config, tokenizer)
