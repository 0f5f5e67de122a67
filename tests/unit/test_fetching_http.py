"""Fetching over http: resumed, retried, checked, whole or not at all."""

import hashlib
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from loopback import FileServer, Reply, git_blob, unused_url
from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, UnreachableError
from unmask.fetching.http import fetch, retry_after
from unmask.fetching.limits import Limits
from unmask.fetching.partial import Content, Partial

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer(BODY) as server:
        yield server


class Sleeps(list[float]):
    """Remembers how long was to be waited, and does not wait."""

    def backoff(self, attempts: int = 4) -> Backoff:
        return Backoff(attempts=attempts, sleep=self.append)


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


def left(directory: Path) -> list[str]:
    return sorted(os.listdir(directory))


def test_fetches_and_states_the_facts(server: FileServer, tmp_path: Path) -> None:
    facts = fetch(f"{server.url}/a.csv", tmp_path / "deep" / "a.csv")
    assert (tmp_path / "deep" / "a.csv").read_bytes() == BODY
    assert facts == {
        "url": f"{server.url}/a.csv",
        "sha256": SHA256,
        "git_blob": git_blob(BODY),
        "bytes": len(BODY),
    }
    assert left(tmp_path / "deep") == ["a.csv"]


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429, 408])
def test_server_errors_are_tried_again(
    server: FileServer, tmp_path: Path, sleeps: Sleeps, status: int
) -> None:
    server.faults.extend([Reply(status), Reply(status)])
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY
    assert len(sleeps) == 2
    assert 0.5 <= sleeps[0] <= 1.0 <= sleeps[1] <= 2.0


def test_gives_up_after_the_last_attempt(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    server.faults.extend([Reply(503)] * 9)
    with pytest.raises(UnreachableError, match=r"/x: could not be fetched \(tried 4 times\): .*503"):
        fetch(f"{server.url}/x", tmp_path / "a", backoff=sleeps.backoff())
    assert len(server.requests) == 4
    assert left(tmp_path) == []


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_refusals_are_final(server: FileServer, tmp_path: Path, sleeps: Sleeps, status: int) -> None:
    server.faults.append(Reply(status))
    with pytest.raises(InputError, match=rf"{server.url}/x: the server says {status}") as caught:
        fetch(f"{server.url}/x", tmp_path / "a", backoff=sleeps.backoff())
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1
    assert sleeps == []
    assert left(tmp_path) == []


def test_waits_as_long_as_the_server_asks(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    server.faults.append(Reply(429, {"Retry-After": "37"}))
    fetch(server.url, tmp_path / "a", backoff=sleeps.backoff())
    assert sleeps == [37.0]


def test_retry_after_in_all_its_forms() -> None:
    assert retry_after("12") == 12.0
    assert retry_after(None) is None
    assert retry_after("soon") is None
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (retry_after(later) or 0) <= 90
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


def test_waits_grow_within_bounds() -> None:
    backoff = Backoff(first=1.0, longest=10.0)
    for failures in range(1, 12):
        whole = min(10.0, 2.0 ** (failures - 1))
        waits = [backoff.wait(failures, None) for _ in range(50)]
        assert all(whole / 2 <= wait <= whole for wait in waits)
        assert len(set(waits)) > 1
    assert backoff.wait(1, 37.0) == 37.0


def test_a_truncated_body_is_resumed(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    server.faults.extend([1000, 5000])
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY
    ranges = [request.headers.get("range") for request in server.requests]
    assert ranges == [None, "bytes=1000-", "bytes=6000-"]
    assert server.requests[1].headers["if-range"] == server.tag
    assert left(tmp_path) == ["a"]


def test_an_interrupted_fetch_goes_on_in_the_next_run(
    server: FileServer, tmp_path: Path, sleeps: Sleeps
) -> None:
    server.faults.append(70_000)
    with pytest.raises(UnreachableError, match="truncated: 70000 bytes of 256000"):
        fetch(server.url, tmp_path / "a", backoff=sleeps.backoff(attempts=1))
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "a.part").read_bytes() == BODY[:70_000]
    fetch(server.url, tmp_path / "a", backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY
    assert server.requests[1].headers["range"] == "bytes=70000-"
    assert left(tmp_path) == ["a"]


def test_content_that_changed_in_between_is_fetched_anew(
    server: FileServer, tmp_path: Path, sleeps: Sleeps
) -> None:
    server.faults.append(70_000)
    with pytest.raises(UnreachableError):
        fetch(server.url, tmp_path / "a", backoff=sleeps.backoff(attempts=1))
    server.body, server.tag = BODY[::-1], '"another"'
    fetch(server.url, tmp_path / "a", backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY[::-1]


def test_a_part_of_another_url_is_not_continued(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    server.faults.append(70_000)
    with pytest.raises(UnreachableError):
        fetch(f"{server.url}/old", tmp_path / "a", backoff=sleeps.backoff(attempts=1))
    fetch(f"{server.url}/new", tmp_path / "a", backoff=sleeps.backoff())
    assert "range" not in server.requests[1].headers
    assert (tmp_path / "a").read_bytes() == BODY


def leave(server: FileServer, path: Path, part: bytes) -> None:
    """What an earlier fetch to `path` could have left."""
    partial = Partial(path, server.url)
    partial.path.write_bytes(part)
    partial.content = Content(str(server.tag), len(BODY))


@pytest.mark.parametrize("fault", ["no ranges", "no tag"])
def test_servers_that_cannot_resume_start_anew(
    server: FileServer, tmp_path: Path, sleeps: Sleeps, fault: str
) -> None:
    if fault == "no ranges":
        server.ranges = False
    else:
        server.tag = None
    server.faults.extend([70_000, 5])
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY


def test_a_part_that_is_too_long_starts_anew(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    leave(server, tmp_path / "a", BODY + b"more")
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY
    assert [request.headers.get("range") for request in server.requests] == ["bytes=256004-", None]


def test_a_corrupt_part_is_noticed_and_fetched_anew(
    server: FileServer, tmp_path: Path, sleeps: Sleeps
) -> None:
    leave(server, tmp_path / "a", b"x" * 70_000)
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff())
    assert (tmp_path / "a").read_bytes() == BODY
    assert [request.headers.get("range") for request in server.requests] == ["bytes=70000-", None]


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_a_wrong_checksum_leaves_nothing(server: FileServer, tmp_path: Path, kind: str) -> None:
    wanted = "0" * (64 if kind == "sha256" else 40)
    got = SHA256 if kind == "sha256" else git_blob(BODY)
    with pytest.raises(InputError) as caught:
        if kind == "sha256":
            fetch(f"{server.url}/x", tmp_path / "a", sha256=wanted)
        else:
            fetch(f"{server.url}/x", tmp_path / "a", git_blob=wanted)
    assert str(caught.value) == f"{server.url}/x: wrong checksum: wanted {kind} {wanted}, got {got}"
    assert left(tmp_path) == []
    assert len(server.requests) == 1


def test_right_checksums_pass_in_any_case(server: FileServer, tmp_path: Path) -> None:
    fetch(server.url, tmp_path / "a", SHA256.upper(), git_blob(BODY))
    assert (tmp_path / "a").read_bytes() == BODY


def test_what_is_there_and_right_is_not_fetched_again(server: FileServer, tmp_path: Path) -> None:
    first = fetch(server.url, tmp_path / "a", SHA256)
    assert fetch(server.url, tmp_path / "a", SHA256) == first
    assert len(server.requests) == 1
    (tmp_path / "a").write_bytes(b"spoilt")
    assert fetch(server.url, tmp_path / "a", SHA256) == first
    assert (tmp_path / "a").read_bytes() == BODY


def test_redirects_are_followed(server: FileServer, tmp_path: Path) -> None:
    server.faults.append(Reply(302, {"Location": f"{server.url}/elsewhere"}))
    fetch(f"{server.url}/x", tmp_path / "a", SHA256)
    assert [request.path for request in server.requests] == ["/x", "/elsewhere"]


def test_nobody_answers(tmp_path: Path, sleeps: Sleeps) -> None:
    with unused_url() as url, pytest.raises(UnreachableError, match=r"tried 3 times.*connection failed"):
        fetch(url, tmp_path / "a", backoff=sleeps.backoff(attempts=3))
    assert len(sleeps) == 2
    assert left(tmp_path) == []


def test_a_server_that_falls_silent_is_left(server: FileServer, tmp_path: Path, sleeps: Sleeps) -> None:
    server.faults.append(Reply(body=BODY, pause=5.0))
    fetch(server.url, tmp_path / "a", SHA256, backoff=sleeps.backoff(), limits=Limits(timeout=0.5))
    assert (tmp_path / "a").read_bytes() == BODY
    # on a busy machine the next answer may be as late
    assert len(sleeps) >= 1


def test_an_empty_file(tmp_path: Path) -> None:
    with FileServer(b"") as server:
        assert fetch(server.url, tmp_path / "a")["bytes"] == 0
    assert (tmp_path / "a").read_bytes() == b""


def test_file_urls(tmp_path: Path) -> None:
    source = tmp_path / "a name.csv"
    source.write_bytes(BODY)
    facts = fetch(source.as_uri(), tmp_path / "b", SHA256)
    assert (tmp_path / "b").read_bytes() == BODY
    assert facts["sha256"] == SHA256
    with pytest.raises(InputError, match="wrong checksum"):
        fetch(source.as_uri(), tmp_path / "c", "0" * 64)
    with pytest.raises(InputError, match=r"missing\.csv: no such file"):
        fetch((tmp_path / "missing.csv").as_uri(), tmp_path / "c")
    assert source.read_bytes() == BODY
    assert left(tmp_path) == ["a name.csv", "b"]


@pytest.mark.parametrize("url", ["ftp://host/x", "data.csv", "http://"])
def test_what_is_no_url_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match=url):
        fetch(url, tmp_path / "a")


def test_progress_is_logged(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("unmask.fetching.http._LOG_EVERY", 0.0)
    with caplog.at_level(logging.INFO, logger="unmask"):
        fetch(server.url, tmp_path / "a")
    assert any("of 0.3 MB" in message for message in caplog.messages)
