"""The report's page in a browser: a made report with every kind of block, and hostile text in all of them."""

import csv
import io
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from playwright.sync_api import Page, expect

from browsing import DESK, PHONE, TABLET, Opened, Visit
from library import (
    DASH,
    LONG,
    App,
    Block,
    Chart,
    Code,
    Facts,
    Fold,
    Items,
    Section,
    Sheet,
    TableBlock,
    Text,
    chart,
    render_page,
    theme,
)

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
"""Text that would be markup, if anything took it for that."""

EXPRESSION = '" + alert(3) + datum.name + "'
"""Text that would be code, if a chart took it for that."""

ROWS: list[dict[str, Any]] = [
    {"name": HOSTILE, "panel": EXPRESSION, "score": 61.25, "pairs": 48, "note": 'a "quoted", line'},
    {"name": "plain", "panel": EXPRESSION, "score": 48.5, "pairs": 60, "note": None},
    {"name": "plain", "panel": "b", "score": 52.0, "pairs": 60, "note": "=two\nlines"},
]


def made_chart() -> Chart:
    marks = alt.Chart().mark_point(filled=True, size=200)
    encoded = marks.encode(
        x="score:Q",
        y=alt.Y("name:N", axis=alt.Axis(labelLimit=1000)),
        color=alt.Color("name:N", scale=alt.Scale(range="category")),
        tooltip=["name:N", "score:Q", "note:N"],
    )
    drawn = encoded.properties(width=200).facet(data=alt.InlineData(values=ROWS), facet="panel:N", columns=2)
    return chart(HOSTILE, HOSTILE, drawn.properties(usermeta={"margin": 120}))


SCORES = (
    ("model-9", "3", "10.5 (9 to 12)"),
    ("model-10", "20", DASH),
    (HOSTILE, "100", "−2.25 (−3 to −1)"),
    ("model-2", "7", "9.75†"),
)
TABLE = TableBlock(Sheet(f"Scores. {HOSTILE}", ("model", "pairs"), (("group", "score"),), SCORES))
BROAD = TableBlock(
    Sheet(
        "A broad and long table.",
        ("model",),
        # as tables of the paper have it, one head is empty
        tuple(("", f"column {place}" if place else "") for place in range(20)),
        tuple((f"model {row}", *("12.34",) * 20) for row in range(LONG + 5)),
    )
)


CODE = Code(f"{HOSTILE}\n  second line\n")


def blocks() -> tuple[Block, ...]:
    return (
        Text(HOSTILE),
        made_chart(),
        TABLE,
        Items((HOSTILE, "second"), warning=True),
        Facts(((HOSTILE, HOSTILE), ("a" * 300, "b" * 300))),
        CODE,
        Fold(HOSTILE, (BROAD, Fold("deeper", (TABLE, made_chart())))),
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sections of every block, with room between them, so that the last charts are far away."""
    sections = [
        Section(name, f"{name.title()} {HOSTILE}", (HOSTILE,), blocks(), label=title)
        for name, title in (("first", ""), ("last", "The last"))
    ]
    many = tuple(Text(f"Line {place}.") for place in range(200))
    sections.insert(1, Section("between", "Between", (), many))
    path = tmp_path_factory.mktemp("report") / "index.html"
    page = render_page(f"A report {HOSTILE}", sections, "made study", "Unmask 7")
    path.write_text(page, encoding="utf-8")
    return path


Show = Callable[..., Opened]


@pytest.fixture
def show(visit: Visit, report: Path) -> Show:
    """Opens the report, or another page."""

    def show(fragment: str = "", path: Path = report, **options: Any) -> Opened:
        return visit(path, fragment, **options)

    return show


@pytest.fixture
def opened(show: Show) -> Opened:
    return show(permissions=["clipboard-read", "clipboard-write"])


def column(page: Page, figure: str, place: int) -> list[str]:
    return page.locator(f"#{figure} tbody tr td:nth-child({place})").all_text_contents()


def head(page: Page, figure: str, place: int) -> Any:
    return page.locator(f"#{figure} thead tr:last-child th:nth-child({place})")


def test_charts_near_the_screen_are_drawn_and_others_when_they_are_near(opened: Opened) -> None:
    opened.page.locator("#first-chart-1 svg").wait_for()
    assert opened.page.locator("#last-chart-1 svg").count() == 0
    opened.page.locator("#last-chart-1").scroll_into_view_if_needed()
    opened.page.locator("#last-chart-1 svg").wait_for()
    # in a closed fold
    assert opened.page.locator("#last-chart-2 svg").count() == 0
    opened.open_folds()
    opened.draw_all()
    assert opened.charts == 4


def told_at(page: Page, place: int) -> dict[str, str]:
    """What the tooltip of a mark of the first chart says: terms and what is told of each."""
    marks = page.locator("#first-chart-1 .mark-symbol.role-mark path")
    tooltip = page.locator("#vg-tooltip-element.visible")
    page.mouse.move(0, 0)
    expect(tooltip).to_have_count(0)
    marks.nth(place).hover()
    expect(tooltip).to_have_count(1)
    terms, told = (tooltip.locator(kind).all_text_contents() for kind in ("dt", "dd"))
    return dict(zip(terms, told, strict=True))


def test_text_is_only_text(opened: Opened) -> None:
    page = opened.page
    opened.open_folds()
    opened.draw_all()
    # the programs of the page, its data and themes; a picture, and the charts
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type='module']):not([type='application/json'])").count() == 0
    assert page.locator("script[type='module']").count() == 2
    assert page.title() == f"A report {HOSTILE} \N{EN DASH} Unmask"
    assert page.locator("h1").text_content() == f"A report {HOSTILE}"
    assert HOSTILE in column(page, "first-table-1", 1)
    words = page.locator("#first-chart-1 svg text").all_text_contents()
    assert HOSTILE in words and EXPRESSION in words
    assert page.locator("#first-chart-1 .drawing [role=img]").get_attribute("aria-label") == HOSTILE
    # and what a pointer shows, of which there is nothing where a row has nothing
    assert told_at(page, 0) == {"name": HOSTILE, "score": "61.25", "note": 'a "quoted", line'}
    assert told_at(page, 1) == {"name": "plain", "score": "48.5"}
    assert page.locator("img").count() == 0


def test_a_head_sorts_numbers_as_numbers(opened: Opened) -> None:
    page, figure = opened.page, "first-table-1"
    original = column(page, figure, 1)
    scores = head(page, figure, 3)
    scores.locator("button").click()
    assert scores.get_attribute("aria-sort") == "ascending"
    assert column(page, figure, 3) == ["−2.25 (−3 to −1)", "9.75†", "10.5 (9 to 12)", DASH]
    scores.locator("button").click()
    assert scores.get_attribute("aria-sort") == "descending"
    # what is missing comes last either way
    assert column(page, figure, 3) == ["10.5 (9 to 12)", "9.75†", "−2.25 (−3 to −1)", DASH]
    head(page, figure, 2).locator("button").click()
    assert scores.get_attribute("aria-sort") is None
    assert column(page, figure, 2) == ["3", "7", "20", "100"]
    # each row is still itself
    assert column(page, figure, 1) == ["model-9", "model-2", "model-10", HOSTILE]
    head(page, figure, 2).locator("button").click()
    head(page, figure, 2).locator("button").click()
    assert column(page, figure, 1) == original
    assert page.locator(f"#{figure} [aria-sort]").count() == 0


@pytest.mark.parametrize(("label", "delimiter"), [("copy the table", "\t"), ("copy the table as CSV", ",")])
def test_a_table_is_copied_as_it_stands(opened: Opened, label: str, delimiter: str) -> None:
    figure = opened.page.locator("#first-table-1")
    head(opened.page, "first-table-1", 2).locator("button").click()
    figure.get_by_role("button", name=label, exact=True).click()
    expect(figure.locator("[role=status]")).to_have_text("copied")
    text = opened.page.evaluate("navigator.clipboard.readText()")
    rows = [tuple(row) for row in csv.reader(io.StringIO(text), delimiter=delimiter)]
    assert rows == [("model", "pairs", "group: score"), *sorted(SCORES, key=lambda row: int(row[1]))]


def saved(opened: Opened, kind: str) -> bytes:
    with opened.page.expect_download() as waiting:
        opened.page.locator("#first-chart-1 .tools").get_by_role("button", name=kind).click()
    assert waiting.value.suggested_filename == f"made-study-first-chart-1.{kind.lower()}"
    return waiting.value.path().read_bytes()


def test_a_chart_is_saved_as_svg_png_and_csv(opened: Opened) -> None:
    opened.page.locator("#first-chart-1 svg").wait_for()
    tree = ElementTree.fromstring(saved(opened, "SVG"))
    words = {element.text for element in tree.iter() if element.tag.endswith(("}text", "}tspan"))}
    assert {HOSTILE, EXPRESSION} <= words
    # and what it is of
    # the title has two lines
    assert {*f"First {HOSTILE}".rsplit(" ", 1), "n = 48 to 60 pairs"} <= words
    assert "Study made study. Source: Unmask 7." in words
    assert saved(opened, "PNG").startswith(b"\x89PNG")
    rows = list(csv.DictReader(io.StringIO(saved(opened, "CSV").decode(), newline="")))
    assert [{**row, "score": float(row["score"]), "pairs": int(row["pairs"])} for row in rows] == [
        # what begins like a formula is a text to a spreadsheet
        {**row, "note": (row["note"] or "").replace("=two", "'=two")}
        for row in ROWS
    ]


def rgb(mode: str) -> str:
    """The ground of a theme as browsers tell it."""
    ground = theme(mode)["background"]
    return f"rgb({', '.join(str(int(ground[place : place + 2], 16)) for place in (1, 3, 5))})"


def is_drawn_on(page: Page, mode: str) -> None:
    expect(page.locator("#first-chart-1 .drawing svg")).to_have_css("background-color", rgb(mode))


def test_charts_go_with_the_reader_from_light_to_dark(opened: Opened) -> None:
    page = opened.page
    page.locator("#first-chart-1 svg").wait_for()
    is_drawn_on(page, "light")
    page.emulate_media(color_scheme="dark")
    is_drawn_on(page, "dark")
    expect(page.locator("body")).to_have_css("background-color", rgb("dark"))
    # what is saved is for papers
    assert theme("dark")["background"].encode() not in saved(opened, "SVG")
    page.emulate_media(color_scheme="light")
    is_drawn_on(page, "light")


def test_a_phone_needs_no_scrolling_sideways(show: Show) -> None:
    opened = show(viewport=PHONE)
    opened.open_folds()
    opened.draw_all()
    assert opened.broader_than_the_screen() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    # panels stand below each other there, and beside each other where there is room
    wide = show()
    wide.draw_all()
    high, low = (
        each.page.locator("#first-chart-1 .drawing svg").evaluate("svg => svg.clientHeight")
        for each in (opened, wide)
    )
    assert high > 1.5 * low


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}])
def test_axe_has_nothing_against_it(show: Show, options: dict[str, Any]) -> None:
    opened = show(**options)
    opened.open_folds()
    opened.draw_all()
    head(opened.page, "first-table-1", 3).locator("button").click()
    assert opened.violations() == []
    # what a pointer shows is in no part of the page, and nothing else is wrong with it
    told_at(opened.page, 0)
    assert {line.split(":")[0] for line in opened.violations()} <= {"region"}
    box = opened.page.locator("#vg-tooltip-element").bounding_box()
    room = opened.page.viewport_size
    assert box and room and box["x"] >= 0 and box["x"] + box["width"] <= room["width"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= room["height"]


def test_paper_has_every_chart_on_a_light_ground(show: Show) -> None:
    opened = show(color_scheme="dark")
    opened.page.locator("#first-chart-1 svg").wait_for()
    # after the page's own listener, and what it has set off
    opened.page.evaluate(
        """() => addEventListener('beforeprint', () => queueMicrotask(async () => {
            for (let turn = 0; turn < 1000; turn++) await null;
            const drawn = [...document.querySelectorAll('.drawing svg')];
            window.printed = drawn.map((svg) => getComputedStyle(svg).backgroundColor);
        }))"""
    )
    assert opened.page.pdf().startswith(b"%PDF")
    # far away and in closed folds, too
    assert opened.page.evaluate("window.printed") == [rgb("light")] * 4
    is_drawn_on(opened.page, "dark")
    # what is far away is drawn for the screen when it is near
    assert opened.page.locator("#last-chart-1 svg").count() == 0


ROW = tuple(f"{place}{place} (1{place} to 9{place})!" for place in range(5))
INTERVALS = TableBlock(
    Sheet(
        "Scores with intervals.",
        ("model", "benchmark"),
        tuple(("", f"measure-{place}") for place in range(5)),
        tuple((f"model-{row}", "planted-crows-pairs", *ROW) for row in range(4)),
    )
)


@pytest.fixture(scope="module")
def printable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with a table of intervals, folds, and a section of a program alone."""
    folds = (Fold("closed", (TABLE,)), Fold("and this", (TABLE,)))
    first, second = (Fold(f"picture {name}", (made_chart(), INTERVALS)) for name in "ab")
    sections = [
        Section("scores", "Scores", ("Found.",), (INTERVALS, *folds)),
        Section("pictures", "Two", ("Found.",), (replace(first, open=True), second)),
        Section("pairs", "Every pair", ("Pairs.",), (App("explorer", "pairs/explorer", {}),)),
    ]
    path = tmp_path_factory.mktemp("printable") / "index.html"
    path.write_text(render_page("A title", sections, "mine", "Unmask 7"), encoding="utf-8")
    return path


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext (poppler-utils)")
def test_paper_has_whole_scores_and_no_empty_section(show: Show, printable: Path, tmp_path: Path) -> None:
    path = tmp_path / "printed.pdf"
    path.write_bytes(show(path=printable).page.pdf(format="A4", prefer_css_page_size=True))
    printed = subprocess.run(["pdftotext", "-layout", path, "-"], check=True, capture_output=True, text=True)
    pages = printed.stdout.split("\f")[:-1]
    text = "\n".join(pages)
    # a row is a line, with all of its scores: on the screen, in the fold that is open, and in no other
    lines = [line.split() for line in text.splitlines()]
    for row in INTERVALS.sheet.rows:
        assert lines.count(" ".join(row).split()) == 2
    # a program prints nothing of itself, and closed folds share a line
    assert "Every pair" not in text and "Pairs." not in text
    assert "Unmask 7 (MIT licence), study mine" in " ".join(text.split())
    assert ["closed", "and", "this"] in lines
    assert [f"{place} of {len(pages)}" in page for place, page in enumerate(pages, 1)] == [True] * len(pages)


def test_a_phone_keeps_the_names_of_rows_of_a_large_table_in_sight(show: Show) -> None:
    opened = show("#first-table-2", viewport=PHONE)
    box = opened.page.locator("#first-table-2 .scroll")
    first = box.locator("tbody td").first
    before = first.bounding_box()
    box.evaluate("box => box.scrollBy({ left: 300, behavior: 'instant' })")
    after = first.bounding_box()
    assert before and after and before["x"] == after["x"]
    # and a column begins where the names end
    left = after["x"] + after["width"]
    edges = box.locator("thead tr:last-child > *").evaluate_all(
        "heads => heads.map((each) => each.getBoundingClientRect().x)"
    )
    assert min(abs(edge - left) for edge in edges[1:]) <= 1


def test_a_phone_has_room_for_fingers(show: Show, printable: Path) -> None:
    opened = show(path=printable, viewport=PHONE)
    opened.open_folds()
    assert opened.broader_than_the_screen() == []
    small = opened.page.locator("a, button, select, summary").evaluate_all(
        """all => all.filter((each) => each.checkVisibility() && !each.matches('.skip')).filter((each) => {
          const { width, height } = each.getBoundingClientRect();
          return width < 24 || height < 24;
        }).map((each) => each.outerHTML)"""
    )
    assert small == []


def test_a_link_opens_the_folds_around_what_it_leads_to(show: Show) -> None:
    opened = show("#last-table-3", viewport=TABLET)
    table = opened.page.locator("#last-table-3")
    expect(table).to_be_in_viewport()
    box = table.bounding_box()
    bar = opened.page.locator("nav").bounding_box()
    # and not below the bar of sections, which stays
    assert box and bar and bar["y"] == 0 and box["y"] >= bar["height"]
    opened.page.evaluate("location.hash = '#first-chart-2'")
    opened.page.locator("#first-chart-2 svg").wait_for()
    expect(opened.page.locator("#first-chart-2")).to_be_in_viewport()


@pytest.mark.parametrize("fragment", ["#%zz", "#nothing", "#pair/a%2Fb/1?measure=AUL"])
def test_a_link_to_nothing_here_does_no_harm(show: Show, fragment: str) -> None:
    opened = show(fragment)
    opened.page.locator("#first-chart-1 svg").wait_for()
    assert opened.page.evaluate("scrollY") == 0


def test_what_is_tabbed_to_is_never_below_the_bar(show: Show) -> None:
    opened = show(viewport=TABLET)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    opened.open_folds()
    page.evaluate("document.querySelector('#last').scrollIntoView({block: 'end'})")
    page.locator("#last-table-1 button").last.focus()
    for _ in range(12):
        page.keyboard.press("Shift+Tab")
        place = page.evaluate(
            """() => [document.activeElement.getBoundingClientRect().bottom,
                      document.querySelector('nav').getBoundingClientRect().bottom,
                      document.querySelector('nav').contains(document.activeElement)]"""
        )
        assert place[2] or place[0] > place[1]


@pytest.mark.parametrize("room", [PHONE, DESK])
def test_the_bar_says_which_section_is_read(show: Show, room: Any) -> None:
    opened = show(viewport=room)
    page = opened.page
    expect(page.locator("nav [aria-current]")).to_have_text(f"First {HOSTILE}")
    expect(page.locator("nav a")).to_have_text([f"First {HOSTILE}", "Between", "The last"])
    bar = page.locator("nav").bounding_box()
    assert bar and bar["height"] < 70 and opened.broader_than_the_screen() == []
    page.get_by_role("link", name="The last", exact=True).click()
    expect(page.locator("nav [aria-current]")).to_have_text("The last")
    expect(page.locator("#last h2")).to_be_in_viewport()


def test_without_scripts_it_can_be_read(show: Show) -> None:
    opened = show(java_script_enabled=False)
    expect(opened.page.locator("#first-chart-1 noscript p")).to_contain_text("drawn by a script")
    assert column(opened.page, "first-table-1", 2) == [row[1] for row in SCORES]
    assert opened.page.locator("#first button").count() == 0
