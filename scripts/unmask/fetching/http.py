"""Fetching one file over http(s) or from a file URL."""

import email.utils
import logging
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from unmask.errors import InputError
from unmask.fetching.answers import Answer, Head, Session, asked
from unmask.fetching.backoff import Backoff, TemporaryError, persistently
from unmask.fetching.content import check_content
from unmask.fetching.framing import IDENTITY, AnotherContentError, Framing, framing, knows_its_end, unpacked
from unmask.fetching.limits import Limits
from unmask.fetching.partial import Content, Partial
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.joblog import PROGRESS
from unmask.urls import check_url, file_name, shown_url

logger = logging.getLogger(__name__)

_RETRIED_STATUSES = (408, 425, 429)
_LOG_EVERY = 5.0
"""Seconds between two progress lines."""


def fetch(
    url: str,
    path: str | Path,
    sha256: str | None = None,
    git_blob: str | None = None,
    *,
    backoff: Backoff = Backoff(),  # noqa: B008  frozen
    limits: Limits = Limits(),  # noqa: B008  frozen
) -> dict[str, str | int]:
    """Fetch `url` to `path`, whole and with the right checksum, or not at all.

    What has arrived is kept in a `.part` file beside `path`, so that an interrupted fetch goes on where
    it was, if the server says that the content is still the same. Server errors (5xx, 408, 425, 429),
    connection errors, slow and truncated bodies are tried again; a file that is there with the wanted
    checksum is not fetched again. Without a checksum a web page is refused, and what does not begin
    (Parquet: and end) as its name says.

    Returns what is known of the file: url, sha256, git_blob (hexadecimal) and bytes. Raises InputError
    naming the url: no such file, no access, unreachable (UnreachableError), another checksum, more than the
    limits or the disk allow. There and in what is logged the url is as `shown_url` gives it.
    """
    path, shown = Path(path), shown_url(url)
    wanted = {"sha256": sha256, "git_blob": git_blob}
    if path.is_file() and any(wanted.values()) and not _differences(path, wanted):
        logger.info("%s: already there with the right checksum", path)
        return _facts(shown, path)
    with _naming(shown):
        check_url(url)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = Partial(path, url)
    head = None
    if urlsplit(url).scheme == "file":
        with _naming(shown):
            _copy(url, partial.path)
    else:
        was_there = partial.size
        head = _download(url, partial, backoff, limits)
        if was_there and _differences(partial.path, wanted):
            logger.warning("%s: what an earlier fetch left does not fit; fetching it anew", shown)
            partial.discard()
            head = _download(url, partial, backoff, limits)
    try:
        with _naming(shown):
            if differences := _differences(partial.path, wanted):
                raise InputError(f"wrong checksum: {differences}")
            if head and not any(wanted.values()):
                check_content(partial.path, file_name(url), head.headers.get("Content-Type", ""))
    except InputError:
        partial.discard()
        raise
    if head and not any(wanted.values()) and not knows_its_end(head):
        logger.warning("%s: the server does not say how long it is: it may have been cut short", shown)
    facts = _facts(shown, partial.path)
    os.replace(partial.path, path)
    partial.discard()
    logger.info("%s: %s bytes, sha256 %s", shown, facts["bytes"], facts["sha256"])
    return facts


@contextmanager
def _naming(shown: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None


def _facts(shown: str, path: Path) -> dict[str, str | int]:
    return {
        "url": shown,
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
    if not source.exists():
        raise InputError("no such file")
    if not source.is_file():
        # a device has no end
        raise InputError("not a file")
    try:
        shutil.copyfile(source, partial)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InputError(f"cannot be copied ({error.strerror or error})") from None


def _download(url: str, partial: Partial, backoff: Backoff, limits: Limits) -> Head:
    """Download what is missing of a file; gives the head of the last answer."""
    shown = shown_url(url)

    def attempt() -> Head:
        with _naming(shown):
            return _attempt(session, url, partial, limits)

    with Session() as session:
        try:
            return persistently(attempt, shown, backoff)
        except BaseException:
            if not partial.content:
                # nothing could go on from it
                partial.discard()
            raise


def _attempt(session: Session, url: str, partial: Partial, limits: Limits) -> Head:
    """One request for what is missing of the file, written to the end of `partial`."""
    # compressed bodies have no ranges and no known length
    headers = {"Accept-Encoding": IDENTITY}
    content = partial.content
    part = partial.size if content else 0
    if content and part:
        headers |= {"Range": f"bytes={part}-", "If-Range": content.validator}
    with asked(session, url, headers, limits) as answer:
        try:
            _check_status(answer.head)
            framed = framing(answer.head, part, content, file_name(url))
        except AnotherContentError:
            partial.discard()
            raise
        if framed.start == 0:
            partial.content = _content(answer.head, framed)
        else:
            logger.info("%s: going on after %d bytes", shown_url(url), framed.start)
        _receive(shown_url(url), answer, framed, partial, limits)
    return answer.head


def _check_status(head: Head) -> None:
    status = head.status
    if status in (200, 206):
        return
    reason = f"the server says {status} {head.reason[:60]}".strip()
    if status == 416:
        # the part is no part of what the server has now
        raise AnotherContentError(reason)
    if status in _RETRIED_STATUSES or status >= 500:
        raise TemporaryError(reason, retry_after(head.headers.get("Retry-After")))
    raise InputError(f"{reason}; check the url, and that it may be read without a login")


def _content(head: Head, framed: Framing) -> Content | None:
    """What would tell whether a later answer continues this one: a strong entity tag, or a date."""
    tag = head.headers.get("ETag", "")
    validator = tag if tag.startswith('"') else head.headers.get("Last-Modified")
    return Content(validator, framed.total) if validator and framed.total else None


def _receive(shown: str, answer: Answer, framed: Framing, partial: Partial, limits: Limits) -> None:
    """Write the body into the file from where it begins there. Raises TemporaryError if it is not whole."""
    room = shutil.disk_usage(partial.path.parent).free
    if framed.total is not None and framed.total - framed.start > room:
        raise InputError(f"{framed.total} bytes, but the disk has room for {room}; make room and run again")
    came = 0

    def counted() -> Iterator[bytes]:
        nonlocal came
        for piece in answer.body:
            came += len(piece)
            if framed.length is not None and came > framed.length:
                partial.discard()
                raise TemporaryError(f"more than the {framed.length} bytes that the server states")
            yield piece

    logged = time.monotonic()
    with open(partial.path, "r+b" if framed.start else "wb") as file:
        file.seek(framed.start)
        file.truncate()
        for piece in unpacked(counted(), framed.encoding):
            file.write(piece)
            if framed.total is None and file.tell() > limits.largest:
                raise InputError(f"more than {limits.largest} bytes, and the server does not say how many")
            if time.monotonic() - logged >= _LOG_EVERY:
                logged = time.monotonic()
                whole = f" of {framed.total / 1e6:.1f}" if framed.total else ""
                logger.info("%s: %.1f%s MB", shown, file.tell() / 1e6, whole, extra=PROGRESS)
    if not came and not knows_its_end(answer.head):
        # the headers can have been cut short, too
        raise TemporaryError("nothing came, and the server does not say that there is nothing")
    if framed.length is not None and came < framed.length:
        before = framed.start
        raise TemporaryError(f"truncated: {before + came} bytes of {framed.total or before + framed.length}")
    if framed.total is not None and partial.size < framed.total:
        raise TemporaryError(f"truncated: {partial.size} bytes of {framed.total}")


def retry_after(header: str | None) -> float | None:
    """Seconds to wait by a Retry-After header, which holds seconds or a date; None where it says nothing."""
    header = (header or "").strip()
    if re.fullmatch(r"\d+", header, re.A):
        return float(header[:12])
    try:
        until = email.utils.parsedate_to_datetime(header)
        # a date without a time zone is one of UTC
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (until - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
