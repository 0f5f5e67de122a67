"""Fetching over http: resumed, retried, checked, whole or not at all, whatever a server answers."""

import base64
import bz2
import gzip
import hashlib
import logging
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import InputError, Limits, fetch
from loopback import FileServer, RawServer, Reply, Request, Server, git_blob, unused_url
from profiles import examples
from small_corpora import parquet

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


def test_fetches_and_states_the_facts(server: FileServer) -> None:
    facts = fetch(f"{server.url}/a.csv", "deep/a.csv")
    assert Path("deep/a.csv").read_bytes() == BODY
    assert facts == {
        "url": f"{server.url}/a.csv",
        "sha256": SHA256,
        "git_blob": git_blob(BODY),
        "bytes": len(BODY),
    }
    assert os.listdir("deep") == ["a.csv"]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
def test_server_errors_are_tried_again(server: FileServer, status: int) -> None:
    server.faults.extend([Reply(status), Reply(status)])
    fetch(server.url, "a", SHA256, limits=LIMITS)
    assert Path("a").read_bytes() == BODY


def test_gives_up_after_the_last_attempt(server: FileServer) -> None:
    server.faults.extend([Reply(503)] * 9)
    with pytest.raises(InputError, match=r"/x: could not be fetched \(tried 3 times\): the server says 503"):
        fetch(f"{server.url}/x", "a", limits=LIMITS)
    assert len(server.requests) == 3
    assert left() == []


@pytest.mark.parametrize("status", [204, 401, 403, 404, 410])
def test_refusals_are_final(server: FileServer, status: int) -> None:
    server.faults.append(Reply(status))
    with pytest.raises(InputError, match=rf"{server.url}/x: the server says {status} .*; check the url"):
        fetch(f"{server.url}/x", "a")
    assert len(server.requests) == 1
    assert left() == []


@pytest.mark.parametrize(("asked", "waited"), [("37", 37), ("9" * 400, 600)])
def test_waits_as_long_as_the_server_asks_within_bounds(
    server: FileServer, monkeypatch: pytest.MonkeyPatch, asked: str, waited: int
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time", SimpleNamespace(sleep=waits.append))
    server.faults.append(Reply(429, {"Retry-After": asked}))
    fetch(server.url, "a")
    assert waits == [waited]


def test_a_truncated_body_is_resumed(server: FileServer) -> None:
    # before it goes on, it asks whether the content is the same
    server.faults.extend([70_000, len(BODY), 80_000])
    fetch(server.url, "a", limits=LIMITS)
    assert Path("a").read_bytes() == BODY
    ranges = [request.headers.get("range") for request in server.requests]
    assert ranges == [None, None, "bytes=70000-", None, "bytes=150000-"]
    assert server.requests[2].headers["if-range"] == server.tag
    assert left() == ["a"]


def interrupt(server: FileServer, path: str, url: str = "") -> None:
    """A fetch that ends in the middle of the body."""
    server.faults.append(150_000)
    with pytest.raises(InputError, match=r"\(tried 1 times\): truncated: 150000 bytes of 256000"):
        fetch(url or server.url, path, limits=ONCE)
    assert not Path(path).exists()
    server.requests.clear()


def test_an_interrupted_fetch_goes_on_in_the_next_run(server: FileServer) -> None:
    interrupt(server, "a")
    assert [path.read_bytes() for path in Path().iterdir()] == [BODY[:150_000]]
    fetch(server.url, "a", limits=ONCE)
    assert Path("a").read_bytes() == BODY
    assert server.requests[1].headers["range"] == "bytes=150000-"
    assert left() == ["a"]


@pytest.mark.parametrize("other", ["tag", "length", "url"])
def test_a_part_of_another_content_is_not_continued(server: FileServer, other: str) -> None:
    interrupt(server, "a", f"{server.url}/old")
    server.body = BODY[::-1]
    url = f"{server.url}/old"
    if other == "tag":
        server.tag = '"another"'
    elif other == "length":
        server.body = BODY[::-1] + b"more"
    else:
        url = f"{server.url}/new"
    fetch(url, "a", limits=ONCE)
    assert Path("a").read_bytes() == server.body
    assert [request.headers.get("range") for request in server.requests] == [None]
    assert left() == ["a"]


def test_a_server_without_entity_tags_starts_anew(server: FileServer) -> None:
    server.tag = None
    server.faults.append(150_000)
    fetch(server.url, "a", limits=LIMITS)
    assert Path("a").read_bytes() == BODY
    assert [request.headers.get("range") for request in server.requests] == [None, None]
    server.faults.append(150_000)
    with pytest.raises(InputError, match="truncated"):
        fetch(server.url, "b", limits=ONCE)
    assert left() == ["a"]


@pytest.mark.parametrize(
    "answer",
    [
        Reply(206, {"Content-Range": "bytes 150000-199999/200000"}, b"x" * 50_000),
        Reply(206, {"Content-Range": "bytes 0-99/256000"}, b"x" * 100),
        Reply(206, {}, b"x" * 100),
        Reply(416, {"Content-Range": "bytes */256000"}),
        Reply(200, {}, BODY),
    ],
)
def test_a_range_that_was_not_asked_for_is_not_taken(server: FileServer, answer: Reply) -> None:
    interrupt(server, "a")
    server.faults.extend([len(BODY), answer])
    fetch(server.url, "a", limits=ONCE)
    assert Path("a").read_bytes() == BODY


def test_a_range_of_another_length_than_it_says_is_not_taken(server: FileServer) -> None:
    headers = {"Content-Range": "bytes 150000-255999/256000"}
    for body, size in ((b"x" * 10, 150_010), (b"x" * 200_000, 350_000)):
        interrupt(server, "a")
        server.faults.extend([len(BODY), Reply(206, headers, body)])
        with pytest.raises(InputError, match=f"truncated: {size} bytes of 256000"):
            fetch(server.url, "a", limits=ONCE)
        for part in Path().iterdir():
            part.unlink()


def test_a_corrupt_part_is_noticed_and_not_kept(server: FileServer) -> None:
    interrupt(server, "a")
    next(Path().iterdir()).write_bytes(b"x" * 150_000)
    with pytest.raises(InputError, match="wrong checksum"):
        fetch(server.url, "a", SHA256, limits=ONCE)
    assert left() == []


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_a_wrong_checksum_leaves_nothing(server: FileServer, kind: str) -> None:
    wanted = "0" * (64 if kind == "sha256" else 40)
    got = SHA256 if kind == "sha256" else git_blob(BODY)
    with pytest.raises(InputError) as caught:
        fetch(f"{server.url}/x", "a", *((wanted,) if kind == "sha256" else (None, wanted)))
    assert str(caught.value) == f"{server.url}/x: wrong checksum: wanted {kind} {wanted}, got {got}"
    assert left() == []
    assert len(server.requests) == 1


def test_what_is_there_and_right_is_not_fetched_again(server: FileServer) -> None:
    first = fetch(server.url, "a", SHA256.upper(), git_blob(BODY))
    assert fetch(server.url, "a", SHA256) == first
    assert len(server.requests) == 1
    Path("a").write_bytes(b"spoilt")
    assert fetch(server.url, "a", SHA256) == first
    assert Path("a").read_bytes() == BODY


def test_nobody_answers() -> None:
    message = r"could not be fetched \(tried 3 times\): connection failed \(.*refused\)"
    with unused_url() as url, pytest.raises(InputError, match=message):
        fetch(url, "a", limits=LIMITS)
    assert left() == []


def test_a_server_that_falls_silent_is_left(server: FileServer) -> None:
    server.faults.append(Reply(body=BODY, pause=5.0))
    fetch(server.url, "a", SHA256, limits=Limits(timeout=0.5, pause=0.0))
    assert Path("a").read_bytes() == BODY


def test_an_empty_file() -> None:
    with FileServer(b"") as server:
        assert fetch(server.url, "a")["bytes"] == 0
    assert Path("a").read_bytes() == b""


def test_file_urls() -> None:
    source = Path("a name.csv").absolute()
    source.write_bytes(BODY)
    facts = fetch(source.as_uri(), "b", SHA256)
    assert Path("b").read_bytes() == BODY
    assert facts["sha256"] == SHA256
    with pytest.raises(InputError, match="wrong checksum"):
        fetch(source.as_uri(), "c", "0" * 64)
    with pytest.raises(InputError, match=r"missing\.csv: no such file"):
        fetch(Path("missing.csv").absolute().as_uri(), "c")
    assert source.read_bytes() == BODY
    assert left() == ["a name.csv", "b"]


@pytest.mark.parametrize("url", ["ftp://host/x", "data.csv", "http://"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=url):
        fetch(url, "a")


def test_progress_is_logged(
    server: FileServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("unmask.fetching.limits.LOG_EVERY", 0.0)
    with caplog.at_level(logging.INFO, logger="unmask"):
        fetch(server.url, "a")
    assert f"{server.url}: 0.1 of 0.3 MB" in caplog.messages


def raw(*headers: str, body: bytes = b"", status: str = "200 OK") -> bytes:
    # it closes after each answer, and says so: who is not told asks again on a connection that is closing
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def refused(answer: bytes, message: str, name: str = "a.csv") -> None:
    """A fetch that gets this answer again and again ends with a message on the url, and leaves nothing."""
    with RawServer(lambda number: [answer]) as server:
        with pytest.raises(InputError, match=message) as caught:
            fetch(f"{server.url}/{name}", name, limits=LIMITS)
        assert str(caught.value).startswith(f"{server.url}/{name}: ")
    assert "\n" not in str(caught.value)
    assert left() == []


def taken(answer: bytes, name: str = "a.csv") -> bytes:
    with RawServer(lambda number: [answer]) as server:
        fetch(f"{server.url}/{name}", name, limits=LIMITS)
    return Path(name).read_bytes()


def gzipped(body: bytes) -> bytes:
    """The same bytes at any time: gzip's own have the date."""
    return gzip.compress(body, mtime=0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (raw("Content-Length: 9", body=b"a,b\n"), "truncated: 4 bytes of 9"),
        (raw("Transfer-Encoding: chunked", body=b"4\r\nabcd\r\n"), "truncated: "),
        (raw("Transfer-Encoding: chunked", body=b"8\r\nabcd"), "truncated: "),
        (raw("Transfer-Encoding: chunked", body=b"four\r\nabcd\r\n0\r\n\r\n"), "truncated: "),
        (raw("Content-Encoding: gzip", body=b"not gzip"), "truncated: "),
        (raw("Content-Length: 900000000000000000"), "900000000000000000 bytes, but the disk has room for"),
        (raw("Content-Length: 1000001"), "1000001 bytes, more than the 1000000 that are taken"),
        (raw(body=b"x" * 1_000_001), "more than 1000000 bytes, which is the most that is taken"),
        # a bomb
        (raw("Content-Encoding: gzip", body=gzipped(bytes(50_000_000))), "more than 1000000 bytes"),
        (raw(status="206 Partial", body=TEXT), "the server says 206"),
        (b"not http\r\n\r\n", "connection failed"),
        (b"", "connection failed"),
        (raw(), "nothing came, and the server does not say that there is nothing"),
        (b"HTTP/1.1 200 OK\r\nContent-Len", "nothing came"),
        (raw(*(f"X-{number}: 1" for number in range(200))), "connection failed"),
        (raw("Retry-After: soon", status="503 Busy"), "cannot be fetched"),
    ],
    ids=str,
)
def test_a_body_that_is_not_whole_is_not_taken(answer: bytes, message: str) -> None:
    refused(answer, message)


@pytest.mark.parametrize(
    "answer",
    [
        raw("Content-Length: 4000", body=TEXT),
        # what comes beyond is not read
        raw("Content-Length: 4000", body=TEXT + b"more"),
        raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + TEXT + b"\r\n0\r\n\r\n"),
        raw("Content-Encoding: gzip", body=gzipped(TEXT)),
        raw("Content-Encoding: deflate", body=zlib.compress(TEXT)),
    ],
)
def test_a_whole_body_is_taken_however_it_comes(answer: bytes) -> None:
    assert taken(answer) == TEXT


def test_a_file_in_gzip_stays_as_it_is_where_the_server_says_so_too() -> None:
    packed = gzipped(TEXT)
    answer = raw("Content-Encoding: gzip", f"Content-Length: {len(packed)}", body=packed)
    assert taken(answer, "a.txt.gz") == packed


def test_a_body_whose_end_nobody_can_know_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="unmask"):
        assert taken(raw(body=TEXT)) == TEXT
        assert "does not say how long it is: it may have been cut short" in caplog.text
        caplog.clear()
        taken(raw("Content-Length: 4000", body=TEXT))
        assert caplog.text == ""


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
    name: str, headers: list[str], body: bytes, message: str
) -> None:
    refused(raw(*headers, f"Content-Length: {len(body)}", body=body), message, name)


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
def test_what_is_as_its_name_says_is_taken(name: str, headers: list[str], body: bytes) -> None:
    assert taken(raw(*headers, f"Content-Length: {len(body)}", body=body), name) == body


def test_a_checksum_says_more_than_a_look() -> None:
    page = b"<!doctype html>"
    answer = raw("Content-Type: text/html", f"Content-Length: {len(page)}", body=page)
    with RawServer(lambda number: [answer]) as server:
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
        (raw("Transfer-Encoding: chunked"), b"1\r\nx\r\n"),
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


def redirect(location: str | None) -> bytes:
    where = [] if location is None else [f"Location: {location}"]
    return raw(*where, "Content-Length: 0", status="302 Found")


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("/a.csv", "Exceeded 20 redirects"),
        ("file:///etc/passwd", "cannot be fetched"),
        ("ftp://host/a", "cannot be fetched"),
        ("javascript:alert(1)", "cannot be fetched"),
        ("http://[", "cannot be fetched"),
        ("http://:80/", "cannot be fetched"),
        (f"http://{'a' * 70}/", "cannot be fetched"),
        ("http://host:99999/", "cannot be fetched"),
        ("/\xff\xfe", "cannot be fetched"),
        (None, "the server says 302 Found; check the url"),
    ],
)
def test_redirects_to_nowhere_are_one_line(location: str | None, message: str) -> None:
    refused(redirect(location), message)


def test_the_body_of_a_redirect_is_not_read() -> None:
    def answer(number: int) -> Iterator[bytes | float]:
        if number:
            yield raw("Content-Length: 4000", body=TEXT)
        else:
            yield from trickling(raw("Location: /b", status="302 Found"), b"x" * 1000)

    with RawServer(answer) as server:
        fetch(f"{server.url}/a", "a", limits=Limits(seconds=10.0))
    assert Path("a").read_bytes() == TEXT


def test_a_password_goes_to_its_own_server_only() -> None:
    with Server() as other, Server() as server:
        other.answer = lambda request: Reply(200, {}, TEXT)

        def answer(request: Request) -> Reply:
            targets = {"/a": "/b", "/b": f"{server.url}/c", "/c": f"{other.url}/d"}
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
        redirect("ftp://host/?token=sesame"),
        redirect("http://user:sesame@[/"),
        # on which a library warns by itself
        raw("no header", status="404 Not Found"),
        redirect("http://user:sesame@127.0.0.1:1/?sesame"),
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


def test_a_disk_without_room_is_told_before_anything_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=3999))
    refused(raw("Content-Length: 4000", body=TEXT), "4000 bytes, but the disk has room for 3999")


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
    raw('ETag: "1"', "Content-Length: 4000", body=TEXT),
    raw("Transfer-Encoding: chunked", body=b"FA0\r\n" + TEXT + b"\r\n0\r\n\r\n"),
    raw("Content-Encoding: gzip", f"Content-Length: {len(gzipped(TEXT))}", body=gzipped(TEXT)),
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


@settings(derandomize=True, deadline=None, max_examples=examples(60))
@given(st.sampled_from(WHOLE[:3]), st.integers(1, 4200))
def test_a_body_that_says_its_end_is_whole_or_not_taken(answer: bytes, cut: int) -> None:
    """Cut short anywhere, without any checksum."""
    with TemporaryDirectory() as folder, RawServer(lambda number: [answer[:-cut]]) as server:
        path = Path(folder, "a.csv")
        try:
            fetch(f"{server.url}/a.csv", path, limits=LIMITS)
        except InputError:
            assert not path.exists()
        else:
            assert path.read_bytes() == TEXT
