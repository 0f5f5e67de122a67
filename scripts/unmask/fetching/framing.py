"""What the headers of an answer say of its body: its place in the file, its length, its encoding."""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from unmask.errors import InputError
from unmask.fetching.answers import Head
from unmask.fetching.backoff import TemporaryError
from unmask.fetching.partial import Content

IDENTITY = "identity"
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.ASCII)
_ENCODINGS = (IDENTITY, "gzip", "deflate")
_PIECE = 1 << 20
"""Bytes that are decompressed at once."""


class AnotherContentError(TemporaryError):
    """What comes does not continue the part that is there."""


@dataclass(frozen=True)
class Framing:
    """start: where in the file the body begins; length: of the body as it comes; total: of the whole file.

    Lengths are in bytes, and None where they are not known.
    """

    start: int
    length: int | None
    total: int | None
    encoding: str


def framing(head: Head, part: int, content: Content | None, name: str) -> Framing:
    """How an answer with status 200 or 206 is framed, when `part` bytes of a `content` are here already.

    Raises InputError for headers that make no sense, and AnotherContentError where the answer does not
    continue the part.
    """
    length, encoding = _length(head.headers), _encoding(head.headers, name)
    if head.status != 206:
        return Framing(0, length, length if encoding == IDENTITY else None, encoding)
    said = _RANGE.fullmatch(head.headers.get("Content-Range", ""))
    if not said or encoding != IDENTITY or int(said[1]) != part:
        raise AnotherContentError("the server sent another range than the one asked for")
    known = content.total if content and part else None
    total = known if said[3] == "*" else int(said[3])
    end = int(said[2]) + 1
    if total is None:
        raise AnotherContentError("the server sent a range and does not say of how much")
    if total != (known or total):
        raise AnotherContentError("the server sent a range of another content than before")
    if not part < end <= total or length not in (None, end - part):
        raise AnotherContentError("the server sent a range of another length than it says")
    return Framing(part, end - part, total, encoding)


def knows_its_end(head: Head) -> bool:
    """Whether a body that was cut short has been noticed, and not taken for one that ended there."""
    headers = head.headers
    said = ("Content-Length", "Transfer-Encoding", "Content-Encoding", "Content-Range")
    return any(name in headers for name in said)


def _length(headers: Mapping[str, str]) -> int | None:
    chunked = headers.get("Transfer-Encoding")
    if chunked is not None:
        if chunked.strip().lower() != "chunked":
            raise InputError(f"the server sends in a way that is not known: {chunked[:40]!r}")
        return None
    stated = headers.get("Content-Length")
    if stated is None:
        return None
    # the same header twice is one with a comma
    values = {value.strip() for value in stated.split(",")}
    value = values.pop()
    if values or not re.fullmatch(r"\d{1,18}", value, re.A):
        raise InputError(f"the server states a length that is none: {stated[:40]!r}")
    return int(value)


def _encoding(headers: Mapping[str, str], name: str) -> str:
    encoding = headers.get("Content-Encoding", "").strip().lower().removeprefix("x-") or IDENTITY
    if encoding == "gzip" and name.endswith(".gz"):
        # some servers say of a file in gzip what it is, and not how they send it
        return IDENTITY
    if encoding not in _ENCODINGS:
        raise InputError(f"the server sends in an encoding that was not asked for: {encoding[:40]!r}")
    return encoding


def unpacked(body: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """The bytes of a body without its encoding, in pieces that fit into memory.

    Raises TemporaryError where the body is broken, or ends before what it holds.
    """
    if encoding == IDENTITY:
        yield from body
        return
    stream, streams = None, 0
    for piece in body:
        while piece:
            stream = stream or _decompressor(encoding, piece)
            try:
                yield stream.decompress(piece, _PIECE)
            except zlib.error as error:
                if streams:
                    # what follows the last stream is not of the content
                    return
                raise TemporaryError(f"broken {encoding} ({error})") from None
            piece = stream.unconsumed_tail
            if stream.eof:
                piece, stream, streams = stream.unused_data, None, streams + 1
    if stream or not streams:
        raise TemporaryError(f"truncated: the {encoding} of it has no end")


def _decompressor(encoding: str, piece: bytes) -> "zlib._Decompress":
    if encoding == "gzip":
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    # by the standard deflate has a header; some leave it out
    has_header = piece[0] & 0x0F == 8
    return zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
