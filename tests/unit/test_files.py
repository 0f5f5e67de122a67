"""Files and folders are written whole or not at all, and a killed writer leaves nothing for long."""

import errno
import os
import signal
import subprocess
from pathlib import Path

import pytest

from library import InputError, write_text, written_whole
from processes import said, start

WRITER = """
    import sys, time
    from pathlib import Path
    from unmask.files import written_whole

    with written_whole(sys.argv[1], folder=sys.argv[2] != "file") as partial:
        (partial if sys.argv[2] == "file" else partial / "weights").write_text("half of")
        print("writing", flush=True)
        time.sleep(600)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path, kind: str) -> None:
    if kind == "file":
        write_text(path, "whole")
    else:
        with written_whole(path, folder=True) as partial:
            (partial / "weights").write_text("whole")


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "table.v1.parquet"
    with start(WRITER, path, kind) as killed:
        said(killed, "writing")
        killed.send_signal(signal.SIGKILL)
    assert not path.exists()
    assert len(names(tmp_path)) == 1
    write(path, kind)
    assert names(tmp_path) == [path.name]


def test_content_comes_to_the_disk_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced = tmp_path / "table.csv", []

    def fsync(file: int) -> None:
        assert not path.exists()
        synced.append((os.fstat(file).st_ino, os.fstat(file).st_size))

    monkeypatch.setattr(os, "fsync", fsync)
    write_text(path, "whole")
    assert synced == [(path.stat().st_ino, 5)]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "table"
    write_text(path, "before")
    with pytest.raises(ValueError, match="bad row"), written_whole(path) as partial:
        partial.write_text("half of")
        raise ValueError("bad row")
    assert names(tmp_path) == ["table"] and path.read_text() == "before"


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
)
def test_a_full_disk_is_one_line_that_names_the_file(tmp_path: Path, error: Exception) -> None:
    path = tmp_path / "table"
    expected = pytest.raises(InputError, match=f"^{path}: cannot be written \\(.*\\)$")
    with expected, written_whole(path) as partial:
        partial.write_text("half of")
        raise error
    assert names(tmp_path) == []
    path.write_text("a file")
    with pytest.raises(InputError, match=r"table/scores: cannot be written \(File exists"):
        write_text(path / "scores", "")
    # no folder can be made there
    with pytest.raises(InputError, match=r"scores: cannot be written \("):
        write_text("/proc/none/scores", "")


def test_a_real_read_only_disk(small_disk: Path) -> None:
    write_text(small_disk / "table", "before")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(InputError, match=r"table: cannot be written \(Read-only file system"):
        write_text(small_disk / "table", "after")
    assert (small_disk / "table").read_text() == "before"
