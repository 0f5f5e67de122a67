"""The folder of a study's results, and the settings there: it may be copied without Snakemake's record."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unmask import workflow_root
from unmask.errors import InputError
from unmask.files import read_facts
from unmask.study import choose_study
from unmask.urls import as_shown

FILE = "settings.json"
"""Its name in the study's folder of results."""

CHECKSUMS = "SHA256SUMS"
"""The checksums of a finished study's final files, as sha256sum has them, in that folder."""

LAYOUT = 4
"""The layout of a study's folder of results: higher by one with each change of its files or tables."""

_NO_MATTER = ("data", "title", "licence", "published", "sha256", "git_blob")
"""Keys that say where a study's files are, or what is only shown or checked: no number depends on them."""


def results_folder(study: str) -> Path:
    """The folder of results of a study that is chosen as `--config study=STUDY` chooses it.

    Raises InputError where there is no such study, or where its name cannot be that of a folder.
    """
    name = str(choose_study({"study": study}, workflow_root(), []).get("study"))
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@-]*", name):
        raise InputError(f"{study}: config key study: {name!r} cannot be the name of a study")
    return Path("results", name)


def shown_settings(settings: Any) -> Any:
    """A study, or a part of it, with all urls in it as they may be shown."""
    if isinstance(settings, Mapping):
        entry = as_shown(settings) if isinstance(settings.get("url"), str) else settings
        return {str(key): shown_settings(each) for key, each in entry.items()}
    return [shown_settings(each) for each in settings] if isinstance(settings, list) else settings


def stated(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a completed configuration its results depend on, without secrets of urls."""
    data = str(config["data"]).rstrip("/") if config.get("data") else None

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            # what has keys of its own may be a model of such a name
            stay = {key for key, each in value.items() if isinstance(each, Mapping) or key not in _NO_MATTER}
            return {key: plain(each) for key, each in value.items() if key in stay}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if data and isinstance(value, str) and value.startswith(f"{data}/"):
            return value.replace(data, "{data}", 1)
        return value

    settings: dict[str, Any] = {**plain(shown_settings(config)), "layout": LAYOUT}
    # how a study is run; and what is only shown, but is a mapping, as an entry of that name would be
    settings.pop("runtime", None)
    settings.get("associations", {}).pop("published", None)
    if "measures" in settings:
        # their order is one of showing
        settings["measures"] = sorted(settings["measures"])
    return settings


def check_layout(results: str | Path) -> None:
    """Raise InputError where the settings of results say that another version laid them out."""
    if Path(results, FILE).is_file() and _read(results).get("layout") != LAYOUT:
        raise InputError(f"{results}: made by an earlier layout: read anew (remove it, or add --forceall)")


def other_settings(results: str | Path, config: Mapping[str, Any]) -> list[str]:
    """The keys of a study in which results are of other settings.

    Raises InputError where the results do not say their settings.
    """
    theirs, ours = _read(results), stated(config)
    return [key for key in {**theirs, **ours} if theirs.get(key) != ours.get(key)]


def _read(results: str | Path) -> dict[str, Any]:
    try:
        return dict(read_facts(Path(results, FILE)))
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{results}/{FILE}: cannot be read ({error})") from None
