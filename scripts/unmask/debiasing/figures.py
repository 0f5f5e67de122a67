"""The figure of debiased models: what debiasing changes of bias scores."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from unmask.report.change_figure import Change, Panel, draw_changes
from unmask.report.sheets import rows_of
from unmask.statistics.changes import changes
from unmask.terms import CORRECTED, PUBLISHED


def draw_scores_changed(
    comparisons: Sequence[str],
    models: Sequence[Mapping[str, Any]],
    benchmarks: Sequence[str],
    measures: Sequence[str],
) -> Figure:
    """A panel for each benchmark and measure; models down, a colour for each method.

    comparisons: tables of COMPARISONS; models: name, from, method and reading of the debiased ones.
    """
    origins = {str(model["name"]): str(model["from"]) for model in models}
    kinds = {str(model["name"]): _kind(model) for model in models}
    found = changes(comparisons, origins, measures, CORRECTED)
    panels = []
    for benchmark, measure in itertools.product(benchmarks, measures):
        own = found[(found["benchmark"] == benchmark) & (found["measure"] == measure)]
        changed = tuple(
            Change(row.origin, kinds[row.model], row.change, row.low, row.high) for row in rows_of(own)
        )
        panels.append(Panel(f"{measure} on {benchmark}", "percentage points", changed))
    return draw_changes(
        panels, "No bias score of this study compares a debiased model with the one that it was made from."
    )


def _kind(model: Mapping[str, Any]) -> str:
    """What was done; the released code's way is said."""
    return f"{model['method']} ({PUBLISHED})" if model["reading"] == PUBLISHED else str(model["method"])
