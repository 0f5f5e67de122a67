"""A browser for all tests here; where there is none they are skipped."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from browsing import browser_program


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium, without a window."""
    program = browser_program()
    if program is None:
        pytest.skip("there is no Chromium on this machine (.ci/run installs one)")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"{program} does not start: {error.message.splitlines()[0]}")
        yield started
        started.close()
