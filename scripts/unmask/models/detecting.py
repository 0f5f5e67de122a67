"""The kind of a model where its files, or what it is made as, say it and the study does not."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
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
    """Whether all networks that a model's config.json names see what stands before a token alone."""
    if entry.get("source") == "train":
        return entry.get("architecture") in DECODERS
    if entry.get("source") != "path":
        return False
    # what cannot be read is left to the job that checks the model
    with suppress(OSError, ValueError, LookupError, TypeError):
        folder = str(entry["path"]).replace("{data}", str(data).rstrip("/"))
        stated = json.loads(Path(folder, "config.json").read_bytes())["architectures"]
        # a folder that holds a masked network, too, is a masked one's
        return isinstance(stated, list) and stated != [] and all(map(_DECODER.fullmatch, stated))
    return False
