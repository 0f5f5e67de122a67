"""Locks of the operating system: one holder, and none that outlives its process."""

import errno
import fcntl
import signal
from pathlib import Path

import pytest

from processes import said, start
from unmask.errors import InputError
from unmask.locks import locked
from unmask.preflight import LOCK, hold_run_lock

HOLDER = """
    import sys, time
    from unmask.preflight import hold_run_lock

    hold_run_lock(sys.argv[1])
    print("held", flush=True)
    time.sleep(600)
"""


def nobody(holder: str) -> None:
    raise AssertionError(f"held by {holder}")


def test_a_second_run_is_refused_in_one_line(tmp_path: Path) -> None:
    with start(HOLDER, tmp_path) as other:
        said(other, "held")
        with pytest.raises(InputError) as refused:
            hold_run_lock(tmp_path)
        other.kill()
    assert str(refused.value).startswith(f"another run (process {other.pid} on ")
    assert f"is at work in {tmp_path};" in str(refused.value)


def test_a_killed_holder_holds_no_more(tmp_path: Path) -> None:
    with start(HOLDER, tmp_path) as other:
        said(other, "held")
        other.send_signal(signal.SIGKILL)
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path / LOCK, nobody):
        pass
    assert not (tmp_path / LOCK).exists()


def test_a_run_that_ends_takes_its_lock_along(tmp_path: Path) -> None:
    with start(HOLDER.replace("time.sleep(600)", ""), tmp_path) as other:
        assert other.wait(300) == 0
    assert list(tmp_path.iterdir()) == []


def test_there_is_one_holder_at_a_time(tmp_path: Path) -> None:
    code = """
        import os, sys
        from pathlib import Path
        from unmask.locks import locked

        inside = Path(sys.argv[1]) / "inside"
        for number in range(100):
            with locked(Path(sys.argv[1]) / "lock", lambda holder: None):
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails where another is inside
                inside.unlink()
    """
    processes = [start(code, tmp_path) for _ in range(4)]
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with locked(tmp_path / "lock", nobody):
        ran = True
    assert ran


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: a file lies where a folder belongs"):
        hold_run_lock(tmp_path / "file" / "results")
