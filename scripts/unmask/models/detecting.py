"""The kind of a model where its files, or what it is made as, say it and the study does not."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MASKED_LM, CAUSAL_LM = "masked-lm", "causal-lm"

SCORE_FILE = "score-file"
"""The kind of a model of which there is a file of scores and nothing else."""

DECODERS = ("gpt2", "llama")
"""The architectures of models trained on a world that are causal language models."""

_DECODER = re.compile(r"\w+(ForCausalLM|(?<!With)LMHeadModel|DoubleHeadsModel)")
"""Names of networks that see only what stands before a token; XLM's …WithLMHeadModel sees both sides."""


def with_kinds(study: Mapping[str, Any]) -> dict[str, Any]:
    """The study with `kind: causal-lm` for a folder whose config.json states a causal language model, and for
    a model of DECODERS that is trained here.

    What is not of the right shape is left as it is, to be refused.
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
    return _holds_decoder(Path(path))


def _holds_decoder(folder: Path) -> bool:
    """Whether all networks that a config.json names see what stands before a token alone.

    What one folder holds as a masked and as a causal one is a masked one; what cannot be read is left to the
    job that checks the model.
    """
    try:
        stated = json.loads((folder / "config.json").read_bytes()).get("architectures")
    except (OSError, ValueError, AttributeError):
        return False
    return bool(stated) and isinstance(stated, list) and all(_DECODER.fullmatch(str(each)) for each in stated)
