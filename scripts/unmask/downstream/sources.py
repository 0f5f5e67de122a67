"""What a task is read with, and which files it is read from. Planning reads this: nothing heavy is
imported."""

from collections.abc import Mapping
from typing import Any

from unmask.downstream.terms import SIMILARITY
from unmask.urls import shown_url

Source = Mapping[str, Any]

TEMPLATES = {"occupations": "downstream/occupations.csv", "words": "gendered_words.yaml"}
"""Files of the project's `resources` that items of similarity are made with, unless the entry names
others."""


def with_preset(entry: Mapping[str, Any], presets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entry of a task, completed, on top of what resources/downstream/tasks.yaml says of its format.

    A file that the entry names takes the place of that of the same name; frames take that of lists.
    """
    preset, named = presets.get(entry["format"], {}), entry.get("files", {})
    files = {
        name: source
        for name, source in preset.get("files", {}).items()
        if name != "lists" or "frames" not in named
    }
    stated = {key: value for key, value in entry.items() if value is not None or key not in preset}
    return {**preset, **stated, "files": files | named}


def source_files(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files that a task is read from, by name. entry: as `with_preset` gives it.

    Each is `{repo, revision, file}` (a file of a data set on the Hugging Face hub), `{url}`, `{path}` (the
    user's own) or `{resource}` (below the project's folder `resources`), and may have `sha256` and the keys
    that `unmask.user_tables` knows.
    """
    files = {name: dict(source) for name, source in entry["files"].items()}
    if files and entry["kind"] == SIMILARITY and "bias" not in files:
        return {name: {"resource": path} for name, path in TEMPLATES.items()} | files
    return files


def source_text(entry: Mapping[str, Any]) -> str:
    """Where a task is from, in a few words; no secrets of a url."""
    if "world" in entry:
        return f"made in the words of the world {entry['world']}"
    return "; ".join(f"{name}: {_source_text(source)}" for name, source in entry["files"].items())


def _source_text(source: Source) -> str:
    if "repo" in source:
        return f"{source['repo']}@{source['revision']}/{source['file']}"
    return shown_url(source["url"]) if "url" in source else str(source["path"])
