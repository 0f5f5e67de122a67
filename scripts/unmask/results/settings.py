"""The settings that a study's results are of, beside them: they may be copied without Snakemake's record."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.files import write_text
from unmask.urls import without_secrets

FILE = "settings.json"
"""Its name in the study's folder of results."""

_ELSEWHERE = ("data", "runtime")
"""Keys of a study that say where and how it is run."""


def stated(config: Mapping[str, Any]) -> dict[str, Any]:
    """A completed configuration without what differs from machine to machine, and without secrets of urls."""
    data = str(config["data"]).rstrip("/") if config.get("data") else None

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(key): plain(each) for key, each in value.items()}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, str):
            shown = without_secrets(value)
            return shown.replace(data, "{data}", 1) if data and shown.startswith(f"{data}/") else shown
        return value

    return {key: plain(value) for key, value in config.items() if key not in _ELSEWHERE}


def write_settings(path: str | Path, settings: Mapping[str, Any]) -> None:
    """Write settings that `stated` has given, whole or not at all."""
    write_text(path, json.dumps(settings, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def difference(results: str | Path, config: Mapping[str, Any]) -> str | None:
    """The first key in which a study is another one than its results say, in words; None where there is none.

    Raises InputError where the results do not say.
    """
    path = Path(results, FILE)
    try:
        before = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    return _difference(before, json.loads(json.dumps(stated(config))), "")


def _difference(one: Any, other: Any, place: str) -> str | None:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            found = _difference(one.get(key), other.get(key), f"{place}.{key}" if place else key)
            if found:
                return found
        return None
    if one == other:
        return None
    if one is None or other is None:
        return f"{'a' if other is None else 'no'} {place}"
    return f"{place} {_shown(one)}, not {_shown(other)}"


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:80]
