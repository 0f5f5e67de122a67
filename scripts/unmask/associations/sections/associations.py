"""What the report says of association tests."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from unmask.associations import tables
from unmask.associations.charts import MAKERS, poolings, tests
from unmask.associations.findings import FINDINGS
from unmask.associations.results import Found
from unmask.associations.terms import SETS, A, B, X, Y
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Chart, Facts, Fold, Items, Section, Table, folded

Draw = Callable[[Found, Sequence[str]], Any]

QUESTION = (
    "Are some words nearer to one set of words than to another in what an encoder makes of them, as a "
    "stereotype says? Is that more than chance gives, does it depend on how vectors are made, and does a "
    "picture change it?"
)

_SHOWN = {
    "tests_figure": "Effect sizes of all tests with intervals, before what they are on average without bias",
    "grounded_figure": "Mean association of words with pictures of the one and the other set",
    "poolings_figure": "Effect sizes in one pooling against those in another",
    "pairs_figure": "Mean effect size of models against their bias scores over pairs of sentences",
    "constructed_figure": "Gaps measured of hand-set weights beside the truth",
    "planted_figure": "The gap against the strength of what was planted",
}
"""Charts by their names, which are those of their captions, and what they show."""


def section(found: Found) -> Section:
    """A chart for which the study has no data is not shown."""
    return Section(
        "associations",
        "Association tests",
        (QUESTION, *sentences(FINDINGS, found)),
        (
            *_each(found, "tests_figure", tests, "Tests"),
            *folded("How many tests are beyond chance", tables.overview(found)[1]),
            *folded("Table 1: all tests", tables.table1(found)[1]),
            *folded("Published values beside ours", tables.published(found)[1]),
            *folded("Differences between encoders", tables.differences(found)[1]),
            *_each(found, "poolings_figure", poolings, "Poolings"),
            *folded("How far poolings agree", tables.poolings(found)[1]),
            *_drawn(found, "grounded_figure"),
            *folded("Tests with pictures, in numbers", tables.grounded(found)[1]),
            *folded("Experiments of grounded tests", tables.experiments(found)[1]),
            *_beside_pairs(found),
            *_drawn(found, "constructed_figure"),
            *folded("The constructed world, in numbers", tables.constructed(found)[1]),
            *_drawn(found, "planted_figure"),
            *folded("What was planted, in numbers", tables.planted(found)[1]),
            *_of_sets(found),
            *_warnings(found),
        ),
    )


def _drawn(found: Found, name: str) -> Iterator[Block]:
    drawn = MAKERS[name][0](found)
    if drawn:
        yield _chart(found, name, drawn)


def _beside_pairs(found: Found) -> Iterator[Block]:
    """In one fold: a panel for each pooling, measure and benchmark is much, and few models say little."""
    sheet = tables.pairs(found)[1]
    if sheet.rows:
        title = "Association tests and pairs of sentences"
        yield Fold(title, (*_drawn(found, "pairs_figure"), Table(sheet)))


def _each(found: Found, name: str, draw: Draw, what: str) -> Iterator[Block]:
    """A chart for each encoder: in folds, where there are several, of which the first is open."""
    drawn = [(encoder, draw(found, [encoder])) for encoder in found.names]
    made = [(encoder, each) for encoder, each in drawn if each]
    for place, (encoder, each) in enumerate(made):
        if len(made) == 1:
            yield _chart(found, name, each)
        else:
            yield Fold(f"{what}: {encoder}", (_chart(found, name, each, f"{encoder}. "),), open=place == 0)


def _chart(found: Found, name: str, drawn: Any, of: str = "") -> Chart:
    alt = f"{of}{_SHOWN[name]}. Their numbers are in a table below."
    return chart(f"{of}{found.captions[name]}", alt, drawn)


def _of_sets(found: Found) -> Iterator[Block]:
    """Which words every test holds against which, as its file calls them."""
    shown = dict.fromkeys(zip(found.rows["suite"], found.rows["test"], strict=True))
    lines = []
    for suite, test in shown:
        names = found.categories.get((suite, test))
        if names and set(SETS) <= set(names):
            told = f"{names[X]} (X) against {names[Y]} (Y): nearer to {names[A]} (A) than to {names[B]} (B)?"
            if pictures := found.pictures.get((suite, test)):
                counted = ", ".join(f"{cell} {number}" for cell, number in pictures.items())
                told += f" Pictures: {counted}."
            lines.append((f"{test} ({suite})", told))
    if lines:
        yield Fold("What each test holds against what", (Facts(tuple(lines)),))


def _warnings(found: Found) -> Iterator[Block]:
    remarks = found.remarks()
    if remarks:
        yield Fold("What was left out, and what to be wary of", (Items(tuple(remarks), warning=True),))
