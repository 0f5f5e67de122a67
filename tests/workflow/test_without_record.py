"""Results without Snakemake's record of them, as a copy of the results alone has none."""

import shutil

import pytest

from small_study import Workflow


@pytest.fixture
def unrecorded(copied: Workflow) -> Workflow:
    shutil.rmtree(copied.folder / ".snakemake")
    return copied


def told(workflow: Workflow, *arguments: str) -> tuple[int, list[str]]:
    done = workflow.snakemake(*arguments)
    lines = (done.stdout + done.stderr).splitlines()
    return done.returncode, [line for line in lines if "results/small: " in line]


def test_of_other_settings_they_are_not_taken_for_done(unrecorded: Workflow) -> None:
    unrecorded.config["models"]["bert"]["seed"] = 7
    for dry in ([], ["-n"]):
        assert told(unrecorded, *dry) == (
            1,
            [
                "error: results/small: these results have models.bert.seed 1, not 7, and there is no record "
                "(.snakemake) of how they were made; add --forceall to make them anew, or remove them"
            ],
        )
    done = unrecorded.snakemake("-n", "--forceall")
    assert done.returncode == 0 and "make_random_model" in done.stdout + done.stderr


def test_of_the_same_settings_it_is_said_what_cannot_be_known(unrecorded: Workflow) -> None:
    # how and where a study is run is none of its settings
    unrecorded.config["runtime"] = {"threads": 2}
    status, lines = told(unrecorded)
    assert status == 0
    assert len(lines) == 1 and "whether they are of just this study and code cannot be known" in lines[0]
    settings = unrecorded.folder / "results/small/settings.json"
    settings.unlink()
    status, lines = told(unrecorded, "-n")
    assert status == 0 and len(lines) == 1 and "nor of their settings: whether they are of" in lines[0]


def test_results_on_record_are_not_spoken_of(copied: Workflow) -> None:
    assert told(copied, "-n") == (0, [])
    copied.config["models"]["bert"]["seed"] = 7
    assert told(copied, "-n") == (0, [])
    assert "models/bert/facts.json" in copied.planned()
