"""The report of a study of all families in a browser: quiet, accessible, and it says what its tables say."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser

from browsing import PHONE, Opened, Visit
from library import title_of
from small_study import Workflow

MOST = 2500
"""Words that there are to read before a fold is opened, those in charts and in selects left out."""


@pytest.fixture(scope="module")
def results(browser: Browser, whole: Workflow) -> Path:
    """Of the study, which is not run where there is no browser."""
    return whole.folder / "results/small"


@pytest.fixture
def opened(visit: Visit, results: Path) -> Opened:
    return visit(results / "report/index.html")


def test_the_first_screen_says_what_the_tables_say(opened: Opened, results: Path) -> None:
    bias = pd.read_csv(results / "tables/bias.csv")
    chosen = bias.query("variant == 'original' and protocol == 'corrected' and grouping == 'overall'")
    rows = chosen.dropna(subset="score")[["model", "benchmark", "measure", "score"]].itertuples(index=False)
    scores = {(model, benchmark, title_of(measure)): score for model, benchmark, measure, score in rows}
    page = opened.page
    page.locator("#answer-chart-1 svg").wait_for()
    opened.open_folds()
    lines = page.locator("#answer-table-1 tbody tr").all()
    assert len(lines) == len(scores)
    for model, benchmark, measure, score, *_ in (line.locator("td").all_text_contents() for line in lines):
        assert abs(float(score) - scores[model.split(" (")[0], benchmark, measure]) <= 0.05 + 1e-9
    # and the marks are where the numbers are: as many as there are scores
    spec: dict[str, Any] = json.loads(
        page.locator("#answer-chart-1 > script[type='application/json']").text_content() or ""
    )
    points = page.locator("#answer-chart-1 .mark-symbol.role-mark path").count()
    assert points == sum(row["score"] is not None for row in spec["data"]["values"])


def test_all_its_charts_are_drawn_without_a_word(opened: Opened) -> None:
    opened.draw_all()
    closed = opened.words()
    assert closed <= MOST
    opened.open_folds()
    # what is left out is in folds
    assert opened.words() > 2 * closed
    opened.draw_all()
    assert opened.charts == opened.page.locator("figure.chart").count() > 2
    assert opened.broader_than_the_screen() == [] and opened.broader_than_their_box() == []
    assert opened.cut_on_paper() == []


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"viewport": PHONE}])
def test_it_is_accessible(visit: Visit, results: Path, options: dict[str, Any]) -> None:
    opened = visit(results / "report/index.html", **options)
    opened.draw_all()
    assert opened.broader_than_the_screen() == [] and opened.broader_than_their_box() == []
    assert opened.violations() == []
