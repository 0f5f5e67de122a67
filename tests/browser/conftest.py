"""What tests of a page in a browser share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from browsing import Opened, Visit, open_report


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens a page: whatever is done, it says nothing in the console and asks for nothing but itself."""
    visited: list[Opened] = []

    def visit(path: Path, fragment: str = "", **options: Any) -> Opened:
        visited.append(open_report(browser, path, fragment, **options))
        return visited[-1]

    yield visit
    for opened in visited:
        assert opened.said == []
        assert [url for url in opened.asked if not url.startswith(("blob:", "data:"))] == []
        opened.page.context.close()
