"""How far a job is that runs a model."""

import logging
import time

import pytest

from library import Progress


def lines(caplog: pytest.LogCaptureFixture, progress: Progress) -> str:
    caplog.clear()
    with caplog.at_level(logging.INFO, "unmask"):
        progress.say()
    return caplog.records[0].getMessage()


def test_speed_is_one_number_and_the_time_left_goes_by_tokens(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = Progress(4000)
    clock[0] += 5
    progress.add(1000)
    # a quarter in 5 seconds
    assert lines(caplog, progress) == "25% done, 200 tokens a second, about 0:00:15 left"
    # what was done before is no speed, and need not be done
    progress.skip(2000)
    progress.stage = "pass 2 of 3: "
    assert lines(caplog, progress) == "pass 2 of 3: 75% done, 200 tokens a second, about 0:00:05 left"
    # whole numbers, however fast a model reads
    fast = Progress(40_000)
    clock[0] += 8
    fast.add(20_000)
    assert lines(caplog, fast) == "50% done, 2,500 tokens a second, about 0:00:08 left"
