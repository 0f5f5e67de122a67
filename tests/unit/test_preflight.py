"""What is in the way of jobs is one line that names it, before any of them starts."""

import os
import time
from pathlib import Path

import pytest

from unmask.errors import InputError
from unmask.preflight import AHEAD, check_paths, check_writable, existing_parent


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_new_files_in_new_folders_and_files_that_are_there_pass() -> None:
    Path("in").touch()
    Path("made").mkdir()
    check_paths(["in", "not-made-yet"], ["a/b/out", "in", "made"], folders=["made"])
    assert not Path("a").exists()


@pytest.mark.parametrize("folders", [[], ["made"]])
@pytest.mark.parametrize("written", [True, False])
def test_a_folder_for_a_file_and_a_file_for_a_folder(folders: list[str], written: bool) -> None:
    if folders:
        Path("made").touch()
    else:
        Path("made").mkdir()
    line = "a file lies where a folder" if folders else "a folder lies where a file"
    with pytest.raises(InputError, match=f"^made: {line} belongs; move it away and run again$"):
        check_paths([] if written else ["made"], ["made"] if written else [], folders)


def test_a_file_of_the_future_is_named_where_it_is_read() -> None:
    for name in ("a b", "made"):
        Path(name).touch()
        os.utime(name, (0, time.time() + 86400))
    check_paths([], ["made"])
    with pytest.raises(
        InputError, match=r"^a b: dated in the future \(\d{4}-\d\d-\d\d .*touch 'a b', and run again$"
    ):
        check_paths(["a b"], ["made"])
    # the clocks of two machines differ
    os.utime("a b", (0, time.time() + AHEAD / 2))
    check_paths(["a b"], ["made"])


def test_a_link_to_nothing_or_to_itself_and_a_file_on_the_way() -> None:
    Path("gone").symlink_to("/no/such/place")
    Path("circle").symlink_to("circle")
    Path("file").touch()
    for name, line in (
        ("gone", r"^gone: a link to /no/such/place, which leads nowhere"),
        ("circle", r"^circle: a link to circle, which leads nowhere"),
        ("file", r"^file: a file lies where a folder belongs"),
    ):
        for check in (existing_parent, check_writable):
            with pytest.raises(InputError, match=line):
                check(f"{name}/small/tables")
        with pytest.raises(InputError, match=line):
            check_paths([], [f"{name}/out"])


def test_a_folder_that_takes_no_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("results/evidence").mkdir(parents=True)
    access = os.access
    closed = Path("results/evidence")
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and access(path, mode))
    with pytest.raises(InputError, match=r"^results/evidence: cannot be written: Permission denied; fix"):
        check_paths([], ["results/tables/a", "results/evidence/bert/none.parquet"])
    assert existing_parent("results/evidence/bert") == Path("results/evidence")
