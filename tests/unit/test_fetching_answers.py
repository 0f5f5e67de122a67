"""Servers that answer what they should not: one line, nothing half written, nobody waits for ever."""

import base64
import bz2
import gzip
import itertools
import logging
import os
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopback import RawServer, Reply, Request, Server, git_blob
from profiles import examples
from small_corpora import parquet
from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, UnreachableError
from unmask.fetching.http import fetch
from unmask.fetching.limits import Limits

BODY = b"a,b\n" * 1000
BACKOFF = Backoff(attempts=2, sleep=lambda seconds: None)
LIMITS = Limits(largest=1_000_000)
QUICK = Limits(timeout=30, window=0.2, least=5_000, largest=1_000_000)
"""For bodies that trickle; on a busy machine any other may be as slow."""
IMPATIENT = Limits(timeout=1, window=0.2, least=5_000, largest=1_000_000)
"""For heads that trickle."""


def raw(*headers: str, body: bytes = b"", status: str = "200 OK") -> bytes:
    # it closes after each answer, and says so: who is not told asks again on a connection that is closing
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def refused(answers: list[bytes], folder: Path, message: str, name: str = "a.csv") -> None:
    """A fetch that gets these answers, the last of them again and again, ends with a message on the url."""
    with RawServer(lambda number: [answers[min(number, len(answers) - 1)]]) as server:
        with pytest.raises(InputError, match=message) as caught:
            fetch(f"{server.url}/{name}", folder / name, backoff=BACKOFF, limits=LIMITS)
        assert str(caught.value).startswith(f"{server.url}/{name}: ")
    assert "\n" not in str(caught.value)
    assert os.listdir(folder) == []


def taken(answer: bytes, folder: Path, name: str = "a.csv") -> bytes:
    with RawServer(lambda number: [answer]) as server:
        fetch(f"{server.url}/{name}", folder / name, backoff=BACKOFF, limits=LIMITS)
    return (folder / name).read_bytes()


def gzipped(body: bytes) -> bytes:
    """The same bytes at any time: gzip's own have the date."""
    return gzip.compress(body, mtime=0)


GZIP = gzipped(bytes(range(256)) * 40)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raw("Content-Encoding: gzip", body=GZIP[:-20]), "truncated: the gzip of it has no end"),
        (raw("Content-Encoding: gzip", body=GZIP[:-4]), "truncated: the gzip of it has no end"),
        (raw("Content-Encoding: gzip"), "truncated: the gzip of it has no end"),
        (raw("Content-Encoding: gzip", "Content-Length: 9999", body=GZIP), "truncated: [0-9]+ bytes of 9999"),
        (raw("Content-Encoding: gzip", body=GZIP[:-8] + b"12345678"), "broken gzip"),
        (raw("Content-Encoding: deflate", body=zlib.compress(BODY)[:-5]), "truncated: the deflate of it"),
        (raw("Content-Encoding: br", body=b"x"), "an encoding that was not asked for: 'br'"),
        (raw("Transfer-Encoding: chunked", body=b"4\r\nabcd\r\n"), "the body breaks off"),
        (raw("Transfer-Encoding: chunked", body=b"8\r\nabcd"), "the body breaks off"),
        (raw("Transfer-Encoding: chunked", body=b"four\r\nabcd\r\n0\r\n\r\n"), "the body breaks off"),
        (
            raw("Transfer-Encoding: gzip, chunked", body=b"4\r\nabcd\r\n0\r\n\r\n"),
            "in a way that is not known",
        ),
        (raw("Content-Length: 9", body=b"a,b\n"), "truncated: 4 bytes of 9"),
        (raw("Content-Length: 3, 3", body=b"a,b\n"), "more than the 3 bytes that the server states"),
        (raw("Content-Length: -4", body=b"a,b\n"), "a length that is none: '-4'"),
        (raw("Content-Length: four", body=b"a,b\n"), "a length that is none: 'four'"),
        (raw("Content-Length: \xb2", body=b"a,b\n"), "a length that is none: '²'"),
        (raw("Content-Length: " + "9" * 5000, body=b"a,b\n"), "a length that is none: '999"),
        (raw("Content-Length: 4", "Content-Length: 5", body=b"a,b\n"), "Content-Length"),
        (raw("Content-Length: 900000000000000000"), "900000000000000000 bytes, but the disk has room for"),
        (raw(body=b"x" * 1_000_001), "more than 1000000 bytes, and the server does not say how many"),
        (raw("Content-Encoding: gzip", body=gzipped(bytes(9_000_000))), "more than 1000000 bytes"),
        (raw(status="206 Partial", body=BODY), "another range than the one asked for"),
        (raw("Content-Range: bytes 0-3/*", status="206 P", body=b"a,b\n"), "does not say of how much"),
        (raw("Content-Range: bytes 0-3/9", status="206 P", body=b"a,b\n"), "truncated: 4 bytes of 9"),
        (raw("Content-Range: bytes 0-9/9", status="206 P", body=b"a,b\n"), "of another length than it says"),
        (raw("Content-Range: bytes 4-7/8", status="206 P", body=b"a,b\n"), "another range"),
        (raw(status="204 No Content"), "the server says 204 No Content"),
        (b"not http\r\n\r\n", "connection failed"),
        (b"", "connection failed"),
        (raw(), "nothing came, and the server does not say that there is nothing"),
        (b"HTTP/1.1 200 OK\r\nX: 1\r\n", "nothing came"),
        (b"HTTP/1.1 200 OK\r\nContent-Len", "nothing came"),
        (raw(*(f"X-{number}: 1" for number in range(200))), "connection failed"),
    ],
)
def test_a_body_that_is_not_whole_is_not_taken(answer: bytes, message: str, tmp_path: Path) -> None:
    refused([answer], tmp_path, message)


@pytest.mark.parametrize(
    "answer",
    [
        raw("Content-Length: 4000", body=BODY),
        raw("Content-Length: 4000, 4000", body=BODY),
        raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + BODY + b"\r\n0\r\n\r\n"),
        raw("Content-Encoding: gzip", body=gzipped(BODY)),
        raw("Content-Encoding: x-gzip", body=gzipped(BODY[:400]) + gzipped(BODY[400:])),
        raw("Content-Encoding: deflate", body=zlib.compress(BODY)),
        raw("Content-Encoding: deflate", body=zlib.compress(BODY)[2:-4]),
        raw("Content-Range: bytes 0-3999/4000", status="206 Partial", body=BODY),
    ],
)
def test_a_whole_body_is_taken_however_it_comes(answer: bytes, tmp_path: Path) -> None:
    assert taken(answer, tmp_path) == BODY


def test_a_file_in_gzip_stays_as_it_is_where_the_server_says_so_too(tmp_path: Path) -> None:
    packed = gzipped(BODY)
    answer = raw("Content-Encoding: x-gzip", f"Content-Length: {len(packed)}", body=packed)
    assert taken(answer, tmp_path, "a.txt.gz") == packed


def test_a_body_whose_end_nobody_can_know_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="unmask"):
        assert taken(raw(body=BODY), tmp_path) == BODY
        assert "does not say how long it is: it may have been cut short" in caplog.text
        caplog.clear()
        taken(raw("Content-Length: 4000", body=BODY), tmp_path)
        assert caplog.text == ""


def first(total: int = len(BODY)) -> bytes:
    """The first thousand bytes of a content."""
    return raw('ETag: "1"', f"Content-Length: {total}", body=BODY[:1000])


@pytest.mark.parametrize(
    ("second", "message"),
    [
        # a range that ends the file sooner than the first answer said
        ("bytes 1000-1999/2000", "a range of another content than before"),
        ("bytes 1000-4999/5000", "a range of another content than before"),
        ("bytes 0-2999/4000", "another range than the one asked for"),
        ("bytes 1000-1999/*", "truncated: 2000 bytes of 4000"),
    ],
)
def test_a_range_is_held_against_what_was_said_first(second: str, message: str, tmp_path: Path) -> None:
    answers = [first(), raw(f"Content-Range: {second}", status="206 Partial", body=BODY[1000:2000])]
    with (
        RawServer(lambda number: [answers[min(number, 1)]]) as server,
        pytest.raises(InputError, match=message),
    ):
        fetch(f"{server.url}/a.csv", tmp_path / "a.csv", backoff=BACKOFF, limits=LIMITS)
    assert not (tmp_path / "a.csv").exists()


def test_a_range_without_a_total_ends_where_the_first_answer_said(tmp_path: Path) -> None:
    answers = [first(), raw("Content-Range: bytes 1000-3999/*", status="206 Partial", body=BODY[1000:])]
    with RawServer(lambda number: [answers[number]]) as server:
        fetch(f"{server.url}/a.csv", tmp_path / "a.csv", backoff=BACKOFF, limits=LIMITS)
    assert (tmp_path / "a.csv").read_bytes() == BODY


@pytest.mark.parametrize(
    ("name", "headers", "body", "message"),
    [
        ("a.csv", ["Content-Type: text/html; charset=utf-8"], b"Log in first", "a web page, not a file"),
        ("a.csv", [], b"\n<!DOCTYPE html>\n<html>", "a web page, not a file"),
        ("a.csv", [], b"\xef\xbb\xbf<?xml version='1.0'?><!-- x --><html xmlns=''>", "a web page"),
        ("a.parquet", [], parquet(["text"])[:-4], "does not end like a file in parquet: it is cut short"),
        ("a.parquet", [], b'{"error": "busy"}', "does not begin like a file in parquet"),
        ("a.txt.gz", [], b"error: busy", "does not begin like a file in gz"),
        ("a.xml.bz2", [], b"error: busy", "does not begin like a file in bz2"),
        ("a.txt.zst", [], b"", "does not begin like a file in zst"),
    ],
)
def test_what_comes_is_looked_at_before_it_gets_its_name(
    name: str, headers: list[str], body: bytes, message: str, tmp_path: Path
) -> None:
    refused([raw(*headers, f"Content-Length: {len(body)}", body=body)], tmp_path, message, name)


@pytest.mark.parametrize(
    ("name", "headers", "body"),
    [
        ("a.html", ["Content-Type: text/html"], b"<!doctype html>"),
        ("a.csv", ["Content-Type: text/plain"], b"<p>,sent_more\n"),
        ("a.parquet", [], parquet(["text"])),
        ("a.txt.gz", [], gzipped(b"text")),
        ("a.xml.bz2", [], bz2.compress(b"text")),
        ("a.txt.zst", [], pa.compress(b"text", "zstd", asbytes=True)),
    ],
)
def test_what_is_as_its_name_says_is_taken(
    name: str, headers: list[str], body: bytes, tmp_path: Path
) -> None:
    assert taken(raw(*headers, f"Content-Length: {len(body)}", body=body), tmp_path, name) == body


def test_a_checksum_says_more_than_a_look(tmp_path: Path) -> None:
    page = b"<!doctype html>"
    answer = raw("Content-Type: text/html", f"Content-Length: {len(page)}", body=page)
    with RawServer(lambda number: [answer]) as server:
        sha256 = "0ac1b9b6ddb6a2e1ea2e2f0f66b0b3c6e1a7a5e2d2a1a3a4a5a6a7a8a9a0b1b2"
        with pytest.raises(InputError, match="wrong checksum"):
            fetch(f"{server.url}/a", tmp_path / "a", sha256, backoff=BACKOFF, limits=LIMITS)
        fetch(f"{server.url}/a", tmp_path / "a", git_blob=git_blob(page), backoff=BACKOFF, limits=LIMITS)
    assert (tmp_path / "a").read_bytes() == page


def trickling(*pieces: bytes) -> Iterator[bytes | float]:
    """The pieces, and then the last of them again and again."""
    yield from pieces
    while True:
        yield 0.02
        yield pieces[-1]


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ((raw("Content-Length: 100000"), b"x"), r"\(tried 2 times\): too slow: [0-9]+ bytes in 0 s"),
        ((raw(), b"x"), "too slow"),
        ((raw("Transfer-Encoding: chunked"), b"1\r\nx\r\n"), "too slow"),
        # the extension of a chunk and a trailer that never end
        ((raw("Transfer-Encoding: chunked"), b"1;x="), "too slow"),
        ((raw("Transfer-Encoding: chunked"), b"0\r\n", b"X: 1\r\n"), "too slow"),
    ],
)
def test_a_server_that_trickles_is_left(pieces: tuple[bytes, ...], message: str, tmp_path: Path) -> None:
    with (
        RawServer(lambda number: trickling(*pieces)) as server,
        pytest.raises(UnreachableError, match=message),
    ):
        fetch(f"{server.url}/a.csv", tmp_path / "a.csv", backoff=BACKOFF, limits=QUICK)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("pieces", [(b"HTTP/1.1 200 OK\r\n", b"X"), (b"HTTP/1.1 100 Continue\r\n\r\n",)])
def test_a_server_whose_headers_never_end_is_left(pieces: tuple[bytes, ...], tmp_path: Path) -> None:
    with (
        RawServer(lambda number: trickling(*pieces)) as server,
        pytest.raises(UnreachableError, match=r"\(tried 2 times\): no whole answer in 1 s"),
    ):
        fetch(f"{server.url}/a.csv", tmp_path / "a.csv", backoff=BACKOFF, limits=IMPATIENT)
    assert os.listdir(tmp_path) == []


def test_speed_is_measured_over_a_window(tmp_path: Path) -> None:
    """By a clock of its own: ten seconds for each piece, of which the window holds six."""
    pieces = [raw("Content-Length: 40000"), *itertools.repeat(b"x" * 1000, 40)]

    def fetched(least: int) -> None:
        clock = itertools.count(step=10)
        limits = Limits(least=least, clock=lambda: next(clock))
        with RawServer(lambda number: [each for piece in pieces for each in (piece, 0.005)]) as server:
            fetch(f"{server.url}/a.csv", tmp_path / "a.csv", backoff=BACKOFF, limits=limits)

    fetched(least=1000)
    assert (tmp_path / "a.csv").stat().st_size == 40_000
    with pytest.raises(UnreachableError, match=r"too slow: [0-9]+ bytes in 60 s"):
        fetched(least=1_000_000)


def busy(retry_after: str) -> bytes:
    return raw(f"Retry-After: {retry_after}", "Content-Length: 0", status="503 Busy")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("999999999", "11,574 days"),
        ("9" * 400, "11,574,074 days"),
        ("86400", "24 hours"),
        ("660", "11 minutes"),
        pytest.param(
            format_datetime(datetime.now(UTC) + timedelta(days=3, minutes=5), usegmt=True),
            "3 days",
            id="date",
        ),
    ],
)
def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(
    asked: str, told: str, tmp_path: Path
) -> None:
    with RawServer(lambda number: [busy(asked)]) as server:
        with pytest.raises(UnreachableError) as caught:
            fetch(f"{server.url}/a", tmp_path / "a", backoff=BACKOFF, limits=LIMITS)
        assert len(server.asked) == 1
    assert str(caught.value) == (
        f"{server.url}/a: the server says 503 Busy, and to wait {told}, longer than the 10 minutes that are "
        "waited; run again later"
    )


@pytest.mark.parametrize(
    "asked",
    ["-5", "\xb2", "soon", "1e9", "", "Wed, 21 Oct 2015 07:28:00 -0000", "Wed, 99 Oct 2015 07:28:00 GMT"],
)
def test_an_odd_wish_to_wait_is_none(asked: str, tmp_path: Path) -> None:
    waits: list[float] = []
    answers = [busy(asked), raw("Content-Length: 4", body=b"a,b\n")]
    with RawServer(lambda number: [answers[number]]) as server:
        fetch(f"{server.url}/a", tmp_path / "a", backoff=Backoff(sleep=waits.append), limits=LIMITS)
    assert len(waits) == 1
    assert waits[0] <= 1.0


def redirect(location: str | None) -> bytes:
    return raw(
        *([] if location is None else [f"Location: {location}"]), "Content-Length: 0", status="302 Found"
    )


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("/a.csv", "redirected more than 20 times, the last time to http://"),
        ("file:///etc/passwd", "redirected to 'file:///etc/passwd': neither http nor https"),
        ("ftp://host/a", "redirected to 'ftp://host/a': not a url: neither http, https nor file"),
        ("javascript:alert(1)", "redirected to .*: not a url"),
        ("http://[", "redirected to 'http://...', which is not a url"),
        ("http://:80/", "redirected to 'http://:80/': not a url: its host is none"),
        (f"http://{'a' * 70}/", "not a url: its host is none"),
        ("http://host:99999/", "not a url: its port is not a number up to 65535"),
        ("/a\x01b", "redirected to '/a.*b': not a url: it has control characters"),
        ("/\xff\xfe", "redirected more than 20 times"),
        (None, "the server says 302 Found; check the url"),
    ],
)
def test_redirects_to_nowhere_are_one_line(location: str | None, message: str, tmp_path: Path) -> None:
    refused([redirect(location)], tmp_path, message)


def test_the_body_of_a_redirect_is_not_read(tmp_path: Path) -> None:
    def answer(number: int) -> Iterator[bytes | float]:
        if number:
            yield raw("Content-Length: 4000", body=BODY)
        else:
            yield from trickling(raw("Location: /b", status="302 Found"), b"x" * 1000)

    with RawServer(answer) as server:
        fetch(f"{server.url}/a", tmp_path / "a", backoff=BACKOFF, limits=LIMITS)
    assert (tmp_path / "a").read_bytes() == BODY


def test_a_password_goes_to_its_own_server_only(tmp_path: Path) -> None:
    with Server() as other, Server() as server:
        other.answer = lambda request: Reply(200, {}, BODY)

        def answer(request: Request) -> Reply:
            targets = {"/a": "/b", "/b": f"{server.url}/c", "/c": f"{other.url}/d"}
            return Reply(302, {"Location": targets[request.path]})

        server.answer = answer
        fetch(server.url.replace("//", "//user:pass@") + "/a", tmp_path / "a", backoff=BACKOFF)
    basic = "Basic " + base64.b64encode(b"user:pass").decode()
    assert [request.headers.get("authorization") for request in server.requests] == [basic] * 3
    assert [request.headers.get("authorization") for request in other.requests] == [None]


@pytest.mark.parametrize(
    "answer",
    [
        busy("86400"),
        raw(status="404 Not Found"),
        raw("Content-Length: 9", body=b"a"),
        raw("Content-Type: text/html", body=b"x"),
        redirect("ftp://host/?token=sesame"),
        # on which a library warns by itself
        raw("no header", status="404 Not Found"),
        redirect("http://user:sesame@127.0.0.1:1/?sesame"),
        b"",
    ],
)
def test_no_message_shows_a_secret(answer: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.DEBUG, logger="unmask"),
        RawServer(lambda number: [answer]) as server,
        pytest.raises(InputError) as caught,
    ):
        url = server.url.replace("//", "//user:sesame@") + "/a.csv?token=sesame&sesame#sesame"
        fetch(url, tmp_path / "a.csv", backoff=BACKOFF, limits=LIMITS)
    assert str(caught.value).startswith(f"{server.url}/a.csv?token=...&...: ")
    assert "sesame" not in str(caught.value) + caplog.text


def test_what_is_left_of_an_interrupted_fetch_shows_no_secret(tmp_path: Path) -> None:
    with RawServer(lambda number: [first()]) as server, pytest.raises(UnreachableError):
        fetch(f"{server.url}/a?token=sesame", tmp_path / "a", backoff=Backoff(attempts=1), limits=LIMITS)
    assert sorted(os.listdir(tmp_path)) == ["a.part", "a.part.etag"]
    assert b"sesame" not in (tmp_path / "a.part.etag").read_bytes()


def test_a_disk_without_room_is_told_before_anything_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=3999))
    refused([raw("Content-Length: 4000", body=BODY)], tmp_path, "4000 bytes, but the disk has room for 3999")


NUMBERS = st.integers(-5, 5000).map(str) | st.sampled_from(
    ["4000", "4000", "*", "", "9" * 30, "4000, 4000", "x"]
)
HEADERS = st.one_of(
    NUMBERS.map("Content-Length: {}".format),
    st.tuples(NUMBERS, NUMBERS, NUMBERS).map(lambda n: f"Content-Range: bytes {n[0]}-{n[1]}/{n[2]}"),
    st.sampled_from(["chunked", "gzip, chunked", "identity"]).map("Transfer-Encoding: {}".format),
    st.sampled_from(["gzip", "deflate", "br", "identity"]).map("Content-Encoding: {}".format),
    st.sampled_from(["/", "/b", "//", "http://[", "file:///a", "?", "\xff"]).map("Location: {}".format),
    st.sampled_from(['ETag: "1"', "ETag: W/1", "Content-Type: text/html", "Retry-After: 9999999", "odd"]),
    st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=10),
)
PACKED = gzipped(BODY)
TWO_CHUNKS = b"3E8\r\n" + BODY[:1000] + b"\r\nBB8\r\n" + BODY[1000:] + b"\r\n0\r\n\r\n"
GOOD = st.sampled_from(
    [
        raw('ETag: "1"', "Content-Length: 4000", body=BODY),
        raw('ETag: "1"', "Content-Length: 4000", body=BODY[:1500]),
        raw("Content-Encoding: gzip", body=gzipped(BODY)),
        raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + BODY + b"\r\n0\r\n\r\n"),
        raw("Content-Range: bytes 1500-3999/4000", status="206 Partial", body=BODY[1500:]),
    ]
)
ODD = st.builds(
    lambda status, headers, body: raw(*headers, status=f"{status} Odd", body=body),
    st.sampled_from([200, 200, 206, 301, 302, 404, 416, 429, 503, 100, 999, 20]),
    st.lists(HEADERS, max_size=4),
    st.sampled_from(
        [
            b"",
            BODY,
            BODY[:100],
            gzipped(BODY),
            gzipped(BODY)[:-9],
            b"5\r\nabcde\r\n0\r\n",
        ]
    ),
)
CUT = st.builds(lambda answer, end: answer[:end], GOOD, st.integers(0, 300))


@settings(derandomize=True, deadline=None, max_examples=examples(100))
@given(st.lists(GOOD | ODD | CUT, min_size=1, max_size=3))
def test_whatever_a_server_answers_the_right_bytes_come_or_one_line(answers: list[bytes]) -> None:
    """Of each content that is drawn its checksum is known, so that no other bytes can be right."""
    with (
        TemporaryDirectory() as folder,
        RawServer(lambda number: [answers[min(number, len(answers) - 1)]]) as server,
    ):
        path, url = Path(folder, "a.csv"), f"{server.url}/a.csv"
        try:
            fetch(url, path, git_blob=git_blob(BODY), backoff=BACKOFF, limits=LIMITS)
        except InputError as error:
            assert str(error).startswith(f"{url}: ")
            assert "\n" not in str(error)
            assert not path.exists()
            assert set(os.listdir(folder)) <= {"a.csv.part", "a.csv.part.etag"}
        else:
            assert path.read_bytes() == BODY
            assert os.listdir(folder) == ["a.csv"]


FRAMED = st.sampled_from(
    [
        raw('ETag: "1"', "Content-Length: 4000", body=BODY),
        raw(
            "Transfer-Encoding: chunked",
            body=b"3E8\r\n" + BODY[:1000] + b"\r\nBB8\r\n" + BODY[1000:] + b"\r\n0\r\n\r\n",
        ),
        raw("Content-Encoding: gzip", body=gzipped(BODY)),
        raw(
            "Content-Encoding: gzip",
            "Transfer-Encoding: chunked",
            body=b"14\r\n" + gzipped(BODY)[:20],
        ),
    ]
)


@settings(derandomize=True, deadline=None, max_examples=examples(60))
@given(FRAMED, st.integers(1, 4200))
def test_a_body_that_says_its_end_is_whole_or_not_taken(answer: bytes, cut: int) -> None:
    """Cut short anywhere, without any checksum."""
    with TemporaryDirectory() as folder, RawServer(lambda number: [answer[:-cut]]) as server:
        path = Path(folder, "a.csv")
        try:
            fetch(f"{server.url}/a.csv", path, backoff=BACKOFF, limits=LIMITS)
        except InputError:
            assert not path.exists()
        else:
            assert path.read_bytes() == BODY
