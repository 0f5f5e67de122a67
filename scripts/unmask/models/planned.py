"""What is known of a study's models before any job runs, from the config.json of those in a folder."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError

DECODER = re.compile(r"\w+(ForCausalLM|LMHeadModel|DoubleHeadsModel)")
"""Names of networks that see only what stands before a token."""

NO_DECODER = frozenset(["XLMWithLMHeadModel"])
"""Networks that see both sides, though their names are alike."""

SEES_BOTH_SIDES = ("masked-lm",)
"""The kinds of which a decoder is none."""


def check_architectures(models: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that no model in a folder is a decoder where its kind reads what follows a mask, too.

    models: entries of a study by name, completed or not. Raises InputError, one line naming the model. A
    config.json that cannot be read, or names no network, is left to the job that checks the model.
    """
    for name, entry in models.items():
        if entry.get("source") == "path" and entry.get("kind", SEES_BOTH_SIDES[0]) in SEES_BOTH_SIDES:
            networks = _networks(Path(entry["path"]) / "config.json")
            if networks and all(map(_is_decoder, networks)):
                raise InputError(
                    f"model {name}: {entry['path']} is a decoder ({networks[0]} in config.json), "
                    "and only masked language models can be scored"
                )


def _networks(config: Path) -> list[str]:
    """The names of networks in a config.json."""
    try:
        content = json.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    networks = content.get("architectures") if isinstance(content, dict) else None
    return [each for each in networks if isinstance(each, str)] if isinstance(networks, list) else []


def _is_decoder(network: str) -> bool:
    return network not in NO_DECODER and bool(DECODER.fullmatch(network))
