"""Tensors of a checkpoint that the network does not use: a model that is another than its files say.

transformers passes over them. So a checkpoint of two layers loads as one, adapters that were never merged are
left out, and numbers in fp8 are read without their scale; all of these score without complaint. This is
checked by a job of its own, and nothing that scores imports it, so that no evidence depends on it.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, PretrainedConfig

from unmask import plugins
from unmask.errors import InputError
from unmask.models.checking import first_line
from unmask.models.directory import ADAPTER
from unmask.models.own_code import is_allowed
from unmask.models.quiet import quiet_transformers

logger = logging.getLogger(__name__)


_BUFFERS = (
    # numbers that are counted, not learnt, and were saved by older versions
    r"(^|\.)(position_ids|token_type_ids)$",
    r"(^|\.)rotary_emb\.inv_freq$",
    r"^(model\.)?(encoder|decoder)\.version$",
)
_CAUSAL = (
    *_BUFFERS,
    # the causal mask of GPT-2 and its kin
    r"(^|\.)(attn|attention)\.(masked_)?bias$",
)
_POOLER = r"(^|\.)pooler\.(dense\.)?(weight|bias)$"
_SECOND_TASKS = (
    # which sentence follows (BERT), which comes first (ALBERT), which word was replaced (DeBERTa, ELECTRA)
    r"^cls\.seq_relationship\.(weight|bias)$",
    r"^sop_classifier\.(classifier\.)?(weight|bias)$",
    r"^(mask_predictions|discriminator_predictions)\.",
)
_WORD_HEADS = (
    r"^cls\.predictions\.",
    r"^predictions\.",
    r"^lm_head\.",
    r"^(lm_predictions|generator_predictions|generator_lm_head)\.",
    r"^vocab_(transform|layer_norm|projector)\.",
    r"^(pred_layer|lm_loss)\.",
    r"^final_logits_bias$",
    # ModernBERT's; that of an encoder-decoder has layers
    r"^head\.(dense|norm)\.(weight|bias)$",
    r"^decoder\.(weight|bias)$",
)
_TASK_HEADS = (
    r"^(pre_classifier|classifier|score|classification_head|qa_outputs)\.",
    # of sentences compared (BERT for question and answer pairs)
    r"^cls\.(weight|bias)$",
)

HARMLESS: Mapping[str, Sequence[str]] = {
    "masked-lm": (*_BUFFERS, _POOLER, *_SECOND_TASKS),
    "causal-lm": _CAUSAL,
    "text-classification": (*_BUFFERS, _POOLER),
    "text-encoder": (*_BUFFERS, _POOLER, *_SECOND_TASKS, *_WORD_HEADS, *_TASK_HEADS),
    "vision-and-language": (*_BUFFERS, _POOLER, *_SECOND_TASKS, *_WORD_HEADS, *_TASK_HEADS),
}
"""Patterns of the names of tensors that nothing is made with, and that may be there, by the kind of model."""

_LAYERS = ("num_hidden_layers", "encoder_layers", "decoder_layers")
_PARTS = ("text_config", "vision_config")


def check(directory: str | Path, kind: str, name: str) -> list[str]:
    """Check that a network uses every tensor of its checkpoint, but for those that are HARMLESS.

    kind: one of `unmask.models.kinds`. The network is built without its numbers, so this takes next to no
    memory. Returns the names of the harmless ones, sorted. What cannot be loaded, or lacks weights, is left
    to the `check` of its kind, which says why.
    Raises InputError, in one line that begins with the model's name, for an adapter beside the weights, for a
    network of zero layers, and for tensors that are not used, with the first of their names and their number.
    """
    directory = Path(directory)
    what = f"model {name}"
    if (directory / ADAPTER).is_file():
        raise InputError(
            f"{what}: {ADAPTER} lies beside its weights, and no adapter is applied: merge it "
            "into the model first (docs/adding.md), or take it away"
        )
    with quiet_transformers():
        try:
            config = AutoConfig.from_pretrained(
                directory, local_files_only=True, trust_remote_code=is_allowed(directory)
            )
        except Exception:  # each architecture has its own way with settings that it cannot use
            return []
        if empty := _without_layers(config):
            raise InputError(f"{what}: {empty} is 0 in its config.json: a network without layers")
        unused = _unused(directory, config, kind)
    harmless = re.compile("|".join(f"(?:{pattern})" for pattern in HARMLESS[kind]))
    others = [key for key in unused if not harmless.search(key)]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        raise InputError(
            f"{what}: its checkpoint has tensors that a {config.model_type} of its config.json does not use, "
            f"{len(others)} in all: {', '.join(others[:3])}{more}"
        )
    logger.info("%s: %d tensors that nothing here is made with, all known as harmless", what, len(unused))
    return unused


def _without_layers(config: PretrainedConfig) -> str | None:
    """The setting that says that there is no layer, if so."""
    parts = [("", config), *((f"{part}.", getattr(config, part, None)) for part in _PARTS)]
    for prefix, part in parts:
        for setting in _LAYERS:
            number = getattr(part, setting, None)
            if number == 0 and not isinstance(number, bool):
                return f"{prefix}{setting}"
    return None


def _unused(directory: Path, config: PretrainedConfig, kind: str) -> list[str]:
    """The names of the tensors that the network of this kind of model has no place for, sorted.

    None where it cannot be loaded, or lacks weights: then it is not such a model, and the rest follows.
    """
    try:
        network: Any = plugins.load("models/kinds", kind).KIND.network(config)
        model, loading = network.from_pretrained(
            directory,
            local_files_only=True,
            trust_remote_code=is_allowed(directory),
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            # names and shapes alone
            device_map="meta",
        )
    except Exception as error:  # corrupt files fail in as many ways as there are formats
        logger.info("the tensors that are not used cannot be known: %s", first_line(error))
        return []
    weights = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    if any(key in weights and not re.search(_POOLER, key) for key in loading["missing_keys"]):
        return []
    return sorted(map(str, loading["unexpected_keys"]))
