"""A study that is killed again and again comes to the same results, and does no finished work twice.

UNMASK_KILLS, UNMASK_KILL_SEED    how many kills, and which
"""

import base64
import os
import random
import shutil
import signal
import time
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import psutil  # type: ignore[import-untyped]
import pytest

from examples import SENTENCES
from library import pick_device
from runs import PATIENCE, Run, differing, digests, litter, running
from small_study import Workflow, random_model, write_crows_pairs
from workflow_copy import copy_workflow

KILLS = int(os.environ.get("UNMASK_KILLS", "12"))
SEED = int(os.environ.get("UNMASK_KILL_SEED", "5"))
RESULTS = "results/small"
MAIN, JOB, ALL = "Snakemake", "a job", "all"


class Kill(NamedTuple):
    """nth, delay: at which new job of the run, counted from 1, and how many seconds into it."""

    target: str
    signal: signal.Signals
    nth: int
    delay: float


def study(folder: Path) -> Workflow:
    """Every kind of stage but training: a corpus, a model, evidence in shards, scores, the report."""
    copy_workflow(folder)
    write_crows_pairs(folder / "crows.csv", 300)
    (folder / "text.txt").write_text("".join(f"{more}\n{less}\n" for more, less, _ in SENTENCES))
    config = {
        "study": "small",
        "models": {"bert": random_model("bert", folder)},
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "crows.csv"}},
        "corpora": {"text": {"format": "text", "path": "text.txt"}},
        "measures": ["AUL", "CPS"],
        "controls": {"shuffled": None},
        "statistics": {"chance": {"draws": 100}},
    }
    return Workflow(folder, config)


@pytest.mark.thorough
def test_kills_change_no_result_and_lose_no_finished_work(tmp_path: Path) -> None:
    untouched = study(tmp_path / "untouched")

    def copied(name: str) -> Workflow:
        return Workflow(shutil.copytree(untouched.folder, tmp_path / name), untouched.config)

    undisturbed = copied("undisturbed")
    undisturbed.run()
    stages = {"tables", "statistics", "scores", "evidence", "frequency", "figures", "report"}
    assert {Path(name).parts[0] for name in digests(undisturbed.folder / RESULTS)} >= stages
    # evidence is written in several shards: a model reads each sentence as often as it has tokens
    tokens = pd.read_parquet(undisturbed.folder / RESULTS / "evidence/bert/crows/original/none.parquet")
    assert (tokens.groupby(["pair_id", "role"]).size() ** 2).sum() > pick_device("cpu").shard_tokens

    draw = random.Random(SEED)
    waiting = schedule(draw)
    while waiting:
        workflow = copied(f"with-{len(waiting)}-to-come")
        kill_until_done(workflow, waiting, draw)
        assert differing(workflow.folder / RESULTS, undisturbed.folder / RESULTS) == []
        # a killed run leaves its lock, which holds nothing, and a run that has nothing to do takes none
        assert [path for path in litter(workflow.folder / RESULTS) if path.name != ".lock"] == []
        assert workflow.planned() == set()


def schedule(draw: random.Random) -> list[Kill]:
    """Kills in random order, each target with each signal about as often."""
    signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    every = [(target, number) for target in (MAIN, JOB, ALL) for number in signals]
    chosen = [every[number % len(every)] for number in range(KILLS)]
    draw.shuffle(chosen)
    return [Kill(*kill, draw.choice((1, 2, 3, 4)), draw.uniform(0, 1.5)) for kill in chosen]


def kill_until_done(workflow: Workflow, waiting: list[Kill], draw: random.Random) -> None:
    """Start the study, again after each kill, until it is done. What was finished once is not made again."""
    first_finished: dict[str, tuple[int, int]] = {}
    killed = True
    while killed:
        killed = False
        with running(workflow) as run:
            while waiting and disturb(run, waiting[0], draw):
                killed = True
                if waiting.pop(0).target != JOB:
                    break
                # Snakemake goes on, perhaps to the next kill
                first_finished = finished_outputs(workflow.folder) | first_finished
            status = run.end()
            assert killed or status == 0, run.log.read_text()
        now = finished_outputs(workflow.folder)
        first_finished = now | first_finished
    assert [name for name, stamp in first_finished.items() if now.get(name) != stamp] == []


def disturb(run: Run, kill: Kill, draw: random.Random) -> bool:
    """Kill a run as planned; False where it comes to its end before."""
    start, seen = time.monotonic(), set[int]()
    moment = start
    while len(seen) < kill.nth or time.monotonic() < moment:
        if run.process.poll() is not None:
            return False
        assert time.monotonic() - start < PATIENCE, run.log.read_text()
        if len(seen) < kill.nth:
            seen |= {job.pid for job in run.jobs()}
            moment = time.monotonic() + kill.delay
        time.sleep(0.02)
    if kill.target == JOB and run.wait_for_job() is None:
        return False
    try:
        if kill.target == JOB:
            draw.choice(run.jobs()).send_signal(kill.signal)
        else:
            run.signal(kill.signal, group=kill.target == ALL)
    except (IndexError, psutil.NoSuchProcess, ProcessLookupError):
        # it ended at this very moment
        return False
    return True


def finished_outputs(folder: Path) -> dict[str, tuple[int, int]]:
    """The outputs that Snakemake has on record as whole, each with its inode and time."""
    records, unfinished = (
        {recorded(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        for place in (folder / ".snakemake/metadata", folder / ".snakemake/incomplete")
    )
    outputs = {name: folder / name for name in records - unfinished}
    stats = {name: path.stat() for name, path in outputs.items() if path.exists()}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


def recorded(path: Path) -> str:
    """The output of a record, by the record's path."""
    return base64.urlsafe_b64decode("".join(part.removeprefix("@") for part in path.parts)).decode()
