"""The settings that a study's results are of, beside them: they may be copied without Snakemake's record."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.facts import read_facts
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


def check_layout(results: str | Path) -> None:
    """Raise InputError where the settings of results say that another version laid them out."""
    if Path(results, FILE).is_file() and _read(results).get("layout") != LAYOUT:
        raise InputError(f"{results}: made by an earlier layout: read anew (remove it, or add --forceall)")


def difference(results: str | Path, config: Mapping[str, Any]) -> str | None:
    """The first key in which results are of other settings, in words; None where they are of these.

    Raises InputError where the results do not say their settings.
    """
    # of what another version wrote, too, only what matters
    theirs, ours = _by_key(stated(_read(results))), _by_key(stated(config))
    for key in sorted({*theirs, *ours}):
        if key not in ours:
            return f"a {key}"
        if key not in theirs:
            return f"no {key}"
        if theirs[key] != ours[key]:
            shown, wanted = (json.dumps(each[key], ensure_ascii=False)[:80] for each in (theirs, ours))
            return f"{key} {shown}, not {wanted}"
    return None


def _read(results: str | Path) -> dict[str, Any]:
    path = Path(results, FILE)
    try:
        return dict(read_facts(path))
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None


def _by_key(settings: Any, place: str = "") -> dict[str, Any]:
    """Each value by its place, as models.bert.seed; null ones are left out."""
    if not isinstance(settings, Mapping):
        return {} if settings is None else {place: settings}
    by_key: dict[str, Any] = {place: {}}
    for key, value in settings.items():
        by_key |= _by_key(value, f"{place}.{key}" if place else key)
    return by_key
