"""What the report says of association tests."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from unmask.associations import tables
from unmask.associations.charts import MAKERS, poolings, tests
from unmask.associations.findings import FINDINGS
from unmask.associations.results import AssociationResults
from unmask.associations.terms import SETS, A, B, X, Y
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import (
    OTHER_TESTS,
    Block,
    Chart,
    Facts,
    Fold,
    Items,
    Section,
    Table,
    chosen,
    folded,
)

Draw = Callable[[AssociationResults, Sequence[str]], Any]

_ALTS = {
    "tests_figure": "Effect sizes of all tests with intervals, before what they are on average without bias",
    "grounded_figure": "Mean association of words with pictures of the one and the other set",
    "poolings_figure": "Effect sizes in one pooling against those in another",
    "pairs_figure": "Mean effect size of models against their bias scores over pairs of sentences",
}
"""Charts by their names, which are those of their captions, and what they show."""


def section(results: AssociationResults) -> Section:
    """A chart for which the study has no data is not shown."""
    blocks = (
        *_by_encoder(results, "tests_figure", tests, "Tests"),
        *folded("How many tests are beyond chance", tables.overview(results)[1]),
        *folded("All association tests", tables.table1(results)[1]),
        *folded("Published values beside ours", tables.published(results)[1]),
        *_by_encoder(results, "poolings_figure", poolings, "Poolings"),
        *folded("How far poolings agree", tables.poolings(results)[1]),
        *_figure(results, "grounded_figure"),
        *folded("Tests with pictures, in numbers", tables.grounded(results)[1]),
        *folded("Tests with pictures, in all cells", tables.cells(results)[1]),
        *folded("Experiments of grounded tests", tables.experiments(results)[1]),
        *_with_pairs(results),
        *_of_sets(results),
        *_warnings(results),
    )
    how = (results.captions.computed("associations"),) if blocks else ()
    texts = sentences(FINDINGS, results)
    return Section("associations", "Association tests", texts, (*blocks, *how), group=OTHER_TESTS)


def _figure(results: AssociationResults, name: str) -> Iterator[Block]:
    if drawing := MAKERS[name][0](results):
        yield _chart(results, name, drawing)


def _with_pairs(results: AssociationResults) -> Iterator[Block]:
    """In one fold: a panel for each pooling, measure and benchmark is much, and few models say little."""
    sheet = tables.pairs(results)[1]
    if sheet.rows:
        title = "Association tests and pairs of sentences"
        yield Fold(title, (*_figure(results, "pairs_figure"), Table(sheet)))


def _by_encoder(results: AssociationResults, name: str, draw: Draw, what: str) -> Iterator[Block]:
    """A chart for each encoder, one at a time."""
    drawings = {encoder: draw(results, [encoder]) for encoder in results.names}
    drawings = {encoder: drawing for encoder, drawing in drawings.items() if drawing}
    if len(drawings) == 1:
        yield from (_chart(results, name, drawing) for drawing in drawings.values())
    else:
        yield from chosen(
            f"{what} of the encoder",
            (
                Fold(encoder, (_chart(results, name, each, f"{encoder}. "),))
                for encoder, each in drawings.items()
            ),
        )


def _chart(results: AssociationResults, name: str, drawing: Any, of: str = "") -> Chart:
    alt = f"{of}{_ALTS[name]}. Their numbers are in a table below."
    return chart(f"{of}{results.captions[name]}", alt, drawing)


def _of_sets(results: AssociationResults) -> Iterator[Block]:
    """Which words every test compares, as its file calls them."""
    lines = []
    for suite, test in dict.fromkeys(zip(results.rows["suite"], results.rows["test"], strict=True)):
        names = results.of_tests("categories").get((suite, test)) or {}
        if set(SETS) <= set(names):
            text = f"{names[X]} (X) against {names[Y]} (Y): nearer to {names[A]} (A) than to {names[B]} (B)?"
            if pictures := results.of_tests("pictures").get((suite, test)):
                text += f" Pictures: {', '.join(f'{cell} {number}' for cell, number in pictures.items())}."
            lines.append((f"{test} ({suite})", text))
    if lines:
        yield Fold("What each test compares", (Facts(tuple(lines)),))


def _warnings(results: AssociationResults) -> Iterator[Block]:
    if remarks := results.remarks():
        yield Fold("What was left out, and what to be wary of", (Items(tuple(remarks), warning=True),))
