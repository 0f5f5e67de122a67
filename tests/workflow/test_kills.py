"""A study that is killed again and again comes to the same results, and does no finished work twice.

UNMASK_KILLS, UNMASK_KILL_SEED    how many kills, and which
"""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples import SENTENCES
from killing import JOB, Kill, digests, disturb, finished_outputs, litter, running, schedule
from small_study import Workflow, random_model, write_crows_pairs
from workflow_copy import copy_workflow

KILLS = int(os.environ.get("UNMASK_KILLS", "12"))
SEED = int(os.environ.get("UNMASK_KILL_SEED", "5"))
RESULTS = "results/small"


def study(folder: Path) -> Workflow:
    """Every kind of stage but training: a corpus, a model, evidence in three shards, scores, the report."""
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
    expected = digests(undisturbed.folder / RESULTS)
    stages = {"tables", "statistics", "scores", "evidence", "frequency", "figures", "report"}
    assert {Path(name).parts[0] for name in expected} >= stages
    assert "masking one-shared, shards: 3" in undisturbed.read("logs", "evidence", "bert", "crows.log")

    plan = schedule(KILLS, SEED)
    waiting = next(plan, None)
    rounds: list[list[Kill]] = []
    while waiting:
        workflow = copied(f"killed-{len(rounds)}")
        kills, waiting = kill_until_done(workflow, waiting, plan)
        rounds.append(kills)
        assert digests(workflow.folder / RESULTS) == expected
        assert litter(workflow.folder / RESULTS) == []
        assert workflow.planned() == set()
    assert sum(map(len, rounds)) == KILLS
    assert [kill.again for kills in rounds for kill in kills if kill.again] == []


def kill_until_done(
    workflow: Workflow, waiting: Kill | None, plan: Iterator[Kill]
) -> tuple[list[Kill], Kill | None]:
    """Start the study, again after each kill, until it is done; the kills that were, and the next one."""
    kills: list[Kill] = []
    draw = random.Random(SEED)
    while True:
        before = len(kills)
        with running(workflow) as run:
            while waiting and disturb(run, waiting, draw):
                kills.append(waiting)
                waiting = next(plan, None)
                if kills[-1].target != JOB:
                    kills[-1].status = run.end()
                    break
                # a job alone: Snakemake goes on, perhaps to the next kill
                kills[-1].finished = finished_outputs(workflow.folder)
            status = run.end()
        now = finished_outputs(workflow.folder)
        if len(kills) > before and kills[-1].target != JOB:
            kills[-1].finished = now
        if len(kills) == before:
            assert status == 0, run.log.read_text()
            for kill in kills:
                kill.again = sorted(name for name, stamp in kill.finished.items() if now.get(name) != stamp)
            return kills, waiting
