"""How a job ends: one clear line, whatever ends it, and nobody else at its work."""

import signal
from pathlib import Path

import pytest

from processes import said, start
from unmask.errors import InputError, PassingError
from unmask.joblog import INTERRUPTED, NOT_TRIED, RUN, TERMINATED, duration, forget_ended, job_log

JOB = """
    import sys, time
    from pathlib import Path
    from unmask.atomic import written_whole
    from unmask.joblog import job_log

    folder = Path(sys.argv[1])
    with job_log(folder / "logs" / "job.log"), written_whole(folder / "table") as partial:
        partial.write_text(sys.argv[2])
        print("writing", flush=True)
        while not Path(sys.argv[3]).exists():
            time.sleep(0.01)
"""
"""A job of which half is written until the file of the last argument is there."""
JOB_IN_FINALIZER = """
    import sys, time
    from pathlib import Path
    from unmask.joblog import job_log

    class Slow:
        def __del__(self):
            print("finalizing", flush=True)
            while True:
                time.sleep(0.01)

    with job_log(Path(sys.argv[1]) / "job.log"):
        Slow()
        while True:
            time.sleep(0.01)
"""
"""A job that is interrupted where exceptions are swallowed."""
NEVER, AT_ONCE = "/no/such/file", "/"
PATIENCE = 300
"""Seconds after which a process that does not end is a failure."""


ENDS = pytest.mark.parametrize(
    ("number", "status", "line"),
    [
        (signal.SIGTERM, TERMINATED, "stopped by SIGTERM"),
        (signal.SIGINT, INTERRUPTED, "stopped by Ctrl-C"),
    ],
)


@ENDS
def test_a_signal_is_one_line_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals, status: int, line: str
) -> None:
    with start(JOB, tmp_path, "half of", NEVER) as job:
        said(job, "writing")
        job.send_signal(number)
        _, errors = job.communicate(timeout=PATIENCE)
    assert job.returncode == status
    assert errors == f"{line}\n"
    assert (tmp_path / "logs" / "job.log").read_text().endswith(f"{line}\n")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["job.log", "logs"]


@ENDS
def test_a_signal_during_a_finalizer_is_not_lost(
    tmp_path: Path, number: signal.Signals, status: int, line: str
) -> None:
    with start(JOB_IN_FINALIZER, tmp_path) as job:
        said(job, "finalizing")
        job.send_signal(number)
        _, errors = job.communicate(timeout=PATIENCE)
    assert job.returncode == status
    assert errors == f"{line}\n"


def test_a_job_waits_for_the_same_job_left_by_a_killed_run(tmp_path: Path) -> None:
    ends = tmp_path / "end of first", tmp_path / "end of second"
    with start(JOB, tmp_path, "first", ends[0]) as first:
        said(first, "writing")
        with start(JOB, tmp_path, "second", ends[1]) as second:
            assert second.stderr
            waiting = second.stderr.readline()
            assert waiting.startswith(f"process {first.pid} on ")
            assert waiting.endswith("is still at this job, of a run that was killed: waiting for it\n")
            assert not (tmp_path / "table").exists()
            ends[0].touch()
            said(second, "writing")
            # only now, with the first one done
            assert (tmp_path / "table").read_text() == "first"
            assert first.wait(PATIENCE) == 0
            ends[1].touch()
            assert second.wait(PATIENCE) == 0
    for end in ends:
        end.unlink()
    assert (tmp_path / "table").read_text() == "second"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["job.log", "logs", "table"]


def test_an_unexpected_error_is_one_line_and_its_traceback_is_in_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [f"data/{number}.csv" for number in range(7)]
    with pytest.raises(SystemExit) as end, job_log(tmp_path / "job.log", inputs):
        raise KeyError("two\nlines")
    assert end.value.code == 1
    line = (
        rf"error: KeyError: 'two\nlines': not foreseen; {tmp_path}/job.log has the details "
        "(made from data/0.csv, data/1.csv, data/2.csv, data/3.csv, data/4.csv and 2 more)"
    )
    assert capsys.readouterr().err == f"{line}\n"
    text = (tmp_path / "job.log").read_text()
    assert "Traceback" in text and text.endswith(f"{line}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.log"]


def fail(log: Path, error: InputError, of: Exception | None = None) -> None:
    """A job that ends by an error, raised in place of another if there is one."""
    with pytest.raises(SystemExit) as end, job_log(log):
        if of is None:
            raise error
        try:
            raise of
        except Exception:
            raise error from None
    assert end.value.code == 1


@pytest.mark.parametrize("of", [None, ValueError("a byte")])
def test_an_error_of_the_input_is_said_once_in_a_run(
    tmp_path: Path, of: Exception | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "job.log"
    monkeypatch.setenv(RUN, "first")
    fail(log, InputError("x.gguf: no GGUF file"), of)
    line = "error: x.gguf: no GGUF file"
    assert capsys.readouterr().err == f"{line}\n"
    for _ in range(2):
        # as Snakemake does before it tries a job again
        log.unlink()
        with pytest.raises(SystemExit) as end, job_log(log):
            pytest.fail("it is tried again")
        assert end.value.code == 1
        assert capsys.readouterr().err == ""
        messages = [each.partition("unmask: ")[2] for each in log.read_text().splitlines()]
        assert messages == ["begun", line, NOT_TRIED]
    # each run tries anew, also after one that was killed
    monkeypatch.setenv(RUN, "second")
    with job_log(log):
        pass
    assert log.read_text().endswith(": begun\n")
    assert [path.name for path in tmp_path.iterdir()] == ["job.log"]


def test_a_run_forgets_what_it_did_not_try_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN, "first")
    log = tmp_path / "logs/model/job.log"
    fail(log, InputError("bad"))
    assert len(list(log.parent.iterdir())) == 2
    forget_ended(tmp_path / "logs")
    assert list(log.parent.iterdir()) == [log]


@pytest.mark.parametrize(
    ("error", "of"),
    [
        (PassingError("no answer"), None),
        (InputError("cannot be read"), OSError(116, "Stale file handle")),
        (InputError("the hub has no answer"), PassingError("no answer")),
    ],
)
def test_an_error_that_may_pass_is_worth_another_try(
    tmp_path: Path,
    error: InputError,
    of: Exception | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(RUN, "first")
    for _ in range(2):
        fail(tmp_path / "job.log", error, of)
        assert capsys.readouterr().err == f"error: {error}\n"
    with job_log(tmp_path / "job.log"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["job.log"]


def test_without_a_run_every_try_says_its_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        fail(tmp_path / "job.log", InputError("bad"))
        assert capsys.readouterr().err == "error: bad\n"


def test_a_full_disk_is_one_line_wherever_it_is_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end, job_log(tmp_path / "job.log"), open("/dev/full", "w") as file:
        file.write("x" * 100_000)
    assert end.value.code == 1
    assert capsys.readouterr().err == (
        "error: a file: cannot be written: No space left on device; fix that and run again\n"
    )


def test_a_log_on_a_full_disk_hides_nothing(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), job_log(small_disk / "job.log"):
        (small_disk / "other").write_text("x" * 10_000_000)
    assert capsys.readouterr().err.startswith("error: ")
    with pytest.raises(SystemExit), job_log(small_disk / "logs" / "job.log"):
        pass
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert errors[0].startswith(f"error: {small_disk}/logs/job.log: cannot be written: No space left")


LONG = """
    import logging, sys
    from unmask import joblog

    joblog.TOLD_EVERY = float(sys.argv[2])
    logger = logging.getLogger("unmask.some.module")
    with joblog.job_log(sys.argv[1] + "/logs/job.log"):
        logger.info("a step")
        for number in range(3):
            logger.info("%d of 3", number, extra=joblog.PROGRESS)
        logger.warning("take care")
"""


@pytest.mark.parametrize(("every", "told"), [("0", ["0 of 3", "1 of 3", "2 of 3"]), ("60", [])])
def test_progress_is_told_now_and_then(tmp_path: Path, every: str, told: list[str]) -> None:
    with start(LONG, tmp_path, every) as job:
        _, errors = job.communicate(timeout=PATIENCE)
    log = tmp_path / "logs" / "job.log"
    assert errors.splitlines() == [*(f"{log}: {line}" for line in told), "take care"]
    # the log has all of it, and is at no time empty
    assert [line.rpartition(": ")[2] for line in log.read_text().splitlines()] == [
        "begun",
        "a step",
        "0 of 3",
        "1 of 3",
        "2 of 3",
        "take care",
    ]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (119, "119 s"), (121, "2 min"), (7190, "2 h 00 min"), (7300, "2 h 02 min")],
)
def test_a_time_to_wait(seconds: float, told: str) -> None:
    assert duration(seconds) == told
