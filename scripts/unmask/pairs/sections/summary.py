"""The scores in detail: what they rest on, what they are beside each other, and what to be wary of."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs import compared, sheets
from unmask.pairs.results import Results
from unmask.pairs.summary import summary, warnings
from unmask.report.sections import Fold, Items, Section, folded

OPEN = 8
"""So many warnings are shown at once; more wait in their fold."""


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results; settings: models, benchmarks, alpha."""
    results = Results.of_section(files, settings)
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
            *compared.folded(
                "Model against model", compared.models(results), compared.found_of_models(results)
            ),
            *compared.folded(
                "Measure against measure", compared.measures(results), compared.found_of_measures(results)
            ),
            *folded("Values that others report", sheets.peers(results)),
        ),
    )
