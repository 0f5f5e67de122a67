"""Charts of association tests: what is drawn where, and what is not."""

import itertools
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from drawn_marks import check_forest, panels_of, scale_of
from made_associations import AWKWARD, SETTINGS, Study, make_study
from running import present
from unmask.associations.charts import BEYOND, MAKERS, UNABLE, WITHIN, poolings
from unmask.associations.charts import tests as chart_of_tests
from unmask.associations.results import AssociationResults
from unmask.associations.shown import FIGURES

BLANK = "blank"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("charts"))


@pytest.fixture(scope="module")
def results(study: Study) -> AssociationResults:
    return AssociationResults(study.files, study.settings)


@pytest.fixture(scope="module")
def figures(results: AssociationResults) -> dict[str, alt.FacetChart]:
    return {name: each for name, (make, _) in MAKERS.items() if (each := make(results))}


def data_of(chart: alt.FacetChart | None) -> pd.DataFrame:
    assert chart is not None
    return pd.DataFrame(chart.to_dict()["datasets"].popitem()[1])


def by_word(study: Study, encoder: str, pooling: str) -> pd.DataFrame:
    parts = []
    for name in ("words", "world"):
        rows = study.rows[encoder, name]
        rows = rows[(rows["protocol"] == "corrected") & (rows["pooling"] == pooling)]
        parts.append(rows[(rows["level"] == "word") | (rows["test"] == "unworded")])
    return pd.concat(parts, ignore_index=True)


def same(ones: Any, others: Any) -> None:
    """The same numbers to the last digit, null where there is none."""
    np.testing.assert_array_equal(np.array(ones, float), np.array(others, float))


def test_every_chart_is_known(figures: dict[str, alt.FacetChart]) -> None:
    assert tuple(MAKERS) == FIGURES == tuple(figures)


def test_d_of_every_test_stands_with_its_interval_and_claim(
    study: Study, figures: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(figures["tests_figure"])
    assert list(rows["panel"].drop_duplicates()) == [
        f"{encoder}: {pooling}" for encoder in (AWKWARD, BLANK) for pooling in ("mean", "cls")
    ]
    for encoder, pooling in itertools.product((AWKWARD, BLANK), ("mean", "cls")):
        panel, expected = rows[rows["panel"] == f"{encoder}: {pooling}"], by_word(study, encoder, pooling)
        assert [label.split(" (")[0] for label in panel["label"]] == panel["test"].tolist()
        assert panel["test"].tolist() == expected["test"].tolist()
        for name, column in (("low", "d_low"), ("high", "d_high")):
            same(panel[name], expected[column])
        for name in ("d", "expected_d", "gap", "p_holm"):
            same(panel[name], expected[name])
        claims = dict(zip(panel["test"], panel["claim"], strict=True))
        # 2 + 2 words
        assert [test for test, claim in claims.items() if claim == UNABLE] == ["small"]
        for test, p in zip(expected["test"], expected["p_holm"], strict=True):
            assert test == "small" or claims[test] == (BEYOND if p < 0.05 else WITHIN)
    assert {BEYOND, WITHIN} <= set(rows["claim"])


def test_tests_are_drawn_where_the_axes_say(results: AssociationResults) -> None:
    figure = chart_of_tests(results, [AWKWARD])
    check_forest(figure, "d", band=("without", "expected_d"), line=0)
    rows = data_of(figure)
    assert rows["panel"].drop_duplicates().tolist() == ["mean", "cls"] and len(rows) == 14
    # as far to either side of 0
    assert (rows["without"] == -rows["expected_d"]).all()


def test_one_pooling_is_drawn_across_and_the_other_up(study: Study, results: AssociationResults) -> None:
    figure = poolings(results, [AWKWARD])
    rows = data_of(figure)
    mean, cls = (by_word(study, AWKWARD, pooling) for pooling in ("mean", "cls"))
    assert set(rows["panel"]) == {"mean across, cls up"}
    for which, of_pooling in (("first", mean), ("second", cls)):
        for name, column in (("d", "d"), ("low", "d_low"), ("high", "d_high")):
            same(rows[f"{name}_{which}"], of_pooling[column])
    alike = np.sign(mean["d"]) == np.sign(cls["d"])
    assert (rows["signs"] == "the same sign").tolist() == alike.tolist()
    assert figure is not None
    (panel,) = panels_of(figure)
    marks = panel.of("symbol")
    right, _ = scale_of(mean["d"], [mark.x for mark in marks])
    up, _ = scale_of(cls["d"], [mark.y for mark in marks])
    # pixels are counted from above
    assert right > 0 > up


def test_two_by_two_has_words_as_lines_and_pictures_across(
    study: Study, figures: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(figures["grounded_figure"])
    for encoder in (AWKWARD, BLANK):
        for means in study.means[encoder, "pics"]:
            if means["level"] != "word":
                continue
            of_test = rows[(rows["encoder"] == encoder) & (rows["label"] == means["test"])]
            of_test = of_test[of_test["pooling"] == means["pooling"]]
            cells = of_test.set_index(["words", "pictures"])["mean_s"].to_dict()
            assert cells == {
                (f"words of {words}", f"of {pictures}"): means[f"{words.lower()}{number}"]
                for words in "XY"
                for number, pictures in enumerate("XY", start=1)
            }
            assert set(of_test["words_are"]) == {f"{key} of {AWKWARD}" for key in "XY"}
    scales = set()
    for panel in panels_of(figures["grounded_figure"]):
        of_test = rows[rows["panel"] == ": ".join(panel.title)]
        marks = panel.of("symbol")
        scales.add(
            (of_test["scale"].iloc[0], *np.round(scale_of(of_test["mean_s"], [mark.y for mark in marks]), 6))
        )
        left, right = sorted({mark.x for mark in marks})
        assert [mark.x for mark in marks] == [left if p == "of X" else right for p in of_test["pictures"]]
    # encoders can be compared in a test and pooling
    assert set(rows["scale"]) == {"seen", "seen, word"}
    assert len(scales) == rows["scale"].nunique() < rows["panel"].nunique()


def test_mean_d_stands_against_the_bias_score_with_its_interval(
    study: Study, figures: dict[str, alt.FacetChart]
) -> None:
    rows = data_of(figures["pairs_figure"])
    panels = [
        f"{suite}, {pooling}: AULA on cp" for suite in ("words", "world") for pooling in ("mean", "cls")
    ]
    assert set(rows["panel"]) == set(panels)
    of_world = study.rows[AWKWARD, "world"].query("level == 'word'")
    for pooling, part in of_world.groupby("pooling"):
        row = rows[(rows["panel"] == f"world, {pooling}: AULA on cp") & (rows["model"] == AWKWARD)].iloc[0]
        assert row["mean_d"] == pytest.approx(float(part["d"].mean()), rel=1e-14)
        assert (row["score"], row["low"], row["high"]) == (60.0, 56.0, 66.0)


def test_the_script_draws_names_as_text_and_the_same_bytes_again(study: Study, tmp_path: Path) -> None:
    names = ("tests_figure", "grounded_figure")
    runs = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        files = {f"{name}_{form}": folder / f"{name}.{form}" for name in names for form in ("svg", "png")}
        present("associations", study.files, files, folder / "log", study.settings)
        runs.append({name: path.read_bytes() for name, path in files.items()})
    assert runs[0] == runs[1]
    for name in names:
        root = ElementTree.fromstring(runs[0][f"{name}_svg"])
        assert any(AWKWARD in "".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))


def test_what_there_is_nothing_of_is_a_line(study: Study, tmp_path: Path) -> None:
    bare = {key: study.files[key] for key in ("captions", "published")} | {"associations": []}
    assert not any(make(AssociationResults(bare, SETTINGS)) for make, _ in MAKERS.values())
    files = {f"{name}_{form}": tmp_path / f"{name}.{form}" for name in FIGURES for form in ("svg", "png")}
    present("associations", bare, files, tmp_path / "log", SETTINGS)
    for name in FIGURES:
        assert MAKERS[name][1] in " ".join(ElementTree.parse(files[f"{name}_svg"]).getroot().itertext())
