"""The kind of a model where its files, or what it is made as, say it and the study does not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MASKED_LM, CAUSAL_LM = "masked-lm", "causal-lm"

DECODERS = ("gpt2", "llama")
"""The architectures of models trained on a world that are causal language models."""

_HEADS = ("ForCausalLM", "LMHeadModel")
_OTHER_HEAD = "WithLMHeadModel"
"""Of XLM and Flaubert, which may be either."""


def expand(study: Mapping[str, Any], families: Mapping[str, Any]) -> dict[str, Any]:
    """The study with `kind: causal-lm` for a folder whose config.json states a causal language model, and for
    a model of DECODERS that is trained here.

    What is not of the right shape is left as it is, for the schema to refuse.
    """
    study, models = dict(study), study.get("models")
    if isinstance(models, Mapping):
        study["models"] = {
            name: {**entry, "kind": CAUSAL_LM}
            if isinstance(entry, Mapping) and "kind" not in entry and _is_decoder(entry, study.get("data"))
            else entry
            for name, entry in models.items()
        }
    return study


def _is_decoder(entry: Mapping[str, Any], data: object) -> bool:
    if entry.get("source") == "train":
        return entry.get("architecture") in DECODERS
    path = entry.get("path")
    if entry.get("source") != "path" or not isinstance(path, str):
        return False
    if isinstance(data, str):
        path = path.replace("{data}", data.rstrip("/"))
    try:
        stated = json.loads((Path(path) / "config.json").read_bytes()).get("architectures")
    except (OSError, ValueError, AttributeError):
        # its check says what is wrong with it
        return False
    names = stated if isinstance(stated, list) else []
    return any(str(name).endswith(_HEADS) and not str(name).endswith(_OTHER_HEAD) for name in names)
