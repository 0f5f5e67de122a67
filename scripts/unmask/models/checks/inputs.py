"""Inputs that a network was trained with and that nothing here gives: it would read texts as no one meant."""

from collections.abc import Callable, Mapping
from pathlib import Path

from transformers import AutoConfig, PretrainedConfig

from unmask.errors import InputError
from unmask.models.own_code import is_allowed
from unmask.models.quiet import quiet_transformers

NEVER_GIVEN: Mapping[str, Callable[[PretrainedConfig], bool]] = {
    # XLM, FlauBERT
    "the language of each token (langs)": lambda config: (
        getattr(config, "use_lang_emb", False) and getattr(config, "n_langs", 1) > 1
    ),
    # LayoutLM and its kin
    "where on a page each word stands (bbox)": lambda config: hasattr(config, "max_2d_position_embeddings"),
    # RoCBert
    "the shape and the sound of each character": lambda config: (
        getattr(config, "enable_shape", False) or getattr(config, "enable_pronunciation", False)
    ),
}
"""What is never given, and whether a network with these settings reads it."""


def check(directory: str | Path, kind: str, name: str) -> None:
    """Raise InputError, beginning with the model's name, for a network that reads what is NEVER_GIVEN.

    What cannot be loaded is left to the `check` of its kind, which says why.
    """
    with quiet_transformers():
        try:
            config = AutoConfig.from_pretrained(
                directory, local_files_only=True, trust_remote_code=is_allowed(directory)
            )
        except Exception:  # each architecture has its own way with settings that it cannot use
            return
    for given, is_read in NEVER_GIVEN.items():
        if is_read(config):
            raise InputError(
                f"model {name}: a {config.model_type} of its config.json reads {given}, "
                "which no text here has"
            )
