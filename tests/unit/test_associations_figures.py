"""Figures of association tests: what is drawn where, and what is not."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from made_associations import AWKWARD, CONSTRUCTED_ROWS, SETTINGS, STRENGTHS, Study, make_study
from running import run_script
from unmask.associations.drawing import MAKERS, drawn_figures, has_data
from unmask.associations.figures import EXPECTED, MOST_HIGH, draw_tests, looks
from unmask.associations.results import Found
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.shown import FIGURES
from unmask.report.figures import PALETTE
from unmask.tables import framed, write_table

BLANK = "blank"
BLUE = PALETTE[0][0]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("figures"))


@pytest.fixture(scope="module")
def figures(study: Study) -> dict[str, Figure]:
    return dict(drawn_figures(study.files, study.settings, FIGURES))


def points_of(axes: Axes) -> list[tuple[float, float, str, str]]:
    """x, y, colour and face of every mark."""
    return [
        (float(x), float(y), to_hex(line.get_color()).upper(), str(line.get_markerfacecolor()))
        for line in axes.lines
        if line.get_marker() not in ("None", "", " ")
        for x, y in zip(np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float), strict=True)
    ]


def by_word(study: Study, encoder: str, pooling: str) -> pd.DataFrame:
    parts = []
    for name in ("words", "world"):
        rows = study.rows[encoder, name]
        rows = rows[(rows["protocol"] == "corrected") & (rows["pooling"] == pooling)]
        parts.append(rows[(rows["level"] == "word") | (rows["test"] == "unworded")])
    return pd.concat(parts, ignore_index=True)


def test_every_figure_has_a_maker() -> None:
    assert tuple(MAKERS) == FIGURES


def test_d_stands_where_it_is_with_its_interval(study: Study, figures: dict[str, Figure]) -> None:
    panels = figures["tests_figure"].axes
    assert [axes.get_title() for axes in panels] == ["mean", "cls"]
    labels = [text.get_text() for text in panels[0].get_yticklabels()]
    for axes in panels:
        for place, encoder in enumerate((AWKWARD, BLANK)):
            rows = by_word(study, encoder, axes.get_title())
            assert [f"{t}" for t in rows["test"]] == [label.split(" (")[0] for label in labels]
            own = [p for p in points_of(axes) if p[2] == PALETTE[place][0]]
            assert [p[0] for p in own] == pytest.approx(rows["d"].tolist())
            # filled where beyond chance after correction
            assert [p[3] != "white" for p in own] == (rows["p_holm"] < 0.05).tolist()
            # pale where it could not be: 2 + 2 words
            pale = [line.get_alpha() != 1 for line in axes.lines if line.get_marker() == "os"[place]]
            assert pale == (rows["test"] == "small").tolist()
            # rows go down in the order of tests
            assert [round(p[1]) for p in own] == list(range(7))
            ends = [
                tuple(np.asarray(line.get_xdata(), float))
                for line in axes.lines
                if line.get_marker() == "None" and to_hex(line.get_color()).upper() == PALETTE[place][0]
            ]
            bounds = zip(rows["d_low"], rows["d_high"], strict=True)
            assert ends == [pytest.approx(pair) for pair in bounds]
    bands = {
        (round(patch.get_x(), 9), round(patch.get_width(), 9))
        for patch in panels[0].patches
        if isinstance(patch, Rectangle) and to_hex(patch.get_facecolor()) == EXPECTED
    }
    expected = by_word(study, BLANK, "mean")["expected_d"]
    assert bands == {(round(-d, 9), round(2 * d, 9)) for d in expected}


def test_two_by_two_is_drawn_by_pictures(study: Study, figures: dict[str, Figure]) -> None:
    panels = {axes.get_title(): axes for axes in figures["grounded_figure"].axes}
    for encoder in (AWKWARD, BLANK):
        four = next(f for f in study.means[encoder, "pics"] if f["level"] == "word")
        axes = panels[f"seen\n{encoder}"]
        lines = [line for line in axes.lines if line.get_marker() in ("o", "s")]
        assert np.asarray(lines[0].get_ydata(), float).tolist() == pytest.approx([four["x1"], four["x2"]])
        assert np.asarray(lines[1].get_ydata(), float).tolist() == pytest.approx([four["y1"], four["y2"]])
        assert [t.get_text() for t in axes.get_xticklabels()] == ["pictures of X", "pictures of Y"]
    legend = figures["grounded_figure"].legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["words of X", "words of Y"]
    assert to_hex(legend.get_lines()[0].get_color()).upper() == BLUE


def test_poolings_are_drawn_against_each_other(study: Study, figures: dict[str, Figure]) -> None:
    (axes,) = figures["poolings_figure"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("d, mean", "d, cls")
    own = sorted(p[:2] for p in points_of(axes) if p[2] == BLUE)
    both = [by_word(study, AWKWARD, pooling)["d"].tolist() for pooling in ("mean", "cls")]
    assert np.array(own) == pytest.approx(np.array(sorted(zip(*both, strict=True))))


def test_mean_d_is_drawn_against_the_bias_score(study: Study, figures: dict[str, Figure]) -> None:
    panels = {axes.get_title(): axes for axes in figures["pairs_figure"].axes}
    assert list(panels) == ["words, mean", "words, cls", "world, mean", "world, cls"]
    rows = study.rows[AWKWARD, "world"].query("level == 'word'")
    for pooling, part in rows.groupby("pooling"):
        axes = panels[f"world, {pooling}"]
        ((x, y, *_),) = (p for p in points_of(axes) if p[2] == BLUE)
        assert x == 60.0 and y == pytest.approx(float(part["d"].mean()))
        assert axes.get_xlabel() == "bias score, AULA on cp"


def test_the_constructed_world_is_drawn_against_its_truth(figures: dict[str, Figure]) -> None:
    truths, errors = figures["constructed_figure"].axes
    assert sorted(p[:2] for p in points_of(truths)) == [
        pytest.approx(pair) for pair in sorted((row["truth"], row["gap"]) for row in CONSTRUCTED_ROWS)
    ]
    assert {round(p[0], 9) for p in points_of(errors)} == {3e-7}
    assert [t.get_text() for t in errors.get_yticklabels()] == ["none", "language", "interaction"]
    assert not any("math" in label.get_text() for label in errors.get_xticklabels())


def test_the_gap_is_drawn_against_what_was_planted(study: Study, figures: dict[str, Figure]) -> None:
    for axes in figures["planted_figure"].axes:
        own = [p for p in points_of(axes) if p[2] == BLUE]
        rows = study.rows[AWKWARD, "world"]
        rows = rows[(rows["level"] == "word") & (rows["pooling"] == axes.get_title().split("\n")[-1])]
        gaps = dict(zip(rows["test"], rows["gap"], strict=True))
        order = ["weak", "both", "strong"]
        assert [p[1] for p in own] == pytest.approx([gaps[test] for test in order])
        # set a little apart sideways
        assert [p[0] for p in own] == pytest.approx([STRENGTHS[test] for test in order], abs=0.01)
        assert [p[3] == "white" for p in own] == [False, True, False]
        (line,) = (
            n
            for n in axes.lines
            if np.size(n.get_xdata()) == 2 and to_hex(n.get_color()).upper() == BLUE and n.get_linewidth() > 1
        )
        assert np.asarray(line.get_ydata(), float).tolist() == pytest.approx([gaps["weak"], gaps["strong"]])
        title = " ".join(axes.get_title().split("\n")[:-1])
        assert title == f"X of {AWKWARD} against Y of {AWKWARD}"


def test_the_script_draws_names_as_text_and_the_same_bytes_again(study: Study, tmp_path: Path) -> None:
    names = ("tests_figure", "grounded_figure")
    made = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        files = {f"{name}_{form}": folder / f"{name}.{form}" for name in names for form in ("svg", "png")}
        run_script("draw_associations", study.files, files, folder / "log", **study.settings)
        made.append({name: path.read_bytes() for name, path in files.items()})
    assert made[0] == made[1]
    for name in names:
        root = ElementTree.fromstring(made[0][f"{name}_svg"])
        assert any(AWKWARD in "".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))


def test_what_there_is_nothing_of_is_a_line(study: Study) -> None:
    bare = {key: study.files[key] for key in ("captions", "published")} | {"associations": []}
    found = Found(bare, SETTINGS)
    for name, figure in drawn_figures(bare, SETTINGS, FIGURES):
        assert len(figure.texts) == 1 and not figure.axes, name
        assert not has_data(found, name)
    whole = Found(study.files, study.settings)
    assert all(has_data(whole, name) for name in FIGURES)


def test_many_tests_stay_readable(tmp_path: Path, study: Study) -> None:
    """Each row has room for the marks of all encoders and for its label."""
    found = many(tmp_path, study, 50, [f"e{n}" for n in range(5)])
    figure = draw_tests(found)
    axes = figure.axes[0]
    with mpl.rc_context({"figure.constrained_layout.use": True}):
        figure.canvas.draw()
    inches = axes.get_window_extent().height / figure.dpi
    # nine points are an eighth of an inch
    assert inches / 50 > 9 / 72
    assert inches / (50 * 5) > 0.08
    assert figure.get_size_inches()[1] <= MOST_HIGH
    assert len({p[2] for p in points_of(axes)}) == 5


def many(tmp_path: Path, study: Study, tests: int, encoders: Sequence[str]) -> Found:
    row = study.rows[BLANK, "words"].query("test == 'weat6' and level == 'word' and pooling == 'cls'").iloc[0]
    paths = []
    rng = np.random.default_rng(0)
    for encoder in encoders:
        rows: list[dict[str, Any]] = [
            dict(row) | {"test": f"sent-a_rather_long_name_{n}", "d": d, "d_low": d - 0.5, "d_high": d + 0.5}
            for n, d in enumerate(rng.uniform(-1.5, 1.5, size=tests))
        ]
        path = tmp_path / f"{encoder}.parquet"
        write_table(path, framed(rows, ASSOCIATIONS), ASSOCIATIONS, {"encoder": encoder, "suite": "s"})
        paths.append(path)
    settings = SETTINGS | {"encoders": [{"name": name} for name in encoders]}
    return Found(study.files | {"associations": paths, "draws": []}, settings)


def test_looks_differ() -> None:
    names = [f"e{n}" for n in range(20)]
    assert len(set(looks(names).values())) == 20
