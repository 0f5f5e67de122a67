"""A report opened in a real browser, which tells what went wrong in it and what it asked for."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Page, Request, expect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PHONE = {"width": 360, "height": 740}
TABLET = {"width": 1024, "height": 800}
DESK = {"width": 1280, "height": 900}
WAIT = 180_000
"""Milliseconds that a browser may take for a step: as long as a busy machine needs."""

expect.set_options(timeout=WAIT)


def browser_program() -> str | None:
    """The browser of the machine, if there is one."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


@dataclass
class Opened:
    """A page, and what it said and asked for since it was opened."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def charts(self) -> int:
        """How many charts are drawn."""
        return self.page.locator(".drawing svg").count()

    def open_folds(self) -> None:
        self.page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")

    def draw_all(self) -> None:
        """Scroll to every chart that is not in a closed fold, until it is drawn."""
        for drawing in self.page.locator(".drawing:visible").all():
            drawing.scroll_into_view_if_needed()
            drawing.locator("svg").wait_for()

    def words(self) -> int:
        """How many words a reader sees, labels of charts and options of selects left out."""
        count: int = self.page.evaluate(
            """() => {
              const apart = [...document.querySelectorAll('svg, select')];
              const before = apart.map((each) => each.style.display);
              for (const each of apart) each.style.display = 'none';
              const words = document.body.innerText.split(/\\s+/).filter(Boolean).length;
              apart.forEach((each, place) => { each.style.display = before[place]; });
              return words;
            }"""
        )
        return count

    def cut_on_paper(self) -> list[str]:
        """The tables and charts that are broader than their page, of A4 with margins, upright or turned."""
        self.page.emulate_media(media="print")
        cut: list[str] = []
        # pixels across
        for place, room in ((":not(.broad)", 703), (".broad", 1031)):
            self.page.set_viewport_size({"width": room, "height": 900})
            cut += self.page.locator(f"figure{place}:visible").evaluate_all(
                """figures => figures.filter((figure) => {
                  const within = figure.querySelector('table, .drawing svg');
                  return within && within.getBoundingClientRect().width > figure.clientWidth + 1;
                }).map((figure) => figure.id)"""
            )
        self.page.emulate_media(media="screen")
        return cut

    def broader_than_the_screen(self) -> list[str]:
        """What makes the page scroll sideways: elements that are in no box that scrolls."""
        wide: list[str] = self.page.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] :
              [...document.querySelectorAll('body *')]
                .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
                .filter((each) => !each.parentElement.closest('.scroll, .picture, .drawing, nav ul'))
                .map((each) => each.outerHTML.slice(0, 120))"""
        )
        return wide

    def broader_than_their_box(self) -> list[str]:
        """The charts that have to be scrolled sideways."""
        wide: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll('.drawing')]
              .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.parentElement.id)"""
        )
        return wide

    def violations(self) -> list[str]:
        """What axe-core has against the page, a line each."""
        found: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


Visit = Callable[..., Opened]
"""How tests open a page: like open_report, without the browser."""


def open_report(browser: Browser, path: Path, fragment: str = "", **options: Any) -> Opened:
    """Open a report in a window of its own. options: of the window (Browser.new_context)."""
    window = browser.new_context(**{"viewport": DESK, "accept_downloads": True, **options})
    window.set_default_timeout(WAIT)
    opened = Opened(window.new_page())
    page, said = opened.page, opened.said

    def dismiss(dialog: Dialog) -> None:
        said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("dialog", dismiss)

    def ask(request: Request) -> None:
        # it may ask for itself, also at another address in it
        if request.url.split("#")[0] != path.as_uri():
            opened.asked.append(request.url)

    page.on("request", ask)
    page.goto(path.as_uri() + fragment)
    return opened
