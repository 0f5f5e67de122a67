"""A study without its evidence: nothing to be done, and what is added runs alone."""

import copy
import os
import subprocess
import sys

import pytest

from small_study import AGGREGATES, Workflow, random_model


@pytest.fixture
def cleaned(copied: Workflow) -> Workflow:
    done = subprocess.run(
        [sys.executable, "-m", "unmask.command.main", "clean", "results/small", "--yes"],
        cwd=copied.folder,
        env={**os.environ, "PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "results/small/evidence: " in done.stdout, done.stdout
    assert not (copied.folder / "results/small/evidence").exists()
    return copied


def own_jobs(workflow: Workflow) -> set[str]:
    """What would be made, without the tables, the figures and the report."""
    return {output for output in workflow.planned() if not output.startswith(AGGREGATES)}


def test_a_finished_study_without_evidence_has_nothing_to_do(cleaned: Workflow) -> None:
    again = cleaned.snakemake()
    assert again.returncode == 0 and "Nothing to be done" in again.stdout + again.stderr


def test_a_new_model_or_benchmark_is_scored_alone(cleaned: Workflow) -> None:
    config = copy.deepcopy(cleaned.config)
    cleaned.config["models"]["albert"] = random_model("albert", cleaned.folder, embedding_size=8)
    own = own_jobs(cleaned)
    assert "evidence/albert/crows/digests.json" in own
    assert all("/albert/" in output for output in own)
    cleaned.config = config
    cleaned.config["benchmarks"]["more"] = {"format": "crows-pairs", "path": "crows.csv"}
    own = own_jobs(cleaned)
    assert "evidence/bert/more/digests.json" in own
    assert all("/more" in output for output in own)


@pytest.mark.thorough
def test_after_adding_a_model_the_report_has_all_of_them(cleaned: Workflow) -> None:
    cleaned.config["models"]["albert"] = random_model("albert", cleaned.folder, embedding_size=8)
    cleaned.run()
    scored = {path.name for path in (cleaned.folder / "results/small/evidence").iterdir()}
    assert scored == {"albert"}
    report = cleaned.read("report", "index.html")
    assert all(model in report for model in ("bert", "roberta", "albert"))
    assert cleaned.planned() == set()
