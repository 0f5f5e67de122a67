"""The scores in detail: what they rest on, how they compare, and what to be wary of."""

from collections.abc import Iterator

from unmask.pairs import comparisons, sheets
from unmask.pairs.findings import ARITHMETIC, DETAILS, WARNINGS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import (
    DATA,
    MODEL_AND_BENCHMARK,
    Fold,
    Items,
    Section,
    Table,
    Text,
    chosen,
    folded,
)


def section(results: PairResults) -> Section:
    warnings = sentences(WARNINGS, results)
    of_measures = [comparisons.MEASURES_DIFFER, comparisons.DECIDED_DIFFERENTLY]
    return Section(
        "summary",
        "The scores in detail",
        sentences([*DETAILS, ARITHMETIC], results),
        (
            *_warnings(warnings),
            *folded(
                "Margins, independent pairs, word choice alone and untrained networks", sheets.chance(results)
            ),
            *folded("The words that each score depends on most", sheets.leverage(results)),
            *_models(results),
            *comparisons.folded(
                "Measure against measure", comparisons.measures(results), sentences(of_measures, results)
            ),
            *comparisons.folded(
                "Version against version",
                comparisons.versions(results),
                comparisons.VERSIONS_DIFFER.sentences(results),
            ),
            *folded("Values that others report", sheets.peers(results)),
            results.captions.computed("summary"),
        ),
        group=DATA,
        label="Scores in detail",
    )


def _warnings(texts: tuple[str, ...]) -> Iterator[Fold]:
    if texts:
        yield Fold(f"Warnings ({len(texts)})", (Items(texts, warning=True),))


def _models(results: PairResults) -> Iterator[Fold]:
    """Model against model, one first one at a time."""
    sheet = comparisons.models(results)
    if sheet.rows:
        text = Text(" ".join(comparisons.MODELS_DIFFER.sentences(results)))
        folds: list[Fold] = []
        parts = results.models_compared.groupby(["benchmark", "first"], sort=False, observed=True)
        for (benchmark, first), part in parts:
            picture = comparisons.models_chart(part, results.alpha)
            if picture:
                title = f"{first} less each other model, on {benchmark}"
                caption = f"{title}. {results.captions['models_chart']}"
                alt = (
                    f"{title}: differences of bias scores with intervals; the numbers are in the table below."
                )
                folds.append(Fold(title, (chart(caption, alt, picture),)))
        yield Fold("Model against model", (text, *chosen(MODEL_AND_BENCHMARK, folds), Table(sheet)))
