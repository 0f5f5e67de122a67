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


NO_RECORD = "there is no record (.snakemake) of how these results were made"
REMEDY = "add --forceall to make them anew, or remove them"


def test_of_other_settings_they_are_not_taken_for_done(unrecorded: Workflow) -> None:
    unrecorded.config["models"]["bert"]["seed"] = 7
    error = f"error: results/small: {NO_RECORD}, and they have models.bert.seed 1, not 7; {REMEDY}"
    for dry in ([], ["-n"]):
        assert told(unrecorded, *dry) == (1, [error])
    done = unrecorded.snakemake("-n", "--forceall")
    assert done.returncode == 0 and "make_model" in done.stdout + done.stderr


def test_from_other_inputs_they_are_not_taken_for_done(unrecorded: Workflow) -> None:
    crows = unrecorded.folder / "crows.csv"
    crows.write_text(crows.read_text() + "\n")
    status, lines = told(unrecorded, "-n")
    assert status == 1 and len(lines) == 1
    assert lines[0].startswith(
        f"error: results/small: {NO_RECORD}, and results/small/benchmarks/crows.parquet: "
    )
    assert lines[0].endswith(f"crows.csv is no longer the file that it was made from; {REMEDY}")


def test_that_do_not_say_their_settings_are_not_taken_for_done(unrecorded: Workflow) -> None:
    (unrecorded.folder / "results/small/settings.json").unlink()
    for dry in (["-n"], []):
        status, lines = told(unrecorded, *dry)
        assert status == 1 and len(lines) == 1
        assert f"{NO_RECORD}, and results/small/settings.json: cannot be read" in lines[0]


def test_of_the_same_settings_it_is_said_what_cannot_be_known(unrecorded: Workflow) -> None:
    # how and where a study is run, and what is only shown, is none of its settings
    unrecorded.config["runtime"] = {"threads": 2}
    status, lines = told(unrecorded)
    unknown = (
        f"results/small: {NO_RECORD}: whether they are of just this study and code cannot be known; {REMEDY}"
    )
    assert (status, lines) == (0, [unknown])
    # of unfinished results nothing is known
    (unrecorded.folder / "results/small/SHA256SUMS").unlink()
    assert told(unrecorded, "-n") == (0, [unknown])


def test_results_on_record_are_not_spoken_of(copied: Workflow) -> None:
    assert told(copied, "-n") == (0, [])
    copied.config["models"]["bert"]["seed"] = 7
    assert told(copied, "-n") == (0, [])
    assert "models/bert/facts.json" in copied.planned()
