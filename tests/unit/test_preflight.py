"""One run at a time in a study's results, also after runs that were killed."""

import signal
from pathlib import Path

import pytest

from library import InputError, hold_run_lock
from processes import said, start

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


def test_results_that_take_no_writing_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file/results: cannot be written: Not a directory; fix"):
        hold_run_lock(tmp_path / "file" / "results")
