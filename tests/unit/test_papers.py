"""The check list of the papers: its page, commits, costs; and printed numbers beside ours."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from study_schema import ROOT
from unmask.command import reproduce as command
from unmask.configuration import read_config
from unmask.errors import InputError
from unmask.papers import comparing
from unmask.papers.checklist import (
    FOLDER,
    MADE,
    REAL,
    Item,
    Printed,
    completed_study,
    needs_data,
    read_papers,
)
from unmask.papers.comparing import compared, summary
from unmask.papers.costs import PARTS, Cost, cost_of, hub_sources, token_seconds
from unmask.papers.page import PAGE, in_words, page
from unmask.results.folder import results_folder

ITEMS = [item for paper in read_papers() for item in paper.items]
STUDIES = sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))
COMMITS = read_config(FOLDER / "commits.yaml")
SIZES = read_config(FOLDER / "costs.yaml")


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m unmask.papers.page"


def test_every_row_has_a_study_parts_and_an_honest_word_on_what_it_ran_on() -> None:
    assert ITEMS
    for item in ITEMS:
        assert results_folder(item.study).name == item.study
        assert set(item.parts) <= PARTS.keys() and set(item.ran) <= {MADE, REAL}
        assert item.command.startswith(f"unmask run {item.study}")
        assert re.fullmatch(r"(tables/\w+\.md|figures/\w+\.svg)", item.file)
    names = [(item.paper, item.item) for item in ITEMS]
    assert len(set(names)) == len(names)


def test_what_needs_files_of_the_users_says_so() -> None:
    assert needs_data("associations") and needs_data("local")
    assert not needs_data("paper") and not needs_data("demo")
    (item,) = [item for item in ITEMS if item.paper == "grounded" and item.item == "Table 2"]
    assert item.command == "unmask run associations --data DIR"


@pytest.mark.parametrize("study", STUDIES)
def test_every_repository_of_the_hub_is_pinned_or_it_is_said_why_not(study: str) -> None:
    for repo, revision in hub_sources(completed_study(study)):
        if repo in COMMITS["branches"]:
            assert len(COMMITS["branches"][repo]) > 20
            assert not re.fullmatch("[0-9a-f]{40}", revision)
        else:
            assert re.fullmatch("[0-9a-f]{40}", revision), f"{study}: {repo} is at {revision}"


def test_a_repository_has_one_commit_in_all_studies_which_public_text_names() -> None:
    seen = {source for study in STUDIES for source in hub_sources(completed_study(study))}
    assert {repo for repo, _ in seen} >= {*COMMITS["pinned"], *COMMITS["branches"]}
    for repo, entry in COMMITS["pinned"].items():
        assert {revision for each, revision in seen if each == repo} == {entry["commit"]}
        # a text that is alone is named, so that it can be looked at
        assert entry["files"] > 1 or entry["named_in"]
        assert entry["files"] or re.match(
            rf"https://huggingface.co/\S*{repo}/\S*{entry['commit']}", entry["named_in"]
        )


def rows_of(name: str) -> list[list[str]]:
    """The rows of all tables of a page of the documentation."""
    lines = (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]


def test_measured_speeds_are_those_of_the_page_of_speed() -> None:
    measured = SIZES["measured"]
    rows = {(row[0], row[1]): row for row in rows_of("speed.md") if len(row) == 8}
    for network, milliseconds in measured["all_measures"].items():
        assert float(rows[network, "all of them"][3]) == milliseconds
        assert float(rows[network, "AUL+AULA+accuracy"][3]) == measured["unmasked"][network]
    of_base = rows["bert-base", "all of them"]
    assert float(of_base[7]) == measured["gigaflops"]
    assert of_base[6] == f"{measured['share_of_floor']}%"
    regional = [row for row in rows_of("speed.md") if row[:2] == ["bert-base", "2"]]
    assert [float(row[3]) for row in regional] == [measured["regional_sentences_per_second"]]
    text = (ROOT / "docs/speed.md").read_text(encoding="utf-8")
    assert f"{measured['regional_rows']:,} rows" in text
    counting = [row for row in rows_of("speed.md") if row[0].startswith("**Unmask**")]
    assert float(counting[0][1]) == measured["million_words_per_second"]
    disk = (ROOT / "docs/disk.md").read_text(encoding="utf-8")
    assert f"original, none ({measured['unmasked_tokens']:,} tokens)" in disk
    assert f"all of it is {measured['evidence_megabytes']} MB" in disk


def test_costs_are_sizes_times_speeds() -> None:
    """By hand: three models on 3614 pairs, with word order shuffled once more."""
    of_pairs = cost_of("paper-scores", ("pairs",))
    milliseconds = 377.50 + 32.16 + 1230.83 + 109.01 + 1258.57 + 90.74
    assert of_pairs.core_hours == pytest.approx((1508 + 2106) * milliseconds / 1000 / 3600)
    assert of_pairs.fetched == pytest.approx(4 * (108 + 355 + 18) / 1000)
    # 251 billion operations a second, 86% of them, against 20,000 billion
    assert of_pairs.gpu_hours == pytest.approx(of_pairs.core_hours * 251 * 0.86 / 20_000)
    # decoders read 1508 + 1677 + 1676 pairs twice; four of base size, and twelve of each size of Pythia
    decoders = cost_of("decoders", ("pairs",))
    milliseconds = 2 * ((4 + 12) * 32.16 + 12 * 109.01)
    assert decoders.core_hours == pytest.approx((1508 + 1677 + 1676) * milliseconds / 1000 / 3600)
    # GPT-2 once, a checkpoint each
    assert decoders.fetched == pytest.approx(4 * (124 + 125 + 135 + 12 * (70 + 405)) / 1000)
    of_words = cost_of("paper", ("words",))
    assert of_words.core_hours == pytest.approx(3800 / 13.7 / 3600) and of_words.gpu_hours == 0
    assert of_words.fetched == 15
    # 7 models that are no classifiers, two lists of words, and the sentences of the released code
    regions = cost_of("regional", ("regions",)).core_hours
    assert regions == pytest.approx(7 * 2 * 2 * 3_593_736 * 2 / 80 / 3600)


def test_prefixes_are_counted_one_by_one() -> None:
    """Countries, four cities alone and four with their country, and five places that are no region."""
    config: dict[str, Any] = completed_study("regional")
    many = 252 + 4 + 4 + 5
    of_token = token_seconds(config, "bert-base-cased")
    # one classifier reads reviews, six read posts; four of these learn for three epochs of three passes
    read = (1 + many) * (25_000 * 300 + 6 * 2_141 * 25)
    learnt = 4 * 3 * 3 * 8_562 * 25
    assert PARTS["prefixes"](config).core_hours == pytest.approx((read + learnt) * of_token / 3600)
    assert cost_of("regional", ("prefixes",)).fetched == pytest.approx(
        0.022 + 4 * (108 + 12 + 125 + 139 + 67 + 125) / 1000
    )


def test_predictions_on_the_way_are_counted() -> None:
    config: dict[str, Any] = completed_study("debiasing-steps")
    task = config["downstream"]["tasks"]["nli"]
    config["downstream"]["tasks"] = {"nli": task}
    config["models"] = {"bert-bu": config["models"]["bert-bu"]}
    whole = PARTS["fine-tuning"](config).core_hours
    size = SIZES["tasks"]["mnli"]
    learnt = 3 * 5500 * 32 * size["tokens"]
    last = 9832 * size["tokens"] + 645_504 * size["item_tokens"]
    # at the start and after every 500 steps but the last: all of the test, 10,000 pairs of items
    on_the_way = 11 * (9832 * size["tokens"] + 20_000 * size["item_tokens"])
    by_hand = (learnt + last + on_the_way) * token_seconds(config, "bert-bu") / 3600
    assert whole == pytest.approx(by_hand)


def test_a_search_of_settings_is_counted_run_by_run() -> None:
    config: dict[str, Any] = completed_study("debiasing")
    whole = PARTS["fine-tuning"](config).core_hours
    config["downstream"]["fine_tuning"]["how"] = "fixed"
    once = PARTS["fine-tuning"](config).core_hours
    size = SIZES["tasks"]
    tokens = sum(
        (9 * each["texts"] + each["tested"]) * each["tokens"] + each["items"] * each["item_tokens"]
        for each in size.values()
    )
    models = [name for name, entry in config["models"].items() if entry["source"] != "fine-tuned"]
    by_hand = sum(tokens * token_seconds(config, name) for name in models) / 3600
    # three epochs of three passes each
    assert len(models) == 28 and PARTS["fine-tuning"](config).core_hours == pytest.approx(by_hand)
    # batches 3 × 3 epochs, two more rates × 3, and one and five epochs: 21 in place of 3
    assert 6 < whole / once < 7


def test_costs_add_up_and_are_told_in_two_digits() -> None:
    both = Cost(1, fetched=2, unknown=("a",)) + Cost(0.5, models=True, disk=1234, unknown=("a", "b"))
    assert both == Cost(1.5, True, 2, 1234, ("a", "b"))
    assert in_words(both) == (
        "fetches 2 GB; disk 1,200 GB; 1.5 core h (GPU < 0.1 h); without a, b, whose size is not known"
    )
    assert in_words(Cost()) == "minutes"


def item(**printed: Any) -> Item:
    stated = Printed(**{"file": "tables/t.csv", "name": ("model",), "protocol": "row", **printed})
    return Item("p", "Table 1", "numbers", "paper-scores", "tables/t.md", ("pairs",), (), None, stated)


def write(folder: Path, frame: pd.DataFrame) -> Path:
    (folder / "tables").mkdir(exist_ok=True)
    frame.to_csv(folder / "tables/t.csv", index=False)
    return folder


def test_within_rounding_is_what_rounds_to_the_printed_number(tmp_path: Path) -> None:
    rows = [
        ("a", 62.9849, 62.98),
        ("b", 62.986, 62.98),
        ("c", 62.975, 62.98),
        ("d", 1.0, None),
        ("e", None, 2),
    ]
    frame = pd.DataFrame(rows, columns=["model", "value", "published"]).assign(row="corrected")
    table = compared(item(beside={"value": ["published"]}, decimals=2), write(tmp_path, frame))
    assert list(table["number"]) == ["a", "b", "c"] and list(table["within"]) == [True, False, True]
    assert table["difference"].tolist() == pytest.approx([0.0049, 0.006, -0.005])
    assert summary(table).to_dict("records") == [
        {
            "paper": "p",
            "item": "Table 1",
            "protocol": "corrected",
            "numbers": 3,
            "within": 2,
            "largest": pytest.approx(0.006),
        }
    ]


def test_two_readings_of_a_printed_number_are_two_lines(tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["NA"], "row": "paper", "score": 0.3, "headed": 0.3, "likely": 0.4})
    table = compared(item(beside={"score": ["headed", "likely"]}), write(tmp_path, frame))
    assert list(table["number"]) == ["NA headed", "NA likely"] and list(table["within"]) == [True, False]


def test_without_stated_decimals_a_source_prints_as_many_as_its_longest(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "model": list("abc"),
            "source": ["x", "x", "y"],
            "d": [0.904, 0.931, 1.06],
            "printed": [0.9, 0.931, 1.1],
        }
    )
    stated = item(beside={"d": ["printed"]}, protocol=None)
    table = compared(stated, write(tmp_path, frame))
    assert list(table["decimals"]) == [3, 3, 1] and list(table["within"]) == [False, True, True]


def test_printed_numbers_of_a_familys_file_are_joined_by_its_names(tmp_path: Path) -> None:
    (printed,) = [each.printed for each in ITEMS if each.paper == "debiasing" and each.item == "Table 2"]
    assert printed is not None
    keys = {"benchmark": "stereoset", "pairs": "all", "measure": "SSS", "when": "before"}
    rows = [
        {"task": "bios", **keys, "protocol": "published", "reading": "published", "tau": -0.018},
        {"task": "bios", **keys, "protocol": "corrected", "reading": "published", "tau": 5},
        {"task": "sts", **keys, "protocol": "corrected", "reading": "corrected", "tau": 0.4},
        {"task": "other", **keys, "protocol": "published", "reading": "published", "tau": 1},
    ]
    (tmp_path / "tables").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / printed.file, index=False)
    (whole,) = [each for each in ITEMS if each.printed is printed]
    table = compared(whole, tmp_path)
    assert list(table["number"]) == ["bios stereoset all SSS before", "sts stereoset all SSS before"]
    assert list(table["printed"]) == [-0.02, 0.53] and list(table["within"]) == [True, False]


def test_changes_of_labels_are_compared_in_percent_and_by_the_papers_names(tmp_path: Path) -> None:
    (whole,) = [each for each in ITEMS if each.paper == "herb" and each.item == "Table 5"]
    assert whole.printed is not None
    shares = {"to_positive": 0.000724, "to_negative": 0.0137}
    rows = [
        {"classifier": classifier, "table": "hatespeech18", "in_print": name, **shares}
        for classifier in ("bert-hate", "bert-hate-untrained")
        for name in ("without Ireland", "Ireland", None)
    ]
    (tmp_path / "tables").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / whole.printed.file, index=False)
    table = compared(whole, tmp_path)
    stem = "bert-hate hatespeech18 without Ireland"
    assert list(table["number"]) == [f"{stem} to_positive", f"{stem} to_negative"]
    assert table["printed"].tolist() == [0.0723, 1.3632]
    assert table["ours"].tolist() == pytest.approx([0.0724, 1.37])
    assert list(table["within"]) == [False, False]


def test_rows_of_other_classifiers_do_not_count(tmp_path: Path) -> None:
    (whole,) = [each for each in ITEMS if each.paper == "herb" and each.item == "Table 4"]
    assert whole.printed is not None
    row = {"table": "imdb", "in_print": "Mexico City, Mexico", **dict.fromkeys(whole.printed.values, 0.5)}
    rows = [{**row, "classifier": name} for name in ("reviews", "another")]
    (tmp_path / "tables").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / whole.printed.file, index=False)
    table = compared(whole, tmp_path)
    stem = "reviews imdb Mexico City, Mexico"
    # the paper has changes behind this prefix, and neither accuracy nor F1
    assert list(table["number"]) == [f"{stem} {each}" for each in ("up", "mean_up", "down", "mean_down")]


def test_results_that_lack_a_table_or_a_column_are_one_line(tmp_path: Path) -> None:
    stated = item(beside={"value": ["published"]})
    with pytest.raises(InputError, match=r"t\.csv: is not there; run: unmask run paper-scores$"):
        compared(stated, tmp_path)
    write(tmp_path, pd.DataFrame({"model": ["a"], "row": "x", "value": 1}))
    with pytest.raises(InputError, match=r"t\.csv: no column 'published'"):
        compared(stated, tmp_path)


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
    assert runs[0][-1] == ("results/paper/tables/table2.md", "results/paper/tables/table2.csv")
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line[:8] for line in lines if line.startswith("[")] == ["[1/3] pa", "[2/3] as", "[3/3] pa"]
    cells = [re.split(r"\s{2,}", line) for line in lines if line.startswith("unmasking")]
    assert ["unmasking", "Table 5", "bert cp AUL", "published", "52.92", "52.900", "−0.020", "no"] in cells
    assert ["unmasking", "Table 5", "published", "0 of 1", "0.02"] in cells
    assert said.err.splitlines() == [
        "paper: failed; the same command goes on with it",
        "associations: left out: it needs files of yours, --data DIR",
    ]
    table = pd.read_csv(command.TABLE)
    assert list(table.columns) == list(comparing.COLUMNS) and len(table) == 4


def test_a_dry_run_runs_nothing_and_shows_no_table(
    runs: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce(["herb"], None, "1", dry_run=True) == 0
    assert [(call[0], call[2]) for call in runs] == [("regional", True)]
    said = capsys.readouterr().out
    assert not command.TABLE.exists() and "within rounding" not in said
    lines = said.splitlines()
    assert lines[0] == "[1/1] regional (herb: Table 1, Table 2, Table 3, Table 4, Table 5, Table 6)"
    assert lines[1].startswith("  fetches ") and lines[-1] == "Nothing was run."


def test_a_study_that_cannot_be_planned_is_named(
    runs: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce(["unmasking"], None, "1", dry_run=True) == 1
    assert capsys.readouterr().err == "paper: cannot be planned; its error is above\n"


def test_an_unknown_paper_is_one_line() -> None:
    with pytest.raises(InputError, match=r"^--papers: there is no 'herbs' \(did you mean herb\?"):
        command.reproduce(["herbs"], None, "1", dry_run=True)


def test_every_paper_has_steps_and_they_grow_dearer() -> None:
    planned = command.steps(command.chosen_papers([]))
    hours = [step.cost.core_hours for step in planned]
    assert hours == sorted(hours) and {item.paper for step in planned for item in step.items} == {
        paper.key for paper in read_papers()
    }
