"""Urls of downloads: which can be fetched, what is shown of them, and what their files are called."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from unmask.errors import InputError

LONGEST_NAME = 200
"""Bytes of a file's name, with room for the endings that are put to it."""

_PARTS = re.compile(r"([a-z][a-z0-9+.-]*://)([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:@\[\]]*)(:[0-9]*)?", re.IGNORECASE)
_IN_TEXT = re.compile(r"[a-z][a-z0-9+.-]*://[^\s'\"<>]+", re.IGNORECASE)
_ENDING = re.compile(r"(\.(csv|tsv|json|jsonl|parquet|txt|xml))?(\.(gz|bz2|zst))?$", re.IGNORECASE)
_HIDDEN = "..."


def check_url(url: str) -> None:
    """Raise InputError where a url cannot be fetched; the message does not repeat the url."""
    if fault := fault_of_url(url):
        raise InputError(fault)


def fault_of_url(url: str) -> str | None:
    """Why a url cannot be fetched, if so, without repeating the url."""
    if any(ord(character) < 32 or ord(character) == 127 for character in url):
        return "not a url: it has control characters"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        # the message repeats what may be half of a password
        is_port = str(error).startswith("Port")
        return f"not a url: its {'port is not a number up to 65535' if is_port else 'host is none'}"
    name = file_name(url)
    if parts.scheme not in ("http", "https", "file"):
        return "not a url: neither http, https nor file"
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            return "not the url of a file here: it needs three slashes, file:///"
        if "\0" in unquote(parts.path):
            return "not the url of a file: it has a null byte"
    elif not parts.hostname or port == 0 or not _can_be_host(parts.hostname):
        return "not a url: its host is none"
    if name in ("", ".."):
        return "not the url of a file: it ends in no name"
    if len(name.encode()) > LONGEST_NAME:
        return f"not the url of a file: its name is longer than {LONGEST_NAME} bytes"
    return None


def _can_be_host(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return all(0 < len(label) < 64 for label in labels) and not re.search(r"[\s\\%]", host)


def shown_url(url: str) -> str:
    """A url as it may be shown: without a user's name and password, the values of its query, its fragment."""
    match = _PARTS.match(url)
    if not match:
        return _HIDDEN if re.search("[@?#]", url) else url
    scheme, authority, path, query = (part or "" for part in match.groups())
    host = authority.rpartition("@")[2]
    if not _HOST.fullmatch(host):
        return f"{scheme}{_HIDDEN}"
    asked = [part.partition("=") for part in query[1:].split("&")] if query else []
    values = "&".join(f"{name}={_HIDDEN}" if equals else _HIDDEN for name, equals, _ in asked)
    return f"{scheme}{host}{path}" + (f"?{values}" if query else "")


def without_secrets(text: str) -> str:
    """A text in which every url is as `shown_url` gives it."""
    return _IN_TEXT.sub(lambda match: shown_url(match[0]), text)


def as_shown(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the study with its url, if it has one, as it may be shown."""
    return {**entry, "url": shown_url(entry["url"])} if "url" in entry else dict(entry)


def query_digest(entry: Mapping[str, Any]) -> str | None:
    """What tells an entry's url from others that are shown alike; None where it has no query."""
    query = urlsplit(entry.get("url", "")).query
    return hashlib.sha256(query.encode()).hexdigest()[:8] if query else None


def file_name(url: str) -> str:
    """The name of the file at a url: the last part of its path, or else its host.

    A name without an ending takes a known one from the end of the query (`get?file=pairs.csv`).
    """
    parts = urlsplit(url)
    name = PurePosixPath(parts.path).name or parts.hostname or ""
    ending = _ENDING.search(parts.query)
    return name + ending[0].lower() if ending and not PurePosixPath(name).suffix else name
