"""Which files a task is read from. Planning reads this, so nothing heavy is imported."""

from collections.abc import Mapping
from typing import Any

from unmask.urls import shown_url

Source = Mapping[str, Any]

RESOURCES: Mapping[str, Mapping[str, str]] = {
    "stsb": {"occupations": "downstream/occupations.csv", "words": "gendered_words.yaml"},
    "mnli": {},
    "bias-in-bios": {},
    "planted": {},
    "table": {},
}
"""Files of the project's `resources` that a format's reader is given unless the entry names others."""

GENERATED = {"similarity": RESOURCES["stsb"]}
"""The same for a table whose items of bias are made of its own sentences."""


def source_files(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The files that the reader of an entry (completed) takes, by name.

    Each is `{repo, revision, file}` (a file of a data set on the Hugging Face hub), `{url}`, `{path}` (the
    user's own) or `{resource}` (below the project's folder `resources`), and may have `sha256`. A table may
    have the keys that `unmask.user_tables` knows beside.
    """
    named = {name: dict(source) for name, source in entry.get("files", {}).items() if source is not None}
    resources = RESOURCES[entry["format"]]
    if entry["format"] == "table" and "bias" not in named:
        resources = GENERATED.get(entry["kind"], {})
    return {name: {"resource": path} for name, path in resources.items() if name not in named} | named


def source_text(entry: Mapping[str, Any]) -> str:
    """Where a task is from, in a few words; no secrets of a url."""
    if entry["format"] == "planted":
        return f"made in the words of the world {entry['world']}"
    return "; ".join(
        f"{name}: {_source_text(source)}"
        for name, source in source_files(entry).items()
        if "resource" not in source
    )


def _source_text(source: Source) -> str:
    if "repo" in source:
        return f"{source['repo']}@{source['revision']}/{source['file']}"
    return shown_url(source["url"]) if "url" in source else str(source["path"])
