"""What a finished study says in words, to the letter as before; `make snapshots` takes it down anew."""

import os
from pathlib import Path

from small_study import Workflow

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"


def same_as_before(name: str, text: str) -> None:
    """Hold a text against the file of that name; with UNMASK_SNAPSHOTS=renew it is written there instead."""
    file = SNAPSHOTS / name
    if os.environ.get("UNMASK_SNAPSHOTS") == "renew":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), "where this is meant, run make snapshots"


def test_the_summary_of_the_small_study(finished: Workflow) -> None:
    same_as_before("summary.txt", finished.read("report", "summary.txt"))
