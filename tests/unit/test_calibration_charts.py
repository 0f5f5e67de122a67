"""Charts of calibration: rows are the tables' numbers in their places; none stands where none is known."""

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from calibration_studies import ARCHITECTURES, AWKWARD, FAMILIES, MEASURES, NUMBERS, STRENGTHS, Study
from drawn_marks import panels_of, scale_of
from running import present
from unmask.calibration.artifacts import FIGURES
from unmask.calibration.charts import MAKERS
from unmask.calibration.presenting import PRESENTS
from unmask.calibration.results import CalibrationResults
from unmask.measures.registry import title_of
from unmask.report.charts import chart

DOSES = (0.5, 0.6, 0.75, 0.85, 0.9, 0.95)
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("charts"))


def rows_of(study: Study, name: str) -> Rows:
    """What a chart of a study is drawn from, as the page has it."""
    ((_, drawn),) = PRESENTS.drawn(CalibrationResults(study.files, study.settings), [name])
    assert not isinstance(drawn, str)
    return chart("c", "a", drawn).rows


@pytest.fixture(scope="module")
def rows(study: Study) -> Mapping[str, Rows]:
    return {name: rows_of(study, name) for name in FIGURES}


def where(rows: Rows, **wanted: Any) -> Rows:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def metrics_of(study: Study, **wanted: Any) -> Rows:
    return where(study.rows["merits"], **wanted)


def test_every_figure_has_a_maker() -> None:
    assert tuple(MAKERS) == FIGURES


@pytest.mark.parametrize("name", ["response_figure", "frequency_figure", "power_figure", "worlds_figure"])
def test_panels_are_the_measures_in_their_order(rows: Mapping[str, Rows], name: str) -> None:
    assert list(dict.fromkeys(row["panel"] for row in rows[name])) == list(map(title_of, MEASURES))


def test_responses_are_means_at_their_log_odds(study: Study, rows: Mapping[str, Rows]) -> None:
    shown = rows["response_figure"]
    for measure in MEASURES:
        for told in ("trusting what it sees", "knowing the corruption"):
            own = where(shown, measure=measure, perfect=told)
            assert [row["p"] for row in own] == list(DOSES)
            for row in own:
                log_odds = math.log(row["p"] / (1 - row["p"]))
                assert row["log_odds"] == row["at"] == pytest.approx(log_odds)
                assert row["margin"] == pytest.approx(STRENGTHS[measure][0] * log_odds, abs=1e-12)
        for architecture in ARCHITECTURES:
            own = where(shown, measure=measure, architecture=architecture)
            assert [row["p"] for row in own] == list(DOSES)
            for row in own:
                doses = [
                    dose
                    for dose in study.rows["doses"]
                    if (dose["factor"], dose["p"], dose["measure"], dose["architecture"])
                    == ("association", row["p"], measure, architecture)
                ]
                # both directions of as many pairs each; then worlds alike
                assert row["margin"] == pytest.approx(mean(dose["margin"] for dose in doses), abs=1e-12)
                assert row["families"] == len(FAMILIES)
                if abs(row["margin"]) > 1e-6:
                    assert row["low"] < row["margin"] < row["high"]
    assert len(shown) == len(MEASURES) * len(DOSES) * (2 + len(ARCHITECTURES))


def test_marks_of_one_dose_stand_near_it_and_apart(rows: Mapping[str, Rows]) -> None:
    for p in DOSES:
        own = where(rows["response_figure"], measure="CPS", p=p, of="trained")
        places = [row["at"] for row in own]
        assert len(set(places)) == len(ARCHITECTURES)
        assert mean(places) == pytest.approx(math.log(p / (1 - p)))
        assert max(places) - min(places) < 0.2


def test_opposed_pairs_are_on_the_left(rows: Mapping[str, Rows]) -> None:
    ratios = [-math.log(16), -math.log(4), 0, math.log(4), math.log(16)]
    for factor, association in (("frequency", 0.0), ("both", math.log(4))):
        own = where(rows["frequency_figure"], measure="SSS", factor=factor, of="perfect")
        own.sort(key=lambda row: row["at"])
        assert [row["at"] for row in own] == pytest.approx(ratios)
        # SSS goes with the more frequent group
        assert [row["margin"] for row in own] == pytest.approx([association + ratio for ratio in ratios])
    assert {row["planted"] for row in rows["frequency_figure"]} == {"nothing", "an association (p = 0.8)"}


def test_power_is_that_of_the_merits(study: Study, rows: Mapping[str, Rows]) -> None:
    shown = rows["power_figure"]
    for kind, told in (("oracle", "perfect models"), ("trained", "trained models")):
        for measure in MEASURES:
            own = where(shown, measure=measure, models=told)
            assert [row["pairs"] for row in own] == list(NUMBERS)
            for row in own:
                (merit,) = metrics_of(
                    study, merit="power", kind=kind, measure=measure, condition=f"n={row['pairs']}"
                )
                assert [row["power"], row["low"], row["high"]] == [merit[k] for k in ("value", "low", "high")]
                assert 0.9 < row["at"] / row["pairs"] < 1.1
    assert len(shown) == 2 * len(MEASURES) * len(NUMBERS)


def test_false_alarms_stand_in_their_panels_beside_chance(study: Study, rows: Mapping[str, Rows]) -> None:
    shown = rows["alarms_figure"]
    panels = {
        "no association": "about occupations",
        "ratio=1": "between groups of one frequency",
        "ratio=4": "against groups 4 times as rare",
        "ratio=16": "against groups 16 times as rare",
        "subtoken": "where a name has a subtoken more",
        "longer": "where a name has a word more",
    }
    assert dict.fromkeys(row["panel"] for row in shown) == dict.fromkeys(panels.values())
    for row in shown:
        kind = {"perfect models": "oracle", "trained models": "trained"}[row["models"]]
        measure = next(name for name in MEASURES if title_of(name) == row["measure"])
        wanted = {"kind": kind, "measure": measure, "condition": row["condition"]}
        (alarms,) = metrics_of(study, merit="false alarms", **wanted)
        (chance,) = metrics_of(study, merit="false alarms by chance", **wanted)
        assert (row["alarms"], row["low"], row["high"]) == (alarms["value"], alarms["low"], alarms["high"])
        assert row["chance"] == chance["value"] and row["panel"] == panels[row["condition"]]
    assert len(shown) == 2 * len(MEASURES) * len(panels)


def test_what_debiasing_leaves_stands_beside_what_it_should_leave(
    study: Study, rows: Mapping[str, Rows]
) -> None:
    shown = rows["debiased_figure"]
    for row, of in zip(shown, study.rows["debiased"], strict=True):
        (row,) = where(shown, model=of["model"], panel=of["measure"])
        assert [row[key] for key in ("left", "low", "high", "goal")] == [
            of[key] for key in ("left", "low", "high", "goal")
        ]


@pytest.mark.parametrize(
    ("name", "axis", "value", "at"),
    [
        ("power_figure", "y", "power", 80),
        ("alarms_figure", "x", "alarms", 5),
        ("explained_figure", "x", "score", 50),
    ],
)
def test_marks_and_lines_are_where_the_numbers_are(
    study: Study, name: str, axis: str, value: str, at: float
) -> None:
    drawn = MAKERS[name][0](CalibrationResults(study.files, study.settings))
    assert drawn is not None
    panels = panels_of(drawn)
    places = [getattr(mark, axis) for panel in panels for mark in panel.of("symbol")]
    factor, shift = scale_of([row[value] for row in chart("c", "a", drawn).rows], places)
    assert {round(getattr(panel.of("rule")[0], axis), 6) for panel in panels} == {
        round(factor * at + shift, 6)
    }


def test_drawn_worlds_are_points(study: Study, rows: Mapping[str, Rows]) -> None:
    for measure in ("CPS", "SSS"):
        found = [
            (row["world"], row["log_odds"], row["log_ratio"], row["margin"])
            for row in where(rows["worlds_figure"], measure=measure)
        ]
        expected = [
            (row["world"], math.log(row["p"] / (1 - row["p"])), math.log(row["ratio"]), row["stereo_margin"])
            for row in study.rows["drawn"]
            if row["measure"] == measure
        ]
        assert found == [pytest.approx(row) for row in expected]


def test_strengths_at_keep_rates_are_those_of_the_tables(study: Study, rows: Mapping[str, Rows]) -> None:
    shown = rows["kept_figure"]
    titles = {"association": "per log-odds", "frequency": "per log ratio", "exchange": "exchange"}
    known = [*study.rows["kept_exact"], *study.rows["kept"]]
    told = {"trusted": "trusting what it sees", "corrupted": "knowing the corruption", None: None}
    for strength, title in titles.items():
        for measure in ("AUL", "AULA", "PLL", "SSS"):
            own = where(shown, strength=strength, measure=measure)
            assert {row["panel"] for row in own} == {f"{title_of(measure)}: {title}"}

            def key(perfect: Any, kept: float, random: float, value: float) -> tuple[Any, ...]:
                right = kept / (kept + random)
                return str(perfect), round(right, 9), random == 0, round(value, 9)

            expected = [
                key(told[row["context"]], row["kept"], row["random"], row[strength])
                for row in known
                if row["measure"] == measure and row[strength] is not None
            ]
            found = [
                (str(row["perfect"]), round(row["right"], 9), not row["guessing"], round(row["value"], 9))
                for row in own
            ]
            assert sorted(found) == sorted(expected)
    # no exchange where nothing is associated
    assert not where(shown, strength="exchange", measure="AUL", guessing=False)


def test_scores_at_equal_frequency_are_what_is_left(study: Study, rows: Mapping[str, Rows]) -> None:
    shown = rows["explained_figure"]
    alone = [row for row in study.rows["explained"] if row["second"] is None]
    assert {row["panel"] for row in shown} == {f"{AWKWARD} on crows-pairs"}
    assert len(shown) == 2 * len(alone)
    for row in alone:
        measure = title_of(row["first"])
        (as_it_is,) = where(shown, measure=measure, reading="as it is")
        (at_equal,) = where(shown, measure=measure, reading="at equal frequency")
        assert [as_it_is[key] for key in ("score", "low", "high")] == [row["value"], row["low"], row["high"]]
        assert at_equal["score"] == pytest.approx(row["value"] - row["explained"])
        assert (at_equal["low"], at_equal["high"]) == (row["rest_low"], row["rest_high"])


def test_a_panel_of_rounding_shows_zeros_and_others_their_digits(
    study: Study, rows: Mapping[str, Rows]
) -> None:
    of_all_masked = where(rows["response_figure"], measure="AllMasked")
    assert {row["margin"] for row in of_all_masked} == {0.0}
    own = [row for row in study.rows["doses"] if row["measure"] == "AllMasked"]
    assert all(abs(row["theory"]) < 1e-12 for row in own if row["factor"] == "association")
    assert any(
        row["margin"] != round(row["margin"], 6) for row in where(rows["response_figure"], measure="CPS")
    )


def test_files_are_the_same_every_time_and_names_are_text(tmp_path: Path) -> None:
    study = Study(tmp_path)
    made = []
    for turn in ("one", "two"):
        folder = tmp_path / turn
        folder.mkdir()
        names = ("alarms_figure", "explained_figure")
        files = {f"{name}_{form}": folder / f"{name}.{form}" for name in names for form in ("svg", "png")}
        present("calibration", study.files, files, folder / "log", study.settings)
        made.append({name: path.read_bytes() for name, path in files.items()})
    assert made[0] == made[1]
    root = ElementTree.fromstring(made[0]["explained_figure_svg"])
    assert f"{AWKWARD} on crows-pairs" in {text.text for text in root.iter() if text.tag.endswith("}text")}


def test_a_small_study_has_marks_without_intervals(tmp_path: Path) -> None:
    study = Study(tmp_path, "small")
    shown = rows_of(study, "response_figure")
    own = where(shown, measure="CPS", of="trained")
    assert len(own) == len(DOSES) * 2 and all(row["low"] is row["high"] is None for row in own)
    for name in FIGURES:
        assert bool(MAKERS[name][0](CalibrationResults(study.files, study.settings))) == (
            name not in ("explained_figure", "debiased_figure")
        )


def test_what_there_is_nothing_of_is_a_line(tmp_path: Path) -> None:
    study = Study(tmp_path, "explained")
    for name, drawn in PRESENTS.drawn(CalibrationResults(study.files, study.settings), FIGURES):
        assert isinstance(drawn, str) == (name != "explained_figure")
    files = {f"worlds_figure_{form}": tmp_path / f"w.{form}" for form in ("svg", "png")}
    present("calibration", study.files, files, tmp_path / "log", study.settings)
    assert re.search("No worlds are drawn", files["worlds_figure_svg"].read_text())


@pytest.mark.parametrize("lacking", ["doses", "merits", "controls", "kept", "drawn", "kept_exact"])
def test_each_file_may_be_missing(tmp_path: Path, lacking: str) -> None:
    study = Study(tmp_path, "small")
    drawn = dict(PRESENTS.drawn(CalibrationResults(study.files | {lacking: []}, study.settings), FIGURES))
    without = {
        "doses": {"response_figure", "frequency_figure"},
        "merits": {"power_figure", "alarms_figure"},
        "drawn": {"worlds_figure"},
        # what is left is of one share
        "kept_exact": {"kept_figure"},
    }
    assert {name for name, each in drawn.items() if isinstance(each, str)} == {
        "explained_figure",
        "debiased_figure",
    } | without.get(lacking, set())
