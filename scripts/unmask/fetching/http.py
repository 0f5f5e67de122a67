"""Fetching one file over http(s) or from a file URL."""

import email.utils
import logging
import os
import re
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

import requests

from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, TemporaryError, persistently
from unmask.files import git_blob_of_file, sha256_of_file

logger = logging.getLogger(__name__)

_RETRIED_STATUSES = (408, 425, 429)
_BLOCK = 1 << 16
_LOG_EVERY = 5.0
"""Seconds between two progress lines."""

_TRANSIENT = (
    requests.exceptions.ConnectionError,
    requests.exceptions.Timeout,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)


def fetch(
    url: str,
    path: str | Path,
    sha256: str | None = None,
    git_blob: str | None = None,
    *,
    backoff: Backoff = Backoff(),  # noqa: B008  frozen
    timeout: float = 30.0,
) -> dict[str, str | int]:
    """Fetch `url` to `path`, whole and with the right checksum, or not at all.

    What has arrived is kept in a `.part` file beside `path`, so that an interrupted fetch goes on where
    it was, if the server says that the content is still the same. Server errors (5xx, 408, 425, 429),
    connection errors and truncated bodies are tried again; a file that is there with the wanted checksum
    is not fetched again. `timeout` is in seconds, for the connection and between two blocks.

    Returns what is known of the file: url, sha256, git_blob (hexadecimal) and bytes. Raises InputError
    naming the url: no such file, no access, unreachable (UnreachableError), or another checksum.
    """
    path = Path(path)
    wanted = {"sha256": sha256, "git_blob": git_blob}
    if path.is_file() and any(wanted.values()) and not _differences(path, wanted):
        logger.info("%s: already there with the right checksum", path)
        return _facts(url, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _Partial(path, url)
    scheme = urlsplit(url).scheme
    if scheme == "file":
        _copy(url, partial.path)
    elif scheme in ("http", "https"):
        was_there = partial.size
        _download(url, partial, backoff, timeout)
        if was_there and _differences(partial.path, wanted):
            logger.warning("%s: what an earlier fetch left does not fit; fetching it anew", url)
            partial.discard()
            _download(url, partial, backoff, timeout)
    else:
        raise InputError(f"{url}: neither http, https nor file")
    differences = _differences(partial.path, wanted)
    if differences:
        partial.discard()
        raise InputError(f"{url}: wrong checksum: {differences}")
    facts = _facts(url, partial.path)
    os.replace(partial.path, path)
    partial.discard()
    logger.info("%s: %s bytes, sha256 %s", url, facts["bytes"], facts["sha256"])
    return facts


def _facts(url: str, path: Path) -> dict[str, str | int]:
    return {
        "url": url,
        "sha256": sha256_of_file(path),
        "git_blob": git_blob_of_file(path),
        "bytes": path.stat().st_size,
    }


def _differences(path: Path, wanted: dict[str, str | None]) -> str:
    """How a file's checksums differ from the wanted ones, in words; empty where they agree."""
    digests = {"sha256": sha256_of_file, "git_blob": git_blob_of_file}
    got = {name: digests[name](path) for name, digest in wanted.items() if digest}
    return "; ".join(
        f"wanted {name} {wanted[name]}, got {digest}"
        for name, digest in got.items()
        if digest != str(wanted[name]).lower()
    )


def _copy(url: str, partial: Path) -> None:
    source = Path(unquote(urlsplit(url).path))
    try:
        shutil.copyfile(source, partial)
    except FileNotFoundError:
        raise InputError(f"{source}: no such file") from None
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InputError(f"{source}: cannot be copied ({error.strerror or error})") from None


class _Partial:
    """What has arrived of a file, and which content of which url it is a part of."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path.with_name(f"{path.name}.part")
        self._label = path.with_name(f"{path.name}.part.etag")
        self._url = url

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def validator(self) -> str | None:
        """The entity tag or date of the content, if it is known and of this url."""
        if not self._label.exists():
            return None
        url, _, validator = self._label.read_text(encoding="utf-8").partition("\n")
        return validator if url == self._url and validator else None

    @validator.setter
    def validator(self, validator: str | None) -> None:
        self._label.unlink(missing_ok=True)
        if validator:
            self._label.write_text(f"{self._url}\n{validator}", encoding="utf-8")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._label.unlink(missing_ok=True)


def _download(url: str, partial: _Partial, backoff: Backoff, timeout: float) -> None:
    with requests.Session() as session:
        persistently(lambda: _attempt(session, url, partial, timeout), url, backoff)


def _attempt(session: requests.Session, url: str, partial: _Partial, timeout: float) -> None:
    """One request for what is missing of the file, written to the end of `partial`."""
    # compressed bodies have no ranges and no known length
    headers = {"Accept-Encoding": "identity"}
    if partial.size and partial.validator:
        headers |= {"Range": f"bytes={partial.size}-", "If-Range": partial.validator}
    try:
        with session.get(url, headers=headers, stream=True, timeout=timeout) as response:
            _check_status(url, response, partial)
            start, total = _extent(response, partial)
            if start == 0:
                partial.validator = _validator(response)
            else:
                logger.info("%s: going on after %d bytes", url, start)
            with open(partial.path, "r+b" if start else "wb") as file:
                file.seek(start)
                file.truncate()
                _receive(url, response, file, total)
    except _TRANSIENT as error:
        raise TemporaryError(f"connection failed ({error})") from None
    except requests.exceptions.RequestException as error:
        raise InputError(f"{url}: cannot be fetched ({error})") from None
    if total is not None and partial.size != total:
        message = f"truncated: {partial.size} bytes of {total}"
        if partial.size > total:
            partial.discard()
        raise TemporaryError(message)


def _check_status(url: str, response: requests.Response, partial: _Partial) -> None:
    status = response.status_code
    if status in (200, 206):
        return
    reason = f"the server says {status} {response.reason or ''}".strip()
    if status == 416:
        # the part is no part of what the server has now
        partial.discard()
        raise TemporaryError(reason)
    if status in _RETRIED_STATUSES or status >= 500:
        raise TemporaryError(reason, retry_after(response.headers.get("Retry-After")))
    raise InputError(f"{url}: {reason}; check the url, and that it may be read without a login")


def _extent(response: requests.Response, partial: _Partial) -> tuple[int, int | None]:
    """Where in the file the body begins, and the length of the whole file in bytes where it is known."""
    if response.status_code == 206:
        match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", response.headers.get("Content-Range", ""))
        if not match or int(match[1]) != partial.size:
            partial.discard()
            raise TemporaryError("the server sent another range than the one asked for")
        return partial.size, None if match[3] == "*" else int(match[3])
    if response.headers.get("Content-Encoding", "identity") != "identity":
        return 0, None
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdigit() else None


def _validator(response: requests.Response) -> str | None:
    """What tells this content from later ones at the same url: a strong entity tag, or a date."""
    if response.headers.get("Content-Encoding", "identity") != "identity":
        return None
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified")


def _receive(url: str, response: requests.Response, file: BinaryIO, total: int | None) -> None:
    # a short body is noticed by our own count; urllib3 would drop the last block of it
    response.raw.enforce_content_length = False
    logged = time.monotonic()
    for block in response.iter_content(_BLOCK):
        file.write(block)
        if time.monotonic() - logged >= _LOG_EVERY:
            logged = time.monotonic()
            whole = f" of {total / 1e6:.1f}" if total else ""
            logger.info("%s: %.1f%s MB", url, file.tell() / 1e6, whole)


def retry_after(header: str | None) -> float | None:
    """Seconds to wait by a Retry-After header, which holds seconds or a date; None where it says nothing."""
    if not header:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        until = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
