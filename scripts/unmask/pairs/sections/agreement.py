"""Agreement with human raters: areas, the curves of Figure 1, and the other readings of their votes."""

from collections.abc import Iterator
from typing import Any

from unmask.pairs import agreement_charts, comparisons, sheets
from unmask.pairs.findings import AGREEMENT, DRAWN_RATINGS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.sections import MODEL_AND_BENCHMARK, TRUST, Block, Fold, Section, Text, chosen, folded

WITHOUT = "No benchmark of this study has pairs that raters call biased and pairs that they do not."

ALT = "Areas under ROC curves with intervals against the line at 0.5; their numbers are in the table below."


def section(results: PairResults) -> Section:
    blocks = tuple(_blocks(results))
    sentences = (*AGREEMENT.sentences(results), *DRAWN_RATINGS.sentences(results))
    return Section(
        "agreement",
        "Agreement with human raters",
        sentences,
        blocks or (Text(WITHOUT),),
        group=TRUST,
        label="Human raters",
    )


def _blocks(results: PairResults) -> Iterator[Block]:
    areas = agreement_charts.areas(results.agreement)
    if areas:
        yield chart(results.captions["areas_chart"], ALT, areas)
    yield from folded("Readings of the human ratings", sheets.agreement(results))
    yield from chosen(f"Figure 1: {MODEL_AND_BENCHMARK.lower()}", _folds(results))
    yield from comparisons.folded(
        "Area against area", comparisons.areas(results), comparisons.AREAS_DIFFER.sentences(results)
    )
    if areas:
        yield results.captions.computed("agreement")


def _folds(results: PairResults) -> Iterator[Fold]:
    for title, curves in _curves(results):
        alt = f"ROC curves of {title}, a panel for each measure, against the diagonal."
        yield Fold(title, (chart(f"{title}. {results.captions['figure1']}", alt, curves),))


def _curves(results: PairResults) -> Iterator[tuple[str, Any]]:
    """The curves of each model and benchmark that has some, with their name."""
    readings = results.agreement.groupby(["model", "benchmark"], sort=False, observed=True)
    for (model, benchmark), of_both in readings:
        roc = results.roc[(results.roc["model"] == model) & (results.roc["benchmark"] == benchmark)]
        if curves := agreement_charts.curves(roc, of_both, several=False):
            yield f"{model} on {benchmark}", curves
