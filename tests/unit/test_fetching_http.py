"""Fetching over http: resumed, retried, checked, whole or not at all, whatever a server answers."""

import base64
import gzip
import hashlib
import logging
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import InputError, Limits, fetch
from loopback import FileServer, RawServer, Reply, Request, Server, git_blob, unused_url
from profiles import examples

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()
TEXT = b"a,b\n" * 1000
LIMITS = Limits(retries=2, pause=0.0, largest=1_000_000)
ONCE = Limits(retries=0, pause=0.0)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer(BODY) as server:
        yield server


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def left() -> list[str]:
    return sorted(os.listdir())


def test_a_file_is_fetched_once_and_its_facts_are_stated(
    server: FileServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("unmask.fetching.limits.LOG_EVERY", 0.0)
    facts = {"url": f"{server.url}/a", "sha256": SHA256, "git_blob": git_blob(BODY), "bytes": len(BODY)}
    with caplog.at_level(logging.INFO, logger="unmask"):
        assert fetch(f"{server.url}/a", "deep/a", SHA256.upper(), git_blob(BODY)) == facts
    assert f"{server.url}/a: 0.1 of 0.3 MB" in caplog.messages
    assert Path("deep/a").read_bytes() == BODY and os.listdir("deep") == ["a"]
    assert fetch(f"{server.url}/a", "deep/a", SHA256) == facts
    assert len(server.requests) == 1
    Path("deep/a").write_bytes(b"spoilt")
    assert fetch(f"{server.url}/a", "deep/a", SHA256) == facts
    assert Path("deep/a").read_bytes() == BODY


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_a_wrong_checksum_leaves_nothing(server: FileServer, kind: str) -> None:
    wanted, got = "0" * 40, {"sha256": SHA256, "git_blob": git_blob(BODY)}[kind]
    with pytest.raises(InputError) as caught:
        fetch(f"{server.url}/x", "a", *([wanted] if kind == "sha256" else [None, wanted]))
    assert str(caught.value) == f"{server.url}/x: wrong checksum: wanted {kind} {wanted}, got {got}"
    assert left() == [] and len(server.requests) == 1


BUSY = dict.fromkeys(
    (408, 429, 500, 502, 503, 504), r"could not be fetched \(tried 3 times\): the server says"
)
FINAL = dict.fromkeys((204, 401, 403, 404, 410), "the server says")


@pytest.mark.parametrize(("status", "error"), (BUSY | FINAL).items())
def test_a_busy_server_is_asked_again_and_a_refusal_is_final(
    server: FileServer, status: int, error: str
) -> None:
    server.faults.extend([Reply(status)] * 9)
    with pytest.raises(InputError, match=rf"^{server.url}/x: {error} {status} ") as caught:
        fetch(f"{server.url}/x", "a", limits=LIMITS)
    assert left() == [] and len(server.requests) == (3 if status in BUSY else 1)
    assert ("; check the url" in str(caught.value)) == (status in FINAL)
    server.faults.clear()
    server.faults.extend([Reply(status)] * (2 * (status in BUSY)))
    fetch(server.url, "a", SHA256, limits=LIMITS)
    assert Path("a").read_bytes() == BODY


@pytest.mark.parametrize(("asked", "waited"), [("37", 37), ("9" * 400, 600)])
def test_waits_as_long_as_the_server_asks_within_bounds(
    server: FileServer, monkeypatch: pytest.MonkeyPatch, asked: str, waited: int
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time", SimpleNamespace(sleep=waits.append))
    server.faults.append(Reply(429, {"Retry-After": asked}))
    fetch(server.url, "a")
    assert waits == [waited]


def test_nobody_answers_or_falls_silent(server: FileServer) -> None:
    message = r"could not be fetched \(tried 3 times\): connection failed \(.*refused\)"
    with unused_url() as url, pytest.raises(InputError, match=message):
        fetch(url, "a", limits=LIMITS)
    assert left() == []
    server.faults.append(Reply(body=BODY, pause=5.0))
    fetch(server.url, "a", SHA256, limits=Limits(timeout=0.5, pause=0.0))
    assert Path("a").read_bytes() == BODY


def test_a_truncated_body_is_resumed(server: FileServer) -> None:
    # before it goes on, it asks whether the content is the same
    server.faults.extend([70_000, len(BODY), 80_000])
    fetch(server.url, "a", limits=LIMITS)
    assert Path("a").read_bytes() == BODY
    ranges = [request.headers.get("range") for request in server.requests]
    assert ranges == [None, None, "bytes=70000-", None, "bytes=150000-"]
    assert server.requests[2].headers["if-range"] == server.tag
    assert left() == ["a"]


START = 150_000
RANGE = {"Content-Range": f"bytes {START}-255999/256000"}


@pytest.mark.parametrize(
    ("change", "answer", "asked", "error"),
    [
        # a part of the same content goes on in the next run
        ("", None, True, None),
        # and not where the content may be another
        ("tag", None, False, None),
        ("no tag", None, False, None),
        ("length", None, False, None),
        ("url", None, False, None),
        # where another range comes than was asked for, it is not taken
        ("", Reply(206, {"Content-Range": "bytes 150000-199999/200000"}, b"x" * 50_000), True, None),
        ("", Reply(206, {"Content-Range": "bytes 0-99/256000"}, b"x" * 100), True, None),
        ("", Reply(206, {}, b"x" * 100), True, None),
        ("", Reply(416, {"Content-Range": "bytes */256000"}), True, None),
        ("", Reply(200, {}, BODY), True, None),
        ("", Reply(206, RANGE, b"x" * 10), True, "truncated: 150010 bytes of 256000"),
        ("", Reply(206, RANGE, b"x" * 200_000), True, "truncated: 350000 bytes of 256000"),
        ("part", None, True, "wrong checksum"),
    ],
)
def test_what_came_before_an_interruption_is_used_where_it_is_of_the_file(
    server: FileServer, change: str, answer: Reply | None, asked: bool, error: str | None
) -> None:
    server.faults.append(START)
    with pytest.raises(InputError, match=r"\(tried 1 times\): truncated: 150000 bytes of 256000"):
        fetch(f"{server.url}/old", "a", limits=ONCE)
    (part,) = Path().iterdir()
    assert part.read_bytes() == BODY[:START]
    server.requests.clear()
    if change == "part":
        part.write_bytes(b"x" * START)
    elif change:
        server.body = BODY[::-1] + (b"more" if change == "length" else b"")
        server.tag = {"tag": '"another"', "no tag": None}.get(change, server.tag)
    if answer:
        server.faults.extend([len(BODY), answer])
    url = f"{server.url}/{'new' if change == 'url' else 'old'}"
    if error:
        with pytest.raises(InputError, match=error):
            fetch(url, "a", SHA256 if change == "part" else None, limits=ONCE)
        assert not Path("a").exists() and (change != "part" or left() == [])
    else:
        fetch(url, "a", limits=ONCE)
        assert Path("a").read_bytes() == server.body and left() == ["a"]
    ranges = [request.headers.get("range") for request in server.requests]
    assert ranges == [None, *([f"bytes={START}-"] if asked else [])]


def test_file_urls() -> None:
    source = Path("a name.csv").absolute()
    source.write_bytes(BODY)
    assert fetch(source.as_uri(), "b", SHA256)["sha256"] == SHA256
    assert Path("b").read_bytes() == BODY
    with pytest.raises(InputError, match="wrong checksum"):
        fetch(source.as_uri(), "c", "0" * 64)
    with pytest.raises(InputError, match=r"missing\.csv: no such file"):
        fetch(Path("missing.csv").absolute().as_uri(), "c")
    assert left() == ["a name.csv", "b"]


def raw(*headers: str, body: bytes = b"", status: str = "200 OK") -> bytes:
    # it closes after each answer, and says so: who is not told asks again on a connection that is closing
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def sized(body: bytes, *headers: str) -> bytes:
    return raw(*headers, f"Content-Length: {len(body)}", body=body)


def redirect(*headers: str) -> bytes:
    return raw(*headers, "Content-Length: 0", status="302 Found")


def gzipped(body: bytes) -> bytes:
    """The same bytes at any time: gzip's own have the date."""
    return gzip.compress(body, mtime=0)


BOMB = gzipped(bytes(50_000_000))
PAGE = "a web page, not a file"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raw("Content-Length: 9", body=b"a,b\n"), "truncated: 4 bytes of 9"),
        (raw("Transfer-Encoding: chunked", body=b"4\r\nabcd\r\n"), "truncated: "),
        (raw("Transfer-Encoding: chunked", body=b"8\r\nabcd"), "truncated: "),
        (raw("Transfer-Encoding: chunked", body=b"four\r\nabcd\r\n0\r\n\r\n"), "truncated: "),
        (raw("Content-Encoding: gzip", body=b"not gzip"), "truncated: "),
        (raw("Content-Encoding: gzip", "Content-Length: 99", body=gzipped(TEXT)[:-9]), "truncated: "),
        (raw("Content-Length: 900000000000000000"), "900000000000000000 bytes, but the disk has"),
        (raw("Content-Length: 1000001"), "1000001 bytes, more than the 1000000 that are taken"),
        (raw(body=b"x" * 1_000_001), "more than 1000000 bytes, which is the most that is taken"),
        (raw("Content-Encoding: gzip", body=BOMB), "more than 1000000 bytes"),
        (raw(status="206 Partial", body=TEXT), "the server says 206"),
        (b"not http\r\n\r\n", "connection failed"),
        (b"", "connection failed"),
        (raw(), "nothing came, and the server does not say that there is nothing"),
        (b"HTTP/1.1 200 OK\r\nContent-Len", "nothing came"),
        (raw(*(f"X-{number}: 1" for number in range(200))), "connection failed"),
        (raw("Retry-After: soon", status="503 Busy"), "cannot be fetched"),
        (redirect("Location: /a.csv"), "Exceeded 20 redirects"),
        (redirect("Location: file:///etc/passwd"), "cannot be fetched"),
        (redirect("Location: http://["), "cannot be fetched"),
        (redirect("Location: http://:80/"), "cannot be fetched"),
        (redirect(f"Location: http://{'a' * 70}/"), "cannot be fetched"),
        (redirect("Location: http://host:99999/"), "cannot be fetched"),
        (redirect("Location: /\xff\xfe"), "cannot be fetched"),
        (redirect(), "the server says 302 Found; check the url"),
        (sized(b"Log in first", "Content-Type: text/html; charset=utf-8"), PAGE),
        (sized(b"\n<!DOCTYPE html>\n<html>"), PAGE),
        (sized(b"\xef\xbb\xbf<?xml version='1.0'?><!-- x --><html xmlns=''>"), PAGE),
    ],
    ids=str,
)
def test_what_is_not_the_whole_file_is_not_taken(answer: bytes, message: str) -> None:
    """Again and again the same answer: one line on the url, and nothing is left."""
    with RawServer(lambda number: [answer]) as server:
        with pytest.raises(InputError, match=message) as caught:
            fetch(f"{server.url}/a.csv", "a.csv", limits=LIMITS)
        assert str(caught.value).startswith(f"{server.url}/a.csv: ")
    assert "\n" not in str(caught.value) and left() == []


CHUNKED = raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + TEXT + b"\r\n0\r\n\r\n")
PACKED = raw("Content-Encoding: gzip", body=gzipped(TEXT))


@pytest.mark.parametrize(
    ("name", "answer", "body"),
    [
        ("a.csv", sized(TEXT), TEXT),
        # what comes beyond is not read
        ("a.csv", sized(TEXT) + b"more", TEXT),
        ("a.csv", CHUNKED, TEXT),
        ("a.csv", PACKED, TEXT),
        ("a.csv", raw("Content-Encoding: deflate", body=zlib.compress(TEXT)), TEXT),
        ("a.csv", sized(b""), b""),
        # a file in gzip stays as it is where the server says so, too
        ("a.txt.gz", sized(gzipped(TEXT), "Content-Encoding: gzip"), gzipped(TEXT)),
        ("a.html", sized(b"<!doctype html>", "Content-Type: text/html"), b"<!doctype html>"),
        ("a.csv", sized(b"<p>,sent_more\n", "Content-Type: text/plain"), b"<p>,sent_more\n"),
        ("a.csv", raw(body=TEXT), TEXT),
    ],
)
def test_a_whole_file_is_taken_however_it_comes(
    name: str, answer: bytes, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="unmask"), RawServer(lambda number: [answer]) as server:
        fetch(f"{server.url}/{name}", name, limits=LIMITS)
    assert Path(name).read_bytes() == body
    says_end = b"Content-Length" in answer or b"chunked" in answer
    assert ("it may have been cut short" in caplog.text) != says_end


def test_a_checksum_says_more_than_a_look() -> None:
    page = b"<!doctype html>"
    with RawServer(lambda number: [sized(page, "Content-Type: text/html")]) as server:
        fetch(f"{server.url}/a", "a", git_blob=git_blob(page), limits=LIMITS)
    assert Path("a").read_bytes() == page


def trickling(*pieces: bytes) -> Iterator[bytes | float]:
    """The pieces, and then the last of them again and again."""
    yield from pieces
    while True:
        yield 0.02
        yield pieces[-1]


@pytest.mark.parametrize(
    "pieces",
    [
        (raw("Content-Length: 100000"), b"x"),
        # the extension of a chunk and a trailer that never end
        (raw("Transfer-Encoding: chunked"), b"1;x="),
        (raw("Transfer-Encoding: chunked"), b"0\r\n", b"X: 1\r\n"),
        # headers that never end
        (b"HTTP/1.1 200 OK\r\n", b"X"),
        (b"HTTP/1.1 100 Continue\r\n\r\n",),
        # who asks for a long wait again and again
        (raw("Retry-After: 5", "Content-Length: 0", status="503 Busy"), b""),
    ],
)
def test_a_server_that_never_ends_is_left(pieces: tuple[bytes, ...]) -> None:
    with (
        RawServer(lambda number: trickling(*pieces)) as server,
        pytest.raises(InputError, match=rf"^{server.url}/a\.csv: not finished in 0.5 s$"),
    ):
        fetch(f"{server.url}/a.csv", "a.csv", limits=Limits(seconds=0.5))
    assert left() == []


def test_the_body_of_a_redirect_is_not_read() -> None:
    endless = trickling(raw("Location: /b", status="302 Found"), b"x" * 1000)
    with RawServer(lambda number: [sized(TEXT)] if number else endless) as server:
        fetch(f"{server.url}/a", "a", limits=Limits(seconds=10.0))
    assert Path("a").read_bytes() == TEXT


def test_a_password_goes_to_its_own_server_only() -> None:
    with Server() as other, Server() as server:
        other.answer = lambda request: Reply(200, {}, TEXT)
        targets = {"/a": "/b", "/b": f"{server.url}/c", "/c": f"{other.url}/d"}

        def answer(request: Request) -> Reply:
            return Reply(302, {"Location": targets[request.path]})

        server.answer = answer
        fetch(server.url.replace("//", "//user:pass@") + "/a", "a")
    basic = "Basic " + base64.b64encode(b"user:pass").decode()
    assert [request.headers.get("authorization") for request in server.requests] == [basic] * 3
    assert [request.headers.get("authorization") for request in other.requests] == [None]


@pytest.mark.parametrize(
    "answer",
    [
        raw(status="503 Busy"),
        raw(status="404 Not Found"),
        raw('ETag: "1"', "Content-Length: 9", body=b"a"),
        raw("Content-Type: text/html", body=b"x"),
        redirect("Location: ftp://host/?token=sesame"),
        redirect("Location: http://user:sesame@[/"),
        # on which a library warns by itself
        raw("no header", status="404 Not Found"),
        redirect("Location: http://user:sesame@127.0.0.1:1/?sesame"),
        b"",
    ],
)
def test_no_message_shows_a_secret(answer: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.DEBUG, logger="unmask"),
        RawServer(lambda number: [answer]) as server,
        pytest.raises(InputError) as caught,
    ):
        url = server.url.replace("//", "//user:sesame@") + "/a.csv?token=sesame&sesame#sesame"
        fetch(url, "a.csv", limits=LIMITS)
    assert str(caught.value).startswith(f"{server.url}/a.csv?token=...&...: ")
    assert "sesame" not in str(caught.value) + caplog.text + " ".join(left())


NUMBERS = st.integers(-5, 5000).map(str) | st.sampled_from(["4000", "*", "", "9" * 5000, "4000, 4000", "x"])
HEADERS = st.one_of(
    NUMBERS.map("Content-Length: {}".format),
    st.tuples(NUMBERS, NUMBERS, NUMBERS).map(lambda n: f"Content-Range: bytes {n[0]}-{n[1]}/{n[2]}"),
    st.sampled_from(["chunked", "gzip, chunked", "identity"]).map("Transfer-Encoding: {}".format),
    st.sampled_from(["gzip", "deflate", "br", "identity", "gzip, gzip"]).map("Content-Encoding: {}".format),
    st.sampled_from(["/", "/b", "//", "http://[", "file:///a", "?", "\xff"]).map("Location: {}".format),
    st.sampled_from(['ETag: "1"', "ETag: W/1", "Content-Type: text/html", "Retry-After: x", "odd"]),
    st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=10),
)
WHOLE = [
    sized(TEXT, 'ETag: "1"'),
    CHUNKED,
    sized(gzipped(TEXT), "Content-Encoding: gzip"),
    raw('ETag: "1"', "Content-Range: bytes 1500-3999/4000", status="206 Partial", body=TEXT[1500:]),
]
ODD = st.builds(
    lambda status, headers, body: raw(*headers, status=f"{status} Odd", body=body),
    st.sampled_from([200, 200, 206, 301, 302, 404, 416, 429, 503, 100, 999, 20]),
    st.lists(HEADERS, max_size=4),
    st.sampled_from([b"", TEXT, TEXT[:100], gzipped(TEXT), gzipped(TEXT)[:-9], b"5\r\nabcde\r\n0\r\n"]),
)
CUT = st.builds(lambda answer, end: answer[:-end], st.sampled_from(WHOLE), st.integers(1, 4200))


@settings(derandomize=True, deadline=None, max_examples=examples(150))
@given(st.lists(st.sampled_from(WHOLE) | ODD | CUT, min_size=1, max_size=4))
def test_whatever_a_server_answers_the_right_bytes_come_or_one_line(answers: list[bytes]) -> None:
    """Of each content that is drawn its checksum is known, so that no other bytes can be right."""
    with (
        TemporaryDirectory() as folder,
        RawServer(lambda number: [answers[min(number, len(answers) - 1)]]) as server,
    ):
        path, url = Path(folder, "a.csv"), f"{server.url}/a.csv"
        try:
            fetch(url, path, git_blob=git_blob(TEXT), limits=LIMITS)
        except InputError as error:
            assert str(error).startswith(f"{url}: ")
            assert "\n" not in str(error)
            assert not path.exists()
        else:
            assert path.read_bytes() == TEXT
            assert os.listdir(folder) == ["a.csv"]
