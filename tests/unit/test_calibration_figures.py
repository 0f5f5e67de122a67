"""Figures of calibration: what is drawn where, and what is not."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from made_calibration import ARCHITECTURES, MEASURES, NUMBERS, STRENGTHS, Study
from running import run_script
from unmask.calibration.drawing import MAKERS, drawn_figures, has_data
from unmask.calibration.results import Found
from unmask.calibration.shown import FIGURES
from unmask.measures.registry import title_of
from unmask.report.figures import PALETTE

BLUE = PALETTE[0][0].upper()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("figures"))


@pytest.fixture(scope="module")
def figures(study: Study) -> dict[str, Figure]:
    return dict(drawn_figures(study.files, study.settings, FIGURES))


def panels_of(figure: Figure) -> dict[str, Axes]:
    return {axes.get_title(): axes for axes in figure.axes if axes.get_title()}


STROKE = "|"
"""The mark of what chance gives."""


def marks(axes: Axes, colour: str | None = None, strokes: bool = False) -> list[tuple[float, float]]:
    """Where marks are, of one colour or of all; or strokes."""
    return [
        (float(x), float(y))
        for line in axes.lines
        if line.get_marker() not in ("None", "", " ")
        and (line.get_marker() == STROKE) == strokes
        and (colour is None or to_hex(line.get_color()).upper() == colour)
        for x, y in zip(np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float), strict=True)
    ]


def curve(axes: Axes, colour: str, style: str = "-") -> list[tuple[float, float]]:
    """The points of the one line of several points of that colour and style."""
    (line,) = (
        line
        for line in axes.lines
        if line.get_marker() == "None"
        and to_hex(line.get_color()).upper() == colour
        and line.get_linestyle() == style
        and len(np.asarray(line.get_xdata())) > 2
    )
    return list(
        zip(map(float, np.asarray(line.get_xdata())), map(float, np.asarray(line.get_ydata())), strict=True)
    )


def test_every_figure_has_a_maker() -> None:
    assert tuple(MAKERS) == FIGURES


def test_a_panel_for_every_measure(figures: dict[str, Figure]) -> None:
    for name in ("response_figure", "frequency_figure", "worlds_figure"):
        assert list(panels_of(figures[name])) == [title_of(measure) for measure in MEASURES], name


def test_responses_stand_at_their_log_odds(study: Study, figures: dict[str, Figure]) -> None:
    for measure in MEASURES:
        axes = panels_of(figures["response_figure"])[title_of(measure)]
        for style in ("-", "--"):
            line = curve(axes, "#222222", style)
            assert [x for x, _ in line] == pytest.approx(
                [math.log(p / (1 - p)) for p in (0.5, 0.6, 0.75, 0.85, 0.9, 0.95)]
            )
            assert [y for _, y in line] == pytest.approx(
                [STRENGTHS[measure][0] * x for x, _ in line], abs=1e-12
            )
        # architectures are in the order of the alphabet
        drawn = sorted(marks(axes, PALETTE[1][0].upper()))
        for (_, y), p in zip(drawn, (0.5, 0.6, 0.75, 0.85, 0.9, 0.95), strict=True):
            own = [
                row["margin"]
                for row in study.rows["doses"]
                if (row["factor"], row["p"], row["measure"], row["architecture"])
                == ("association", p, measure, "bert")
            ]
            assert y == pytest.approx(mean(own), abs=1e-12)
        assert len(marks(axes)) == 6 * len(ARCHITECTURES)


def test_frequencies_have_opposed_pairs_on_the_left(figures: dict[str, Figure]) -> None:
    axes = panels_of(figures["frequency_figure"])["SSS"]
    ratios = [-math.log(16), -math.log(4), 0, math.log(4), math.log(16)]
    alone = curve(axes, BLUE)
    assert [x for x, _ in alone] == pytest.approx(ratios)
    assert [y for _, y in alone] == pytest.approx(ratios, abs=1e-12)
    together = curve(axes, PALETTE[1][0].upper())
    assert [y for _, y in together] == pytest.approx([math.log(4) + ratio for ratio in ratios], abs=1e-12)


def test_power_and_false_alarms_are_those_of_the_merits(study: Study, figures: dict[str, Figure]) -> None:
    upper, _, lower, _ = figures["power_figure"].axes
    assert [axes.get_title() for axes in figures["power_figure"].axes] == [
        "perfect models",
        "trained models",
    ] * 2
    rows = [row for row in study.rows["merits"] if row["kind"] == "oracle"]
    powers = [row["value"] for row in rows if row["merit"] == "power" and "a word" not in row["condition"]]
    assert sorted(y for _, y in marks(upper)) == pytest.approx(sorted(powers))
    assert len(marks(upper)) == len(NUMBERS) * len(MEASURES)
    alarms = [row["value"] for row in rows if row["merit"] == "false alarms"]
    assert sorted(x for x, _ in marks(lower)) == pytest.approx(sorted(alarms))
    chance = [row["value"] for row in rows if row["merit"] == "false alarms by chance"]
    assert sorted(x for x, _ in marks(lower, strokes=True)) == pytest.approx(sorted(chance))
    # in the row of their measure
    assert [tick.get_text() for tick in lower.get_yticklabels()] == [title_of(name) for name in MEASURES]
    of_cps = [row["value"] for row in rows if row["merit"] == "false alarms" and row["measure"] == "CPS"]
    place = MEASURES.index("CPS")
    assert sorted(x for x, y in marks(lower) if round(y) == place) == pytest.approx(sorted(of_cps))
    assert to_hex(lower.lines[0].get_color()) == "#888888"
    assert np.asarray(lower.lines[0].get_xdata(), float).tolist() == pytest.approx([5.0, 5.0])


def test_drawn_worlds_are_points(study: Study, figures: dict[str, Figure]) -> None:
    axes = panels_of(figures["worlds_figure"])["CPS"]
    (points,) = axes.collections
    expected = [
        (math.log(row["p"] / (1 - row["p"])), row["stereo_margin"])
        for row in study.rows["drawn"]
        if row["measure"] == "CPS"
    ]
    assert np.asarray(points.get_offsets()).tolist() == [pytest.approx(point) for point in expected]


def test_keep_rates_have_a_row_for_each_strength(study: Study, figures: dict[str, Figure]) -> None:
    grid = figures["kept_figure"].axes
    assert len(grid) == 12
    exact = [
        row for row in study.rows["kept_exact"] if row["measure"] == "AUL" and row["context"] == "trusted"
    ]
    for place, strength in ((0, "association"), (4, "frequency"), (8, "exchange")):
        expected = [
            (row["kept"] / (row["kept"] + row["random"]), row[strength]) for row in exact if row["random"]
        ]
        assert curve(grid[place], "#222222") == [pytest.approx(point) for point in expected]
    # without random tokens: hollow, and no exchange where nothing is associated
    hollow = [line for line in grid[0].lines if line.get_markerfacecolor() == "white"]
    assert {float(np.asarray(line.get_xdata())[0]) for line in hollow} == {1.0} and len(hollow) == 3
    assert not [line for line in grid[8].lines if line.get_markerfacecolor() == "white"]


def test_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    study = Study(tmp_path, "small")
    made = []
    for turn in ("one", "two"):
        folder = tmp_path / turn
        folder.mkdir()
        files = {f"{name}_{form}": folder / f"{name}.{form}" for name in FIGURES for form in ("svg", "png")}
        run_script("draw_calibration", study.files, files, folder / "log", **study.settings)
        made.append({name: path.read_bytes() for name, path in files.items()})
    assert made[0] == made[1]
    for name in FIGURES:
        root = ElementTree.fromstring(made[0][f"{name}_svg"])
        # as wide as a page at most
        assert float(str(root.get("width")).removesuffix("pt")) <= 720


def test_a_small_study_has_marks_without_intervals(tmp_path: Path) -> None:
    study = Study(tmp_path, "small")
    drawn = dict(drawn_figures(study.files, study.settings, FIGURES))
    axes = panels_of(drawn["response_figure"])["CPS"]
    assert len(marks(axes)) == 6 * 2
    # a line of two points is an interval, or the line at 0
    assert sum(len(np.asarray(line.get_xdata())) == 2 for line in axes.lines) == 1
    assert all(has_data(Found(study.files, study.settings), name) for name in FIGURES)


def test_what_there_is_nothing_of_is_a_line(tmp_path: Path) -> None:
    study = Study(tmp_path, "explained")
    found = Found(study.files, study.settings)
    for name, figure in drawn_figures(study.files, study.settings, FIGURES):
        assert len(figure.texts) == 1 and not figure.axes, name
        assert not has_data(found, name)


@pytest.mark.parametrize("lacking", ["doses", "merits", "controls", "kept", "drawn", "kept_exact"])
def test_each_file_may_be_missing(tmp_path: Path, lacking: str) -> None:
    study = Study(tmp_path, "small")
    assert len(dict(drawn_figures(study.files | {lacking: []}, study.settings, FIGURES))) == len(FIGURES)
