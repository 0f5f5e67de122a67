"""Fetching over http: retried, checked, whole or not at all, whatever a server answers."""

import base64
import gzip
import hashlib
import logging
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from library import InputError, fetch
from loopback import FileServer, RawServer, Reply, Request, Server, git_blob, unused_url

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()
TEXT = b"a,b\n" * 1000


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer(BODY) as server:
        yield server


@pytest.fixture(autouse=True)
def waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long is waited before each further try, where nobody really waits."""
    waits: list[float] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("urllib3.util.retry.time", SimpleNamespace(sleep=waits.append))
    return waits


def left() -> list[str]:
    return sorted(os.listdir())


def test_a_file_is_fetched_and_its_facts_are_stated(server: FileServer) -> None:
    facts = {"url": f"{server.url}/a", "sha256": SHA256, "git_blob": git_blob(BODY), "bytes": len(BODY)}
    assert fetch(f"{server.url}/a", "deep/a", SHA256.upper(), git_blob(BODY)) == facts
    assert Path("deep/a").read_bytes() == BODY and os.listdir("deep") == ["a"]


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_a_wrong_checksum_leaves_nothing(server: FileServer, kind: str) -> None:
    wanted, got = "0" * 40, {"sha256": SHA256, "git_blob": git_blob(BODY)}[kind]
    with pytest.raises(InputError) as caught:
        fetch(f"{server.url}/x", "a", *([wanted] if kind == "sha256" else [None, wanted]))
    assert str(caught.value) == f"{server.url}/x: wrong checksum: wanted {kind} {wanted}, got {got}"
    assert left() == [] and len(server.requests) == 1


@pytest.mark.parametrize(("status", "tries"), {408: 6, 429: 6, 503: 6, 204: 1, 401: 1, 404: 1}.items())
def test_a_busy_server_is_asked_again_and_a_refusal_is_final(
    server: FileServer, waits: list[float], status: int, tries: int
) -> None:
    server.faults.extend([Reply(status)] * 9)
    with pytest.raises(InputError, match=rf"^{server.url}/x: the server says {status} ") as caught:
        fetch(f"{server.url}/x", "a")
    assert left() == [] and len(server.requests) == tries and "check the url" in str(caught.value)
    server.faults.clear()
    server.faults.extend([Reply(status, {"Retry-After": "37"})] * (2 * (tries > 1)))
    waits.clear()
    fetch(server.url, "a", SHA256)
    assert Path("a").read_bytes() == BODY and waits == [37, 37][: len(waits)] and bool(waits) == (tries > 1)


def test_nobody_answers_or_falls_silent(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with unused_url() as url, pytest.raises(InputError, match=r"cannot be fetched \(.*refused\)"):
        fetch(url, "a")
    assert left() == []
    monkeypatch.setattr("unmask.fetching.http.TIMEOUT", 0.5)
    server.faults.append(Reply(body=BODY, pause=3.0))
    fetch(server.url, "a", SHA256)
    assert Path("a").read_bytes() == BODY


def test_a_body_that_is_cut_short_is_fetched_again(server: FileServer) -> None:
    server.faults.extend([70_000, 80_000])
    fetch(server.url, "a")
    assert Path("a").read_bytes() == BODY and len(server.requests) == 3 and left() == ["a"]


def test_file_urls() -> None:
    source = Path("a name.csv").absolute()
    source.write_bytes(BODY)
    assert fetch(source.as_uri(), "b", SHA256)["sha256"] == SHA256
    assert Path("b").read_bytes() == BODY
    for url, line in (
        (source.as_uri(), "wrong checksum"),
        (Path("missing.csv").absolute().as_uri(), r"missing\.csv: cannot be fetched \(No such file"),
        (Path().absolute().as_uri(), r"cannot be fetched \(Is a directory\)"),
        ("file:///a%00", r"a%00: cannot be fetched \(embedded null byte\)"),
        ("https://a..b/x?token=sesame", r"^https://a\.\.b/x\?token=\.\.\.: cannot be fetched \("),
    ):
        with pytest.raises(InputError, match=line):
            fetch(url, "c", "0" * 64)
    assert left() == ["a name.csv", "b"]


def raw(*headers: str, body: bytes = b"", status: str = "200 OK") -> bytes:
    # it closes after each answer, and says so: who is not told asks again on a connection that is closing
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def sized(body: bytes, *headers: str) -> bytes:
    return raw(*headers, f"Content-Length: {len(body)}", body=body)


def redirect(*headers: str) -> bytes:
    return raw(*headers, "Content-Length: 0", status="302 Found")


PACKED = gzip.compress(TEXT, mtime=0)
PAGE = "a web page, not a file"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raw("Content-Length: 9", body=b"a,b\n"), "4 bytes read, 5 more expected"),
        (raw("Transfer-Encoding: chunked", body=b"8\r\nabcd"), "cannot be fetched"),
        (raw("Transfer-Encoding: chunked", body=b"four\r\nabcd\r\n0\r\n\r\n"), "cannot be fetched"),
        (raw("Content-Encoding: gzip", body=b"not gzip"), "cannot be fetched"),
        (raw("Content-Encoding: gzip", "Content-Length: 99", body=PACKED[:-9]), "cannot be fetched"),
        (raw(status="206 Partial", body=TEXT), "the server says 206"),
        (b"not http\r\n\r\n", "cannot be fetched"),
        (raw(), "it is empty"),
        (b"HTTP/1.1 200 OK\r\nContent-Len", "it is empty"),
        (raw("Retry-After: soon", status="503 Busy"), "cannot be fetched"),
        (redirect("Location: /a.csv"), "Exceeded 30 redirects"),
        (redirect("Location: file:///etc/passwd"), "cannot be fetched"),
        (redirect("Location: http://["), "cannot be fetched"),
        (redirect(), "the server says 302 Found; check the url"),
        (sized(b"\n<!DOCTYPE html>\n<html>"), PAGE),
        (sized(b"\xef\xbb\xbf<?xml version='1.0'?><!-- x --><html xmlns=''>"), PAGE),
    ],
    ids=str,
)
def test_what_is_not_the_whole_file_is_not_taken(answer: bytes, message: str) -> None:
    """Again and again the same answer: one line on the url, and nothing is left."""
    with RawServer(answer) as server:
        with pytest.raises(InputError, match=message) as caught:
            fetch(f"{server.url}/a.csv", "a.csv")
        assert str(caught.value).startswith(f"{server.url}/a.csv: ")
    assert "\n" not in str(caught.value) and left() == []


CHUNKED = raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + TEXT + b"\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("name", "answer", "body"),
    [
        ("a.csv", sized(TEXT), TEXT),
        # what comes beyond is not read
        ("a.csv", sized(TEXT) + b"more", TEXT),
        ("a.csv", CHUNKED, TEXT),
        ("a.csv", raw("Content-Encoding: gzip", body=PACKED), TEXT),
        ("a.csv", raw("Content-Encoding: deflate", body=zlib.compress(TEXT)), TEXT),
        # a file in gzip stays as it is where the server says so, too
        ("a.txt.gz", sized(PACKED, "Content-Encoding: gzip"), PACKED),
        ("a.html", sized(b"<!doctype html>", "Content-Type: text/html"), b"<!doctype html>"),
        ("a.csv", sized(b"<p>,sent_more\n", "Content-Type: text/plain"), b"<p>,sent_more\n"),
        ("a.csv", raw(body=TEXT), TEXT),
    ],
)
def test_a_whole_file_is_taken_however_it_comes(
    name: str, answer: bytes, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="unmask"), RawServer(answer) as server:
        fetch(f"{server.url}/{name}", name)
    assert Path(name).read_bytes() == body
    says_end = b"Content-Length" in answer or b"chunked" in answer
    assert ("it may have been cut short" in caplog.text) != says_end


def test_a_checksum_says_more_than_a_look() -> None:
    with RawServer(sized(b"<!doctype html>")) as server:
        fetch(f"{server.url}/a", "a", git_blob=git_blob(b"<!doctype html>"))
    assert Path("a").read_bytes() == b"<!doctype html>"


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
        sized(b"<html>"),
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
        RawServer(answer) as server,
        pytest.raises(InputError) as caught,
    ):
        url = server.url.replace("//", "//user:sesame@") + "/a.csv?token=sesame&sesame#sesame"
        fetch(url, "a.csv")
    assert str(caught.value).startswith(f"{server.url}/a.csv?token=...&...: ")
    assert "sesame" not in str(caught.value) + caplog.text + " ".join(left())
