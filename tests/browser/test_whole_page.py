"""The report of a study of all families in a browser: quiet, accessible, and it says what its tables say."""

import csv
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


def shown(results: Path) -> pd.DataFrame:
    """The scores of the first screen, from the table."""
    bias = pd.read_csv(results / "tables/bias.csv")
    chosen = bias.query("variant == 'original' and protocol == 'corrected' and grouping == 'overall'")
    return chosen[chosen["score"].notna()]


def test_the_first_screen_says_what_the_tables_say(opened: Opened, results: Path, tmp_path: Path) -> None:
    page = opened.page
    page.locator("#answer-chart-1 svg").wait_for()
    with page.expect_download() as waiting:
        page.locator("#answer-chart-1").get_by_role("button", name="CSV").click()
    with waiting.value.path().open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = shown(results)
    wanted = scores[scores["measure"] == "AUL"]
    assert len(rows) == len(wanted) > 0
    found: Any = wanted.set_index(["model", "benchmark"])
    for row in rows:
        other = found.loc[(row["model"], row["benchmark"])]
        assert row["measure"] == title_of("AUL")
        # JSON and CSV keep every digit
        for name in ("score", "low", "high"):
            assert (float(row[name]) == other[name]) if pd.notna(other[name]) else row[name] == ""
    opened.open_folds()
    table = page.locator("#answer-table-1 tbody tr").all()
    assert len(table) == len(scores)
    numbers = [line.locator("td").all_text_contents() for line in table]
    for model, benchmark, measure, score, *_ in numbers:
        of_model = scores[scores["model"] == model.split(" (")[0]]
        (value,) = of_model[
            (of_model["benchmark"] == benchmark) & (of_model["measure"].map(title_of) == measure)
        ]["score"]
        assert abs(float(score) - value) <= 0.05 + 1e-9
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
