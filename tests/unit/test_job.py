"""A job: what its script has, how it ends (one clear line, whatever ends it), and nobody else at its work."""

import errno
import os
import signal
from pathlib import Path

import pytest

from library import INTERRUPTED, TERMINATED, InputError, hold_run_lock, job_log, read_facts, sha256_of_file
from processes import said, start
from running import run_script

SCRIPT = """
from pathlib import Path

import pyarrow  # noqa: F401

from unmask.errors import InputError
from unmask.files import write_facts
from unmask.job import job

with job("table {params.name}") as run:
    write_facts(run.output[0], {"name": run.params.name, **run.record()})
    match Path(run.input[0]).read_text():
        case "bad":
            raise InputError("row 3: empty")
        case "said":
            raise InputError("table words: row 3: empty")
        case "replaced":
            Path(run.input[0]).write_text("other")
        case "removed":
            Path(run.input[0]).unlink()
"""


def run(folder: Path, content: str) -> Path:
    """A job that reads one file of a user, and writes what it states of that."""
    (folder / "script.py").write_text(SCRIPT)
    given, facts = folder / "table.csv", folder / "facts.json"
    given.write_text(content)
    planned = {str(given): sha256_of_file(given)}
    run_script(
        str(folder / "script"), [given], [facts], folder / "job.log", name="words", input_sha256=planned
    )
    return facts


def test_a_result_states_how_it_was_made(tmp_path: Path) -> None:
    facts = read_facts(run(tmp_path, "good"))
    assert facts["made_from"] == {str(tmp_path / "table.csv"): sha256_of_file(tmp_path / "table.csv")}
    assert (facts["name"], facts["code"]) == ("words", "digest")
    assert {"python", "unmask", "pyarrow"} <= set(facts["versions"])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("bad", "row 3: empty"),
        ("said", "row 3: empty"),
        ("replaced", "{}/table.csv: was replaced since this run was planned; run again"),
        ("removed", "{}/table.csv: no such file"),
    ],
)
def test_bad_input_is_one_line_that_says_what_it_is_about(
    tmp_path: Path, content: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run(tmp_path, content)
    assert end.value.code == 1
    assert capsys.readouterr().err == f"error: table words: {line.format(tmp_path)}\n"


def test_without_locks_in_a_file_system_a_run_and_its_jobs_go_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refuse)
    hold_run_lock(tmp_path)
    with job_log(tmp_path / "job.log"):
        (tmp_path / "table").touch()
    reason = "no lock can be had here (No locks available): going on without"
    assert caplog.messages[0] == f"{tmp_path}/.lock: {reason}"
    assert capsys.readouterr().err.endswith(f".job.log.lock: {reason}\n")


NOT_FORESEEN = "error: KeyError: 'two\\nlines': not foreseen; {}/job.log has the details"
FULL = "error: a file: cannot be written (No space left on device)"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (KeyError("two\nlines"), NOT_FORESEEN),
        (InputError("x.gguf: no GGUF file"), "error: x.gguf: no GGUF file"),
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
    ],
)
def test_whatever_ends_a_job_is_one_line_with_which_the_log_ends(
    error: Exception, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end, job_log(tmp_path / "job.log"):
        raise error
    assert end.value.code == 1 and capsys.readouterr().err == f"{line.format(tmp_path)}\n"
    text = (tmp_path / "job.log").read_text()
    assert text.endswith(f"{line.format(tmp_path)}\n") and ("Traceback" in text) == (line == NOT_FORESEEN)
    assert [path.name for path in tmp_path.iterdir()] == ["job.log"]


JOB = """
    import sys, time
    from pathlib import Path
    from unmask.files import written_whole
    from unmask.job import job_log

    folder = Path(sys.argv[1])
    with job_log(folder / "logs" / "job.log"), written_whole(folder / "table") as partial:
        partial.write_text(sys.argv[2])
        print("writing", flush=True)
        while not Path(sys.argv[3]).exists():
            time.sleep(0.01)
"""
"""A job of which half is written until the file of the last argument is there."""
PATIENCE = 300
"""Seconds after which a process that does not end is a failure."""


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("number", "status", "line"),
    [
        (signal.SIGTERM, TERMINATED, "stopped by SIGTERM"),
        (signal.SIGINT, INTERRUPTED, "stopped by Ctrl-C"),
    ],
)
def test_a_signal_is_one_line_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals, status: int, line: str
) -> None:
    with start(JOB, tmp_path, "half of", "/no/such/file") as job:
        said(job, "writing")
        job.send_signal(number)
        _, errors = job.communicate(timeout=PATIENCE)
    assert (job.returncode, errors) == (status, f"{line}\n")
    assert (tmp_path / "logs" / "job.log").read_text().endswith(f"{line}\n")
    assert files_in(tmp_path) == ["job.log", "logs"]


def test_a_job_waits_for_the_same_job_left_by_a_killed_run(tmp_path: Path) -> None:
    results, ends = tmp_path / "results", (tmp_path / "end of first", tmp_path / "end of second")
    with start(JOB, results, "first", ends[0]) as first:
        said(first, "writing")
        with start(JOB, results, "second", ends[1]) as second:
            assert second.stderr
            waiting = second.stderr.readline()
            assert "of a run that was killed is still at this: waiting for it" in waiting
            assert not (results / "table").exists()
            ends[0].touch()
            said(second, "writing")
            # only now, with the first one done
            assert (results / "table").read_text() == "first"
            ends[1].touch()
            assert (first.wait(PATIENCE), second.wait(PATIENCE)) == (0, 0)
    assert (results / "table").read_text() == "second"
    assert files_in(results) == ["job.log", "logs", "table"]


LONG = """
    import logging, sys
    from unmask import job

    job.PROGRESS_SECONDS = float(sys.argv[2])
    logger = logging.getLogger("unmask.some.module")
    with job.job_log(sys.argv[1] + "/logs/job.log"):
        logger.info("a step")
        for number in range(3):
            logger.info("%d of 3", number, extra=job.PROGRESS)
        logger.warning("take care")
"""


@pytest.mark.parametrize("every", [0, 60])
def test_progress_is_told_now_and_then(tmp_path: Path, every: int) -> None:
    with start(LONG, tmp_path, str(every)) as job:
        _, errors = job.communicate(timeout=PATIENCE)
    log, steps = tmp_path / "logs" / "job.log", ["0 of 3", "1 of 3", "2 of 3"]
    told = [] if every else steps
    assert errors.splitlines() == [f"{log}: {line}" for line in (*told, "take care")]
    # the log has all of it, and is at no time empty
    logged = [line.rpartition(": ")[2] for line in log.read_text().splitlines()]
    assert logged == ["begun", "a step", *steps, "take care"]


HOLDER = """
    import sys, time
    from unmask.job import hold_run_lock

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
    with pytest.raises(InputError, match=r"file/results: cannot be written \(Not a directory"):
        hold_run_lock(tmp_path / "file" / "results")
