"""Agreement with human raters: areas, the curves of Figure 1, and the other readings of their votes."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from unmask.measures.registry import sees_context
from unmask.pairs import agreement_charts, compared, sheets
from unmask.pairs.results import Found, Results
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, Text, folded
from unmask.report.sheets import number
from unmask.terms import CORRECTED

WITHOUT = "No benchmark of this study has human ratings of both kinds, so there is nothing to agree with."

ALT = "Areas under ROC curves with intervals against the line at 0.5; their numbers are in the table below."


def section(found: Found) -> Section:
    results = found.results
    blocks = tuple(_blocks(results, found.roc, found.roc_bands))
    told = tuple(in_words(results))
    return Section("agreement", "Agreement with human raters", told, blocks or (Text(WITHOUT),))


def in_words(results: Results) -> Iterator[str]:
    """What the areas of trained models say, in plain words; of all, where none is trained.

    Controls, which see words and their number alone, are not counted.
    """
    agreement = results.agreement
    chosen = agreement[agreement["chosen"] & (agreement["protocol"] == CORRECTED)]
    of_trained = chosen[chosen["model"].isin(results.study.trained())]
    kind = "models" if of_trained.empty else "trained models"
    chosen = chosen if of_trained.empty else of_trained
    chosen = chosen[chosen["auc"].notna()]
    controls = ~chosen["measure"].astype(str).map(sees_context).astype(bool)
    left_out = "; without controls" if controls.any() else ""
    chosen = chosen[~controls]
    areas = 100 * chosen["auc"]
    if len(areas):
        least, most = number(areas.min(), 0), number(areas.max(), 0)
        cases = least if least == most else f"{least} to {most}"
        yield (
            "Take a pair that the raters call biased and one that they do not: the first has the higher "
            f"score in {cases} of 100 cases, from the least to the most of the {kind} and measures "
            f"(protocol corrected{left_out}); 50 is chance. {compared.beyond_half(chosen, results.alpha)}"
        )


def _blocks(results: Results, roc: pd.DataFrame, bands: pd.DataFrame) -> Iterator[Block]:
    areas = agreement_charts.areas(results.agreement)
    if areas:
        yield chart(results.captions["areas_chart"], ALT, areas)
    yield from folded("Readings of the human ratings", sheets.agreement(results))
    curves = results.agreement.groupby(["model", "benchmark"], sort=False, observed=True)
    for place, (title, drawn) in enumerate(_curves(curves, roc, bands)):
        alt = f"ROC curves of {title} with their bands, a panel for each measure, against the diagonal."
        picture = chart(f"{title}. {results.captions['figure1']}", alt, drawn)
        yield Fold(f"Figure 1: {title}", (picture,), open=place == 0)
    yield from compared.folded("Area against area", compared.areas(results), compared.found_of_areas(results))


def _curves(agreement: Any, roc: pd.DataFrame, bands: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """The curves of each model and benchmark that has some, with their name."""
    for (model, benchmark), readings in agreement:
        own, of_bands = (
            each[(each["model"] == model) & (each["benchmark"] == benchmark)] for each in (roc, bands)
        )
        drawn = agreement_charts.curves(own, of_bands, readings, several=False)
        if drawn:
            yield f"{model} on {benchmark}", drawn
