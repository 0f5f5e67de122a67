"""Fetching one file over http(s) or from a file URL."""

import glob
import hashlib
import logging
import os
import re
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import requests
import urllib3.exceptions
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from unmask.errors import InputError
from unmask.fetching.limits import Limits, Meter, deadline
from unmask.files import git_blob_of_file, sha256_of_file
from unmask.urls import check_url, file_name, shown_url

logger = logging.getLogger(__name__)

# its warnings show urls whole
logging.getLogger("urllib3").setLevel(logging.ERROR)

MOST_REDIRECTS = 20
LONGEST_PAUSE = 600
"""Seconds that are waited where a server asks for that or more."""

_RETRIED_STATUSES = (408, 425, 429, 500, 502, 503, 504)
_PAGE = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|title)\b",
    re.IGNORECASE | re.DOTALL,
)


class _BrokenError(Exception):
    """A body that did not come whole; what came of it may be continued."""


def fetch(
    url: str,
    path: str | Path,
    sha256: str | None = None,
    git_blob: str | None = None,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen
) -> dict[str, str | int]:
    """Fetch `url` to `path`, whole and with the right checksum, or not at all.

    What has arrived is kept in a `.part` file beside `path`, so that an interrupted fetch, in the next run
    too, goes on where it was, if the server says that the content is still the same. Connection errors,
    truncated bodies and a server that is busy or out of order (429, 503, ...) are tried again; a file that is
    there with the wanted checksum is not fetched again. Without a checksum a web page is refused.

    Returns what is known of the file: url, sha256, git_blob (hexadecimal) and bytes. Raises InputError
    naming the url: no such file, no access, unreachable, another checksum, more than the limits or the disk
    allow. There and in what is logged the url is as `shown_url` gives it.
    """
    path, name = Path(path), shown_url(url)
    wanted = {kind: digest for kind, digest in (("sha256", sha256), ("git_blob", git_blob)) if digest}
    if wanted and path.is_file() and not _differences(facts := _facts(name, path), wanted):
        logger.info("%s: already there with the right checksum", path)
        return facts
    try:
        check_url(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        if urlsplit(url).scheme == "file":
            part, fault = _copied(url, _part(path)), None
        else:
            part, headers = _downloaded(url, path, limits)
            fault = None if wanted else _not_a_file(part, url, headers)
        facts = _facts(name, part)
        if fault := fault or _differences(facts, wanted):
            part.unlink()
            raise InputError(fault)
        os.replace(part, path)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    finally:
        _part(path).unlink(missing_ok=True)
    for rest in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        # of other answers
        rest.unlink()
    logger.info("%s: %s bytes, sha256 %s", name, facts["bytes"], facts["sha256"])
    return facts


def _facts(name: str, path: Path) -> dict[str, str | int]:
    digests = {"sha256": sha256_of_file(path), "git_blob": git_blob_of_file(path)}
    return {"url": name, **digests, "bytes": path.stat().st_size}


def _differences(facts: Mapping[str, str | int], wanted: Mapping[str, str]) -> str:
    """How checksums differ from the wanted ones, in words; empty where they agree."""
    differing = [
        f"wanted {kind} {digest}, got {facts[kind]}"
        for kind, digest in wanted.items()
        if facts[kind] != digest.lower()
    ]
    return f"wrong checksum: {'; '.join(differing)}" if differing else ""


def _not_a_file(part: Path, url: str, headers: Mapping[str, str]) -> str | None:
    """Why what came is not the file, as far as this can be told without a checksum."""
    with open(part, "rb") as file:
        beginning = file.read(1 << 12)
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    is_page = kind in ("text/html", "application/xhtml+xml") or _PAGE.match(beginning)
    if is_page and Path(file_name(url)).suffix.lower() not in (".html", ".htm"):
        return (
            "the server sent a web page, not a file; check the url, and that it needs no login, or give the "
            "file's sha256"
        )
    if _length(headers) is None and headers.get("Transfer-Encoding") != "chunked":
        if not beginning:
            # the headers can have been cut short, too
            return "nothing came, and the server does not say that there is nothing"
        logger.warning(
            "%s: the server does not say how long it is: it may have been cut short", shown_url(url)
        )
    return None


def _part(path: Path, content: str = "") -> Path:
    """Where a file is written until it is whole; by this name a part is found again, of the same content."""
    # a digest, as urls can have secrets in them
    label = hashlib.sha256(content.encode()).hexdigest()[:16] if content else "new"
    return path.with_name(f"{path.name}.{label}.part")


def _copied(url: str, target: Path) -> Path:
    source = Path(unquote(urlsplit(url).path))
    if not source.is_file():
        # a device has no end
        raise InputError("not a file" if source.exists() else "no such file")
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise InputError(f"cannot be copied ({error.strerror or error})") from None
    return target


def _downloaded(url: str, path: Path, limits: Limits) -> tuple[Path, Mapping[str, str]]:
    """The whole file in a part beside `path`, and the headers that came with it."""
    retry = Retry(
        limits.retries,
        backoff_factor=limits.pause,
        backoff_jitter=limits.pause,
        status_forcelist=_RETRIED_STATUSES,
        raise_on_status=False,
        retry_after_max=LONGEST_PAUSE,
    )
    with deadline(limits.seconds), requests.Session() as session:
        session.max_redirects = MOST_REDIRECTS
        # the body of a redirect, which may have no end, would be read whole before it is followed
        session.hooks["response"] = [lambda answer, **_: answer.close() if answer.is_redirect else None]
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=retry))
        for failures in range(limits.retries + 1):
            try:
                return _received(session, url, path, limits)
            except _BrokenError as error:
                if failures == limits.retries:
                    raise _unreachable(str(error), limits) from None
                logger.warning("%s: %s; trying again", shown_url(url), error)
                time.sleep(limits.pause * 2**failures)
    raise AssertionError("not reached")


def _received(
    session: requests.Session, url: str, path: Path, limits: Limits
) -> tuple[Path, Mapping[str, str]]:
    """The file, or the rest of it where a part of this very content is there; and the server's headers."""
    with _get(session, url, limits, {}) as answer:
        if answer.status_code != 200:
            raise InputError(f"{_says(answer)}; check the url, and that it may be read without a login")
        total = 0 if "Content-Encoding" in answer.headers else _length(answer.headers) or 0
        # by a weak tag a body is not known again
        tag = answer.headers.get("ETag", "")
        validator = tag if tag.startswith('"') else answer.headers.get("Last-Modified")
        part = _part(path, f"{url} {validator} {total}" if validator and total else "")
        start = part.stat().st_size if validator and part.exists() else 0
        if 0 < start < total:
            asked = {"Range": f"bytes={start}-", "If-Range": str(validator)}
            with _get(session, url, limits, asked) as rest:
                content_range = f"bytes {start}-{total - 1}/{total}"
                if rest.status_code == 206 and rest.headers.get("Content-Range") == content_range:
                    logger.info("%s: going on after %d bytes", shown_url(url), start)
                    _write(rest, url, part, start, total, limits)
                    return part, answer.headers
        _write(answer, url, part, 0, total, limits)
        return part, answer.headers


def _get(
    session: requests.Session, url: str, limits: Limits, headers: Mapping[str, str]
) -> requests.Response:
    headers = {"Accept-Encoding": "identity", **headers}
    try:
        answer = session.get(url, headers=headers, stream=True, timeout=limits.timeout)
    except (requests.ConnectionError, requests.Timeout) as error:
        raise _unreachable(f"connection failed ({_reason(error)})", limits) from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        raise InputError(f"cannot be fetched ({_reason(error)})") from None
    if answer.status_code in _RETRIED_STATUSES:
        raise _unreachable(_says(answer), limits)
    return answer


def _says(answer: requests.Response) -> str:
    return f"the server says {answer.status_code} {(answer.reason or '')[:60]}".strip()


def _length(headers: Mapping[str, str]) -> int | None:
    """The bytes of a body as it comes, where they are stated."""
    stated = headers.get("Content-Length", "")
    return int(stated) if re.fullmatch(r"\d{1,18}", stated, re.A) else None


def _write(answer: requests.Response, url: str, part: Path, start: int, total: int, limits: Limits) -> None:
    """Write a body to the end of a part, which has `start` bytes of a file of `total`."""
    room = shutil.disk_usage(part.parent).free
    if total - start > room:
        raise InputError(f"{total} bytes, but the disk has room for {room}; make room and run again")
    if total > limits.largest:
        raise InputError(f"{total} bytes, more than the {limits.largest} that are taken")
    # some servers say of a file in gzip what it is, and not how they send it
    is_packed = "Content-Encoding" in answer.headers and not file_name(url).endswith(".gz")
    meter = Meter(desc=shown_url(url), total=total, initial=start, largest=limits.largest)
    try:
        with open(part, "ab" if start else "wb") as file:
            for piece in answer.raw.stream(1 << 16, decode_content=is_packed):
                file.write(piece)
                meter.update(len(piece))
    except urllib3.exceptions.HTTPError as error:
        if not total:
            raise _BrokenError(f"truncated: {_reason(error)}") from None
    size = part.stat().st_size
    if total and size != total:
        raise _BrokenError(f"truncated: {size} bytes of {total}")


def _unreachable(reason: str, limits: Limits) -> InputError:
    return InputError(f"could not be fetched (tried {limits.retries + 1} times): {reason}")


def _reason(error: BaseException) -> str:
    """What the innermost error says, as those around it repeat the url; its kind where it does so itself."""
    inner: object = error
    while isinstance(inner, BaseException):
        error = inner
        inner = getattr(error, "reason", None) or next(
            (each for each in error.args if isinstance(each, BaseException)), None
        )
    text = str(error)
    return text if text and not re.search(r"://|[?@]", text) else error.__class__.__name__
