"""Asking a server for a file: what it answers, as it comes, within limits of time."""

import http.client
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests
import urllib3.exceptions

from unmask.errors import InputError
from unmask.fetching.background import Background, GivenUpError
from unmask.fetching.backoff import TemporaryError
from unmask.fetching.limits import Limits
from unmask.urls import check_url, shown_url

# its warnings show urls whole
logging.getLogger("urllib3").setLevel(logging.ERROR)

MOST_REDIRECTS = 20
_BLOCK = 1 << 16

_TRANSIENT = (
    requests.exceptions.ConnectionError,
    requests.exceptions.Timeout,
    requests.exceptions.ChunkedEncodingError,
)
# what comes while a body is read, and past the library on the way to it
_TRANSIENT_BELOW = (
    urllib3.exceptions.ProtocolError,
    urllib3.exceptions.TimeoutError,
    urllib3.exceptions.SSLError,
    http.client.HTTPException,
    OSError,
)


@dataclass(frozen=True)
class Head:
    """The beginning of an answer; several headers of one name are one, with commas."""

    status: int
    reason: str
    headers: Mapping[str, str]


class Session(requests.Session):
    """Keeps cookies; follows no redirects by itself, since it would read their bodies whole."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        return None


@dataclass
class Answer:
    """What a server has answered; `body` is to be read once."""

    head: Head
    body: Iterator[bytes]
    """As it came, not decompressed, in pieces of any size."""


@contextmanager
def asked(session: Session, url: str, headers: Mapping[str, str], limits: Limits) -> Iterator[Answer]:
    """The answer at a url, after redirects to http and https.

    Raises TemporaryError, also while the body is read, where the connection fails, or the answer or its body
    comes too slowly; InputError (which does not name the url) where asking again would not help.
    """
    reading = Background(_answer(session, url, headers, limits.timeout))
    try:
        patience = limits.timeout + limits.window
        with _translated():
            try:
                head = reading.next(patience)
            except GivenUpError:
                raise TemporaryError(f"no whole answer in {patience:.0f} s") from None
        assert isinstance(head, Head)
        yield Answer(head, _in_time(reading, limits))
    finally:
        reading.stop()


def _in_time(reading: Background[Head | bytes], limits: Limits) -> Iterator[bytes]:
    since, received = limits.clock(), 0
    while True:
        with _translated():
            try:
                block = reading.next(limits.window)
            except GivenUpError:
                raise _too_slow(received, limits) from None
        if not isinstance(block, bytes):
            return
        yield block
        received += len(block)
        if limits.clock() - since >= limits.window:
            if received < limits.least:
                raise _too_slow(received, limits)
            since, received = limits.clock(), 0


def _too_slow(received: int, limits: Limits) -> TemporaryError:
    return TemporaryError(f"too slow: {received} bytes in {limits.window:.0f} s")


def _answer(session: Session, url: str, headers: Mapping[str, str], timeout: float) -> Iterator[Head | bytes]:
    """The head of an answer, then its body piece by piece."""
    for _ in range(MOST_REDIRECTS + 1):
        with session.get(url, headers=dict(headers), stream=True, timeout=timeout) as response:
            if response.is_redirect:
                url = _redirected(url, response.headers["Location"])
                continue
            yield Head(response.status_code, response.reason or "", response.headers)
            # a short body is noticed by the reader's own count; urllib3 would drop the last piece of it
            response.raw.enforce_content_length = False
            while piece := response.raw.read1(_BLOCK, decode_content=False):
                yield piece
            return
    raise InputError(f"redirected more than {MOST_REDIRECTS} times, the last time to {shown_url(url)}")


def _redirected(url: str, location: str) -> str:
    """Where an answer sends to. A user's name and password go along to the same server, and to no other."""
    with suppress(UnicodeError):
        # headers come as Latin-1, whatever they are
        location = location.encode("latin-1").decode()
    try:
        target = urljoin(url, location)
        check_url(target)
        parts, before = urlsplit(target), urlsplit(url)
    except InputError as error:
        raise InputError(f"redirected to {shown_url(location)!r}: {error}") from None
    except ValueError:
        raise InputError(f"redirected to {shown_url(location)!r}, which is not a url") from None
    if parts.scheme == "file":
        raise InputError(f"redirected to {shown_url(target)!r}: neither http nor https")
    same = (parts.scheme, parts.hostname, parts.port) == (before.scheme, before.hostname, before.port)
    if same and "@" in before.netloc and "@" not in parts.netloc:
        user = before.netloc.rpartition("@")[0]
        target = urlunsplit(parts._replace(netloc=f"{user}@{parts.netloc}"))
    return target


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what the http libraries raise into TemporaryError, or InputError where another try is no help."""
    try:
        yield
    except _TRANSIENT as error:
        raise TemporaryError(f"connection failed ({_reason(error)})") from None
    except requests.exceptions.RequestException as error:
        raise InputError(f"cannot be fetched ({_reason(error)})") from None
    except _TRANSIENT_BELOW as error:
        raise TemporaryError(f"connection failed ({_reason(error)})") from None
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise InputError(f"cannot be fetched ({_reason(error)})") from None


def _reason(error: BaseException) -> str:
    """What the innermost error says, as those around it repeat the url; its kind where it does so itself."""
    inner: object = error
    while isinstance(inner, BaseException):
        error = inner
        inner = getattr(error, "reason", None) or next(
            (each for each in error.args if isinstance(each, BaseException)), None
        )
    if isinstance(error, http.client.IncompleteRead):
        return "the body breaks off"
    text = str(error)
    return text if text and not re.search(r"://|[?@]", text) else error.__class__.__name__
