"""The scores in detail: what they rest on, what they are beside each other, and what to be wary of."""

from collections.abc import Iterator

from unmask.pairs import compared, compared_charts, sheets
from unmask.pairs.results import Found, Results
from unmask.pairs.summary import summary, warnings
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Items, Section, Table, Text, folded

OPEN = 8
"""So many warnings are shown at once; more wait in their fold."""


def section(found: Found) -> Section:
    results = found.results
    wary = tuple(warnings(results))
    title = f"Warnings ({len(wary)})"
    return Section(
        "summary",
        "The scores in detail",
        tuple(summary(results)),
        (
            *((Fold(title, (Items(wary, warning=True),), len(wary) <= OPEN),) if wary else ()),
            *folded("Margins, independent pairs, words alone and untrained networks", sheets.chance(results)),
            *folded("The words that each score hangs on most", sheets.leverage(results)),
            *folded("Near-ties: decisions that another machine could turn", sheets.near_ties(results)),
            *_models(results),
            *compared.folded(
                "Measure against measure", compared.measures(results), compared.found_of_measures(results)
            ),
            *folded("Values that others report", sheets.peers(results)),
        ),
    )


def _models(results: Results) -> Iterator[Fold]:
    """Model against model, each first one in a fold of its own."""
    sheet = compared.models(results)
    if sheet.rows:
        inner: list[Block] = [Text(compared.found_of_models(results))]
        parts = results.models_compared.groupby(["benchmark", "first"], sort=False, observed=True)
        for place, ((benchmark, first), part) in enumerate(parts):
            drawn = compared_charts.models(part, results.alpha)
            if drawn:
                title = f"{first} less each other model, on {benchmark}"
                caption = f"{title}. {results.captions['models_chart']}"
                alt = (
                    f"{title}: differences of bias scores with intervals; the numbers are in the table below."
                )
                inner.append(Fold(title, (chart(caption, alt, drawn),), open=place == 0))
        yield Fold("Model against model", (*inner, Table(sheet)))
