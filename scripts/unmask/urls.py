"""Urls of downloads: which can be fetched, what is shown of them, and what their files are called."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

LONGEST_NAME = 200
"""Bytes of a file's name, with room for the endings that are put to it."""

_IN_TEXT = re.compile(r"[a-z][a-z0-9+.-]*://[^\s'\"<>]+", re.IGNORECASE)
_HIDDEN = "..."


def fault_of_url(url: str) -> str | None:
    """Why a url cannot be fetched, if so, without repeating the url."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme == "file" and parts.netloc in ("", "localhost")
        # a port that is no number may be half of a password
        is_one |= parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or re.search(r"[\0-\x1f\x7f]", url):
        return "not a url such as https://host/file or file:///folder/file"
    name = file_name(url)
    if name in ("", "..") or len(name.encode()) > LONGEST_NAME:
        return f"not the url of a file: it ends in no name of 1 to {LONGEST_NAME} bytes"
    return None


def shown_url(url: str) -> str:
    """A url as it may be shown: without a user's name and password, the values of its query, its fragment."""
    try:
        parts = urlsplit(url)
        # half of a password would be a port
        is_clear = parts.port != 0 and ("://" in url or not re.search("[@?#]", url))
    except ValueError:
        is_clear = False
    if not is_clear:
        return _HIDDEN
    asked = [part.partition("=") for part in parts.query.split("&")] if parts.query else []
    query = "&".join(f"{name}={_HIDDEN}" if equals else _HIDDEN for name, equals, _ in asked)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))


def without_secrets(text: str) -> str:
    """A text in which every url is as `shown_url` gives it."""
    return _IN_TEXT.sub(lambda match: shown_url(match[0]), text)


def as_shown(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the study with its url, if it has one, as it may be shown.

    Of a url with a query, `query` is a digest of it, which tells urls that are shown alike.
    """
    if "url" not in entry:
        return dict(entry)
    query = urlsplit(entry["url"]).query
    digest = {"query": hashlib.sha256(query.encode()).hexdigest()[:8]} if query else {}
    return {**entry, "url": shown_url(entry["url"]), **digest}


def file_name(url: str) -> str:
    """The name of the file at a url: the last part of its path, or else its host."""
    parts = urlsplit(url)
    return PurePosixPath(parts.path).name or parts.hostname or ""
