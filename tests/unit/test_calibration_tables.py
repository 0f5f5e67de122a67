"""Tables of calibration, each number recomputed from the rows that they are made of."""

import io
import math
from pathlib import Path
from statistics import mean
from typing import Any

import pandas as pd
import pytest

from calibration_studies import AWKWARD, CHANCE_ALARMS, MEASURES, NUMBERS, Study
from running import present
from unmask.calibration.artifacts import TABLES
from unmask.calibration.metrics import RANKED
from unmask.calibration.presenting import PRESENTS
from unmask.calibration.results import CalibrationResults
from unmask.calibration.schema import EXPLAINED
from unmask.calibration.tables import ON_PAGES, PRESENTED
from unmask.measures.registry import title_of
from unmask.report.declared_tables import magnitude
from unmask.report.sheets import DASH, MINUS, Sheet, rows_of
from unmask.tables import write_table

FORMS = ("csv", "md", "tex")
NAMES = [f"{table}_{form}" for table in TABLES for form in FORMS]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def results(study: Study) -> CalibrationResults:
    return CalibrationResults(study.files, study.settings)


@pytest.fixture(scope="module")
def texts(study: Study) -> dict[str, str]:
    """The files that the script writes."""
    files = {name: study.folder / name for name in NAMES}
    present("calibration", study.files, files, study.folder / "log", study.settings)
    return {name: path.read_text(encoding="utf-8") for name, path in files.items()}


def cells(sheet: Sheet, *stubs: str) -> dict[tuple[str, str], str]:
    """The row that begins so, by head."""
    (row,) = (row for row in sheet.rows if row[: len(stubs)] == stubs)
    return dict(zip(sheet.columns, row[len(sheet.stubs) :], strict=True))


def one(rows: list[dict[str, Any]], **equal: Any) -> dict[str, Any]:
    (row,) = (row for row in rows if all(row[key] == value for key, value in equal.items()))
    return row


def text_of(row: dict[str, Any], form: str) -> str:
    """A value with its interval, as it was rounded by hand."""
    value, low, high = (
        format(row[key], form).replace("-", MINUS) if row[key] is not None else ""
        for key in ("value", "low", "high")
    )
    return f"{value} ({low} to {high})" if low else value or DASH


def test_every_table_is_made_in_every_form(texts: dict[str, str]) -> None:
    assert set(texts) == set(NAMES) and tuple(PRESENTED) == TABLES
    for name, text in texts.items():
        assert text.strip(), name
        if name.endswith("_md"):
            lines = [line for line in text.splitlines() if line.startswith("|")]
            assert len(lines) > 2
            assert len({line.replace("\\|", "").count("|") for line in lines}) == 1, name


def test_names_from_data_are_escaped(texts: dict[str, str]) -> None:
    assert AWKWARD not in texts["explained_md"] and AWKWARD not in texts["explained_tex"]
    assert r"a\<b\>&\$x\_1\$\|" in texts["explained_md"]
    assert r"a\textless{}b\textgreater{}\&\$x\_1\$\textbar{}" in texts["explained_tex"]
    assert set(pd.read_csv(io.StringIO(texts["explained_csv"]))["model"]) == {AWKWARD}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", ["oracle", "trained"])
def test_metrics_are_those_of_the_study(
    study: Study, results: CalibrationResults, measure: str, kind: str
) -> None:
    shown = cells(PRESENTED["merits"].captioned(results)[1], title_of(measure), kind)
    rows = [row for row in study.rows["merits"] if (row["measure"], row["kind"]) == (measure, kind)]
    for merit, form in (("exchange", "+.3g"), ("rank", "+.2f")):
        row = one(rows, merit=merit)
        # a rank of 1 and an exchange of 0 are rounded in ways of their own
        expected = text_of(row, form)
        if row["value"] and f"{MINUS}0.0" not in expected:
            assert shown["", merit] == expected
    for number in NUMBERS:
        power = one(rows, merit="power", condition=f"n={number}")
        assert shown["power, %", f"n={number}"] == text_of(power, ".1f")
        smallest = one(rows, merit="smallest", condition=f"n={number}")
        assert shown["smallest p", f"n={number}"] == text_of(smallest, ".2f")
    for condition in ("no association", "ratio=1", "ratio=4", "ratio=16", "subtoken", "longer"):
        alarms = one(rows, merit="false alarms", condition=condition)
        assert shown["false alarms, %", condition] == f"{text_of(alarms, '.1f')}; {CHANCE_ALARMS:.1f}"
    for condition in RANKED:
        cell = shown["rank of worlds", condition]
        if kind == "trained":
            assert cell == DASH
        else:
            assert cell == text_of(one(rows, merit="rank of worlds", condition=condition), "+.2f")


def test_metrics_have_no_other_kinds_and_no_other_conditions(results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["merits"].captioned(results)
    assert set(frame["kind"]) == {"oracle", "trained"}
    assert {row[1] for row in sheet.rows} == {"oracle", "trained"} and len(sheet.rows) == 2 * len(MEASURES)
    assert [row[0] for row in sheet.rows[::2]] == [title_of(name) for name in MEASURES]
    labels = [label for _, label in sheet.columns]
    assert labels[:8] == ["slope", "frequency", "exchange", "rank", *RANKED]
    assert [group for group, _ in sheet.columns[:8]] == [""] * 4 + ["rank of worlds"] * 4
    assert not any("word" in label and label != "longer" for label in labels[8:])


def test_measures_are_in_the_order_of_the_study(study: Study) -> None:
    settings = study.settings | {"measures": list(reversed(MEASURES))}
    sheet = PRESENTED["false_alarms"].captioned(CalibrationResults(study.files, settings))[1]
    assert list(dict.fromkeys(row[0] for row in sheet.rows)) == [
        title_of(name) for name in reversed(MEASURES)
    ]
    # the main kinds stand before architectures
    assert [row[1] for row in sheet.rows[:5]] == ["oracle", "trained", "bert", "roberta", "albert"]


def test_power_has_every_condition_and_lengths_the_slopes_by_words(results: CalibrationResults) -> None:
    power = PRESENTED["power"].captioned(results)[1]
    assert ("power, %", "n=500, 10 a word") in power.columns
    assert [group for group, _ in power.groups()] == ["power, %", "smallest p"]
    assert [label for _, label in PRESENTED["lengths"].captioned(results)[1].columns] == [
        "words=6",
        "words=7",
        "words=8",
    ]


def test_doses_are_means_of_worlds(study: Study, results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["doses"].captioned(results)
    keys = {"factor": "both", "p": 0.8, "ratio": 4.0, "direction": "stereo", "measure": "SSS"}
    rows = [
        row
        for row in study.rows["doses"]
        if row["role"] == "trained" and all(row[key] == value for key, value in keys.items())
    ]
    by_family: dict[str, list[float]] = {}
    for row in rows:
        by_family.setdefault(row["family"], []).append(row["margin"])
    worlds = [mean(own) for own in by_family.values()]
    # t of four degrees of freedom
    spread = math.sqrt(sum((world - mean(worlds)) ** 2 for world in worlds) / 4)
    reach = 2.7764451 * spread / math.sqrt(5)
    asked = " and ".join(f"{key} == {value!r}" for key, value in (keys | {"role": "trained"}).items())
    (dose,) = rows_of(frame.query(asked))
    assert (dose.models, dose.families) == (15, 5)
    assert [dose.margin, dose.margin_low, dose.margin_high] == pytest.approx(
        [mean(worlds), mean(worlds) - reach, mean(worlds) + reach]
    )
    assert dose.theory == pytest.approx(math.log(4) - math.log(4), abs=1e-12)
    shown = cells(sheet, "both", "0.8", "4", "stereo", DASH, "trained")
    assert shown["margin", "SSS"] == magnitude(mean(worlds))
    assert shown["score, %", "SSS"] == f"{dose.score:.1f}"


def test_what_fits_a_page_of_the_doses_is_margins_of_single_factors(results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["doses"].captioned(results)
    page = ON_PAGES["doses"].sheet(frame)
    assert {row[0] for row in page.rows} == {"association", "frequency"}
    assert page.stubs == ("planted", "p", "ratio", "direction", "model")
    whole = cells(sheet, "association", "0.95", "1", "stereo", DASH, "oracle")
    part = cells(page, "association", "0.95", "1", "stereo", "oracle")
    assert part == {("", label): text for (group, label), text in whole.items() if group == "margin"}


def test_controls_are_counted(study: Study, results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["controls"].captioned(results)
    rows = study.rows["controls"]
    for row in rows_of(frame):
        own = [
            r for r in rows if (r["control"], r["role"], r["measure"]) == (row.control, row.role, row.measure)
        ]
        assert row.tried == len(own) and row.held == sum(r["holds"] for r in own)
        assert row.least == min(r["score"] for r in own) and row.most == max(r["score"] for r in own)
    shown = cells(sheet, "permuted", "oracle")
    assert shown["as it should be", "AUL"] == "4 of 5" and shown["as it should be", "SSS"] == "5 of 5"
    assert shown["", "scores, %"] == "51.0 to 58.0" and shown["", "worst pair"] == DASH
    assert cells(sheet, "swapped", "trained")["", "worst pair"] == "3e-13"
    assert cells(sheet, "identical", "exact")["", "worst pair"] == "0"
    assert list(dict.fromkeys(row[0] for row in sheet.rows)) == [
        "identical",
        "swapped",
        "permuted",
        "balanced",
        "untrained",
    ]


def test_keep_rates_have_oracles_and_trained_models(study: Study, results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["kept"].captioned(results)
    assert len(frame) == len(study.rows["kept"]) + len(study.rows["kept_exact"])
    row = one(study.rows["kept_exact"], context="corrupted", kept=0.1, random=0.1, measure="AUL")
    shown = cells(sheet, "corrupted-0.1-0.1", "corrupted", "0.8", "0.1", "0.1")
    assert shown["AUL", "association"] == f"{row['association']:+.3g}"
    nothing = cells(sheet, "trusted-0.5-0.0", "trusted", "0.5", "0.5", "0")
    assert nothing["AUL", "association"] == "0" and nothing["AUL", "exchange"] == DASH
    trained = cells(sheet, "dose-1-bert-0.0", DASH, "0.9", "0", "0.1")
    assert trained["SSS", "frequency"] == "+1.1"


def test_explained_parts_add_up(results: CalibrationResults) -> None:
    frame, sheet = PRESENTED["explained"].captioned(results)
    assert (frame["explained"] + frame["rest"]).tolist() == pytest.approx(frame["value"].tolist())
    alone = cells(sheet, AWKWARD, "crows-pairs", "AUL", DASH)
    assert alone["", "score or difference"] == "55.0 (52.5 to 57.5)"
    assert alone["of it", "goes with frequency"] == "+1.0 (\N{MINUS SIGN}0.5 to +2.5)"
    assert alone["decided differently", "pairs"] == DASH
    two = cells(sheet, AWKWARD, "crows-pairs", "AUL", "SSS")
    assert (
        two["", "score or difference"].startswith("\N{MINUS SIGN}6.0 (")
        and two["decided differently", "pairs"] == "310"
    )


def test_what_debiasing_leaves(results: CalibrationResults) -> None:
    _, sheet = PRESENTED["debiased"].captioned(results)
    row = cells(sheet, "dose-1-bert-dropout", "dropout", "corrected")
    assert (row["", "should be left"], row["", "in its text"]) == ("0", "1")
    assert (row["CPS", "left"], row["CPS", "verdict"]) == ("+0.80 (+0.76 to +0.84)", "reduced")
    assert {row[-1] for row in sheet.rows} == {"no clear change", "removed", "reduced"}


@pytest.mark.parametrize("size", ["small", "explained"])
def test_what_a_study_lacks_is_an_empty_table(tmp_path: Path, size: str) -> None:
    study = Study(tmp_path, size)
    texts = dict(PRESENTS.table_texts(CalibrationResults(study.files, study.settings), NAMES))
    empty = {name for name in TABLES if "Nothing in this study" in texts[f"{name}_md"]}
    assert empty == ({"explained", "debiased"} if size == "small" else set(TABLES) - {"explained"})
    for name in empty:
        assert texts[f"{name}_tex"].startswith("%")
        assert len(texts[f"{name}_csv"].splitlines()) == 1


def test_one_world_has_no_intervals(tmp_path: Path) -> None:
    study = Study(tmp_path, "small")
    results = CalibrationResults(study.files, study.settings)
    for name in ("merits", "power", "false_alarms", "lengths", "doses"):
        frame, sheet = PRESENTED[name].captioned(results)
        assert not any("(" in cell for row in sheet.rows for cell in row[2:]), name
        assert frame.filter(regex="low|high").isna().all(axis=None)


def test_a_study_without_exact_models_or_controls(tmp_path: Path) -> None:
    """Each file may be missing by itself, as an empty list or not at all."""
    study = Study(tmp_path, "small")
    names = [f"{table}_md" for table in TABLES]
    for lacking in ("doses", "merits", "controls", "kept", "drawn", "kept_exact"):
        files = study.files | {lacking: []}
        texts = dict(PRESENTS.table_texts(CalibrationResults(files, study.settings), names))
        assert len(texts) == len(TABLES), lacking
    bare = CalibrationResults({"captions": study.files["captions"]}, study.settings)
    texts = dict(PRESENTS.table_texts(bare, names))
    assert all("Nothing in this study" in text for text in texts.values())


def test_models_of_several_tables_stand_in_the_order_of_the_study(tmp_path: Path, study: Study) -> None:
    paths = []
    for name in ("zeta", "alpha"):
        paths.append(str(tmp_path / f"{name}.parquet"))
        rows = pd.DataFrame(study.rows["explained"])[EXPLAINED.names]
        write_table(paths[-1], rows, EXPLAINED, {"model": name, "benchmark": "crows-pairs"})
    settings = study.settings | {"models": [{"name": "alpha"}, {"name": "zeta"}]}
    frame = CalibrationResults(study.files | {"explained": paths}, settings).explained
    assert list(dict.fromkeys(frame["model"])) == ["alpha", "zeta"]


def test_captions_name_what_there_is(results: CalibrationResults) -> None:
    for name in TABLES:
        assert "{" not in results.captions[name]
    assert "95%" in results.captions["merits"] and "p = 0.75" in results.captions["power"]
    assert (
        "400 simulated" in results.captions["power"] and "5 are allowed" in results.captions["false_alarms"]
    )
