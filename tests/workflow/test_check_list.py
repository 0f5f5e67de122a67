"""The check list of the papers against the workflow: the files that studies plan."""

import re
from pathlib import Path

import pytest

from library import needs_data, read_items
from small_study import Workflow
from workflow_copy import ROOT, copy_workflow

ITEMS = [item for items in read_items().values() for item in items]
# tables and figures in docs/papers.md: study, file, printed or not
LISTED = re.findall(
    r"`unmask run (\S+).*?` \| `(\S+)` \| (yes|no) \|",
    (ROOT / "docs/papers.md").read_text(encoding="utf-8"),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a user that configs/associations.yaml names; planning reads none of them."""
    folder = tmp_path_factory.mktemp("data")
    for suite in ("coco", "concap", "google"):
        (folder / "grounded" / suite).mkdir(parents=True)
        (folder / "grounded" / suite / "test.jsonl").write_text("{}\n")
        (folder / f"grounded/{suite}.npz").write_bytes(b"")
    (folder / "seat").mkdir()
    (folder / "seat/weat1.jsonl").write_text("{}\n")
    return folder


@pytest.fixture(scope="module")
def workflow(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    return Workflow(copy_workflow(tmp_path_factory.mktemp("papers") / "unmask"))


def planned(workflow: Workflow, study: str, data: Path | None) -> set[str]:
    """All outputs of a study that comes with Unmask, by their places in its results."""
    more = [f"data={data}"] if data else []
    done = workflow.command("--summary", "--config", f"study={study}", *more)
    assert done.returncode == 0, done.stdout + done.stderr
    files = [line.split("\t")[0] for line in done.stdout.splitlines() if "\t" in line]
    return {file.removeprefix(f"results/{study}/") for file in files}


@pytest.mark.thorough
@pytest.mark.parametrize("study", sorted({study for study, *_ in LISTED}))
def test_the_file_of_every_row_is_planned_by_its_study(workflow: Workflow, data: Path, study: str) -> None:
    files = planned(workflow, study, data if needs_data(study) else None)
    expected = [file for each, file, *_ in LISTED if each == study]
    expected += [item.file for item in ITEMS if item.study == study]
    assert expected and [file for file in expected if file not in files] == []
    assert (study in {item.study for item in ITEMS}) == (
        "yes" in {row[2] for row in LISTED if row[0] == study}
    )


def test_rows_that_take_no_model_fetch_none(workflow: Workflow) -> None:
    done = workflow.command("-n", "--config", "study=paper", "--", "results/paper/tables/table2.md")
    assert done.returncode == 0, done.stdout + done.stderr
    rules = {line.split()[0] for line in (done.stdout + done.stderr).splitlines() if line.split()}
    assert "fetch_corpus" in rules and "fetch_model" not in rules
