"""How much there is to read on the page of the demonstration before a fold is opened."""

import pytest
from playwright.sync_api import Browser

from browsing import open_report
from small_study import Workflow

MOST = 2500
"""Words, those in charts and in selects left out."""


@pytest.mark.thorough
def test_the_closed_page_of_the_demonstration_is_short(browser: Browser, demonstration: Workflow) -> None:
    opened = open_report(browser, demonstration.folder / "results/demonstration/report/index.html")
    opened.page.locator("ol.rows li").first.wait_for()
    closed = opened.words()
    assert closed <= MOST
    # and what is left out is in folds
    opened.open_folds()
    assert opened.words() > 4 * closed
    opened.page.context.close()
