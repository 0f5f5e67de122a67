"""Small facts about results as JSON files that are the same whenever the facts are."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.files import write_text


def read_facts(path: str | Path) -> dict[str, Any]:
    """Facts that `write_facts` has written."""
    facts: dict[str, Any] = json.loads(Path(path).read_bytes())
    return facts


def write_facts(path: str | Path, facts: Mapping[str, Any]) -> None:
    """Write facts as JSON with sorted keys, whole or not at all."""
    write_text(path, json.dumps(dict(facts), indent=1, sort_keys=True, ensure_ascii=False) + "\n")
