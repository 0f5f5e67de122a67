"""The kind of a model where its files, or what it is made as, say it and the study does not."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError

MASKED_LM, CAUSAL_LM = "masked-lm", "causal-lm"

SCORE_FILE = "score-file"
"""The kind of a model of which there is a file of scores and nothing else."""

DECODERS = ("gpt2", "llama")
"""The architectures of models trained on a world that are causal language models."""

_DECODER = re.compile(r"\w+(ForCausalLM|(?<!With)LMHeadModel|DoubleHeadsModel)")
"""Names of networks that see only what stands before a token; XLM's …WithLMHeadModel sees both sides."""


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


def check_architectures(models: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that no model in a folder whose config.json states a causal language model is called masked.

    models: entries of a study by name, completed or not. Raises InputError, one line naming the model. A
    config.json that cannot be read, or names no network, is left to the job that checks the model.
    """
    for name, entry in models.items():
        is_masked = entry.get("source") == "path" and entry.get("kind", MASKED_LM) == MASKED_LM
        if is_masked and (network := _decoder_in(Path(entry["path"]))):
            raise InputError(
                f"model {name}: {entry['path']} is a causal language model ({network} in config.json), "
                f"and its kind is {MASKED_LM}; leave out kind, or state {CAUSAL_LM}"
            )


def _is_decoder(entry: Mapping[str, Any], data: object) -> bool:
    if entry.get("source") == "train":
        return entry.get("architecture") in DECODERS
    path = entry.get("path")
    if entry.get("source") != "path" or not isinstance(path, str):
        return False
    if isinstance(data, str):
        path = path.replace("{data}", data.rstrip("/"))
    return _decoder_in(Path(path)) is not None


def _decoder_in(folder: Path) -> str | None:
    """The network of a folder whose config.json names such as see what stands before a token alone.

    What one folder holds as a masked and as a causal one is a masked one; None where config.json cannot be
    read, which the model's check says.
    """
    try:
        stated = json.loads((folder / "config.json").read_bytes()).get("architectures")
    except (OSError, ValueError, AttributeError):
        return None
    networks = [each for each in stated if isinstance(each, str)] if isinstance(stated, list) else []
    return networks[0] if networks and all(map(_DECODER.fullmatch, networks)) else None
