"""The papers' printed numbers beside ours, the commits that studies pin, and `unmask reproduce`."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import InputError, Item, compared, comparing, read_config, read_costs, read_items, summary
from library import reproduce as command
from study_schema import ROOT, completed_study, hub_sources

ITEMS = {(item.paper, item.item): item for items in read_items().values() for item in items}
STUDIES = sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))
COMMITS = read_config(ROOT / "resources/papers/commits.yaml")


def test_every_repository_of_the_hub_is_pinned_or_there_is_a_reason() -> None:
    seen = {source for study in STUDIES for source in hub_sources(completed_study(study))}
    assert {repo for repo, _ in seen} >= {*COMMITS["pinned"], *COMMITS["branches"]}
    for repo, revision in seen:
        if repo in COMMITS["branches"]:
            assert len(COMMITS["branches"][repo]) > 20
            assert not re.fullmatch("[0-9a-f]{40}", revision)
        else:
            assert re.fullmatch("[0-9a-f]{40}", revision), f"{repo} is at {revision}"
            assert revision == COMMITS["pinned"].get(repo, {"commit": revision})["commit"]


def of_table(folder: Path, rows: pd.DataFrame, **printed: Any) -> pd.DataFrame:
    """The printed numbers of an item, and ours, in these rows."""
    stated: dict[str, Any] = {"file": "tables/t.csv", "name": ["model"], "protocol": "row", **printed}
    (folder / "tables").mkdir(exist_ok=True)
    rows.to_csv(folder / "tables/t.csv", index=False)
    return compared(Item("p", "Table 1", "paper-scores", **stated), folder)


def test_within_rounding_is_what_rounds_to_the_printed_number(tmp_path: Path) -> None:
    rows = [("a", 62.9849, 62.98), ("b", 62.986, 62.98), ("c", 62.975, 62.98), ("d", 1, None), ("e", None, 2)]
    frame = pd.DataFrame(rows, columns=["model", "value", "published"]).assign(row="corrected")
    table = of_table(tmp_path, frame, beside={"value": ["published"]}, decimals=2)
    assert list(table["number"]) == ["a", "b", "c"] and list(table["within"]) == [True, False, True]
    assert table["difference"].tolist() == pytest.approx([0.0049, 0.006, -0.005])
    of_item = {"paper": "p", "item": "Table 1", "protocol": "corrected", "numbers": 3, "within": 2}
    assert summary(table).to_dict("records") == [of_item | {"largest": pytest.approx(0.006)}]
    # without stated decimals a source prints as many as its longest
    rows = [("x", 0.904, 0.9), ("x", 0.931, 0.931), ("y", 1.06, 1.1)]
    frame = pd.DataFrame(rows, columns=["source", "d", "printed"]).assign(model="a")
    table = of_table(tmp_path, frame, beside={"d": ["printed"]}, protocol=None)
    assert list(table["decimals"]) == [3, 3, 1] and list(table["within"]) == [False, True, True]


def test_printed_numbers_of_a_familys_file_are_joined_by_its_names(tmp_path: Path) -> None:
    whole = ITEMS["debiasing", "Table 2"]
    keys = {"benchmark": "stereoset", "pairs": "all", "measure": "SSS", "when": "before"}
    rows = [
        {"task": "bios", **keys, "protocol": "published", "tau": -0.018},
        {"task": "sts", **keys, "protocol": "corrected", "tau": 0.4},
        {"task": "other", **keys, "protocol": "published", "tau": 1},
    ]
    (tmp_path / "tables").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / whole.file, index=False)
    table = compared(whole, tmp_path)
    assert list(table["number"]) == ["bios stereoset all SSS before", "sts stereoset all SSS before"]
    assert list(table["printed"]) == [-0.02, 0.53] and list(table["within"]) == [True, False]


def test_results_that_lack_a_table_or_a_column_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.csv: is not there; run: unmask run "):
        compared(ITEMS["debiasing", "Table 2"], tmp_path)
    frame = pd.DataFrame({"model": ["a"], "row": "x", "value": 1})
    with pytest.raises(InputError, match=r"t\.csv: no column 'published'"):
        of_table(tmp_path, frame, beside={"value": ["published"]})


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What is run, in place of the workflow: every table of `paper-scores` is made, and `paper` fails."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.chdir(tmp_path)

    def run_study(study: str, cores: str, dry_run: bool, data: str | None, targets: list[str]) -> int:
        calls.append((study, cores, dry_run, data, tuple(targets)))
        if study == "paper":
            return 1
        for target in targets if not dry_run else []:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            Path(target).write_text(
                "model,benchmark,column,row,value,published\nbert,cp,AUL,published,52.9,52.92\n"
            )
        return 0

    monkeypatch.setattr(command, "run_study", run_study)
    return calls


def test_studies_run_in_order_of_cost_and_one_that_fails_stops_no_other(
    runs: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce(["unmasking", "grounded"], None, "3", dry_run=False) == 1
    assert [(study, cores, dry, data) for study, cores, dry, data, _ in runs] == [
        ("paper", "3", False, None),
        ("paper-scores", "3", False, None),
    ]
    assert runs[0][-1] == ("results/paper/tables/table2.csv",)
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line[:8] for line in lines if line.startswith("[")] == ["[1/3] pa", "[2/3] as", "[3/3] pa"]
    cells = [re.split(r"\s{2,}", line) for line in lines if line.startswith("unmasking")]
    assert ["unmasking", "Table 5", "bert cp AUL", "published", "52.92", "52.900", "−0.020", "False"] in cells
    assert ["unmasking", "Table 5", "published", "1", "0", "0.02"] in cells
    assert said.err.splitlines() == [
        "paper: failed; the same command goes on with it",
        "associations: left out: it needs files of yours, --data DIR",
    ]
    table = pd.read_csv(command.TABLE)
    assert list(table.columns) == list(comparing.COLUMNS)
    # the original in Table 4 is printed in Table 1
    assert list(table["item"]) == ["Table 1", "Table 3", "Table 5"]


def test_a_dry_run_runs_nothing_and_shows_no_table(
    runs: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce(["herb"], None, "1", dry_run=True) == 0
    assert [(call[0], call[2]) for call in runs] == [("regional", True)]
    said = capsys.readouterr().out
    assert not command.TABLE.exists() and "within rounding" not in said
    assert said.startswith("[1/1] regional (herb: Table 1, ") and said.endswith("Nothing was run.\n")
    with pytest.raises(InputError, match=r"^--papers: there is no 'herbs' \(did you mean herb\?"):
        command.reproduce(["herbs"], None, "1", dry_run=True)


def test_every_table_is_in_a_step_once() -> None:
    steps = command.steps([])
    assert sorted((item.paper, item.item) for step in steps for item in step.items) == sorted(ITEMS)
    assert [step.study for step in steps] == list(read_costs())
