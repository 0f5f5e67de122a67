"""The settings that a study's results are of, beside them: they may be copied without Snakemake's record."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.facts import write_facts
from unmask.urls import as_shown, query_digest

FILE = "settings.json"
"""Its name in the study's folder of results."""

LAYOUT = 2
"""The layout of a study's folder of results: higher by one with each change of its files or tables."""

_NO_MATTER = ("data", "runtime", "title", "licence", "published", "sha256", "git_blob")
"""Keys that say where and how a study is run, or what is only shown or checked: no number depends on them."""


def stated(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a completed configuration its results depend on, without secrets of urls."""
    data = str(config["data"]).rstrip("/") if config.get("data") else None

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            if isinstance(value.get("url"), str):
                value = {**as_shown(value), "query": value.get("query") or query_digest(value)}
            return {str(key): plain(each) for key, each in value.items() if key not in _NO_MATTER}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if data and isinstance(value, str) and value.startswith(f"{data}/"):
            return value.replace(data, "{data}", 1)
        return value

    settings: dict[str, Any] = {**plain(config), "layout": LAYOUT}
    if "measures" in settings:
        # their order is one of showing
        settings["measures"] = sorted(settings["measures"])
    return settings


def write_settings(path: str | Path, settings: Mapping[str, Any]) -> None:
    """Write settings that `stated` returned, whole or not at all."""
    write_facts(path, settings)


def check_layout(results: str | Path) -> None:
    """Raise InputError where the settings of results say that another version laid them out."""
    path = Path(results, FILE)
    if path.is_file() and _read(path).get("layout") != LAYOUT:
        raise InputError(f"{results}: made by an earlier layout: read anew (remove it, or add --forceall)")


def difference(results: str | Path, config: Mapping[str, Any]) -> str | None:
    """The first key in which a study is another one than its results say, in words; None where there is none.

    Raises InputError where the results do not say.
    """
    # of what another version wrote, too, only what matters
    return _difference(stated(_read(Path(results, FILE))), json.loads(json.dumps(stated(config))), "")


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_bytes()))
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None


def _difference(one: Any, other: Any, place: str) -> str | None:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            differing = _difference(one.get(key), other.get(key), f"{place}.{key}" if place else key)
            if differing:
                return differing
        return None
    if one == other:
        return None
    if one is None or other is None:
        return f"{'a' if other is None else 'no'} {place}"
    return f"{place} {_as_text(one)}, not {_as_text(other)}"


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:80]
