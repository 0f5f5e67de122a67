"""One run at a time in a study's results, and content that decides about files from outside of them."""

import os
import shutil
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest

from library import DigestCache, InputError, hold_run_lock, preflight, sha256_of_file
from processes import said, start


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, which counts as written long ago."""
    monkeypatch.setattr(preflight, "SETTLED", -1)
    path = tmp_path / "file"
    path.write_text("one")
    return path


@pytest.mark.parametrize("settled", [-1, 1000])
def test_a_file_is_read_once_for_all_runs_unless_it_was_just_written(
    file: Path, tmp_path: Path, settled: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Mock(wraps=sha256_of_file)
    monkeypatch.setattr(preflight, "SETTLED", settled)
    monkeypatch.setattr(preflight, "sha256_of_file", reading)
    for _ in range(3):
        assert DigestCache(tmp_path / "cache/digests").of(file) == sha256_of_file(file)
    assert reading.call_count == (1 if settled < 0 else 3)


@pytest.mark.parametrize("replace", ["written", "moved", "copied"])
def test_a_replaced_file_is_read_again_whatever_its_date(file: Path, tmp_path: Path, replace: str) -> None:
    digests = DigestCache(tmp_path / "digests")
    before, date = digests.of(file), file.stat().st_mtime_ns
    other = tmp_path / "other"
    other.write_text("two")
    for path in (other, file):
        os.utime(path, ns=(date, date))
    if replace == "written":
        file.write_text("two")
        os.utime(file, ns=(date, date))
    elif replace == "moved":
        other.replace(file)
    else:
        shutil.copy2(other, file)
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (date, 3)
    assert DigestCache(tmp_path / "digests").of(file) == digests.of(file) != before


def test_a_broken_or_unwritable_cache_costs_time_alone(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "digests"
    for content in (b'["cut sho', b"\xff\xff", b"[1]\n{}\n3\n"):
        cache.write_bytes(content)
        assert DigestCache(cache).of(file) == sha256_of_file(file)
    assert DigestCache(tmp_path / "file/digests").of(file) == sha256_of_file(file)
    with pytest.raises(InputError, match="missing: no such file"):
        DigestCache(cache).of(tmp_path / "missing")


HOLDER = """
    import sys, time
    from unmask.preflight import hold_run_lock

    hold_run_lock(sys.argv[1])
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def test_a_second_run_is_refused_in_one_line_and_a_killed_one_holds_nothing(tmp_path: Path) -> None:
    with start(HOLDER, tmp_path, "600") as first:
        said(first, "held")
        with pytest.raises(InputError, match=f"^another run is at work in {tmp_path}; wait"):
            hold_run_lock(tmp_path)
        first.send_signal(signal.SIGKILL)
    with start(HOLDER, tmp_path, "0") as second:
        assert second.wait(300) == 0
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file/results: cannot be written: Not a directory; fix"):
        hold_run_lock(tmp_path / "file" / "results")
