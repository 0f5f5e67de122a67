"""The chart of debiased models: what debiasing changes of bias scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.report.changes_chart import Change, Scale, changes_chart
from unmask.report.sheets import rows_of
from unmask.terms import PUBLISHED

SCALE = Scale("stereotype preferred, of 100 pairs", no_bias=50, decimals=1)


def scores_changed(changed: pd.DataFrame, models: Sequence[Mapping[str, Any]]) -> alt.FacetChart | None:
    """A panel for each model that others were made from and benchmark; measures down, methods by colour and
    shape. None where nothing is compared.

    changed: as unmask.statistics.changes, with p_holm; models: name, method and reading of the debiased ones.
    """
    kinds = {str(model["name"]): _kind(model) for model in models}
    parts = [part for _, part in changed.groupby(["origin", "benchmark"], sort=False)]
    rows = [
        Change(
            f"{row.origin} on {row.benchmark}",
            title_of(row.measure),
            kinds[row.model],
            row.model,
            row.before,
            row.after,
            row.low,
            row.high,
            row.p_holm,
        )
        for part in parts
        for row in rows_of(part)
    ]
    return changes_chart(rows, SCALE)


def _kind(model: Mapping[str, Any]) -> str:
    """What was done; the released code's way is said."""
    return f"{model['method']} ({PUBLISHED})" if model["reading"] == PUBLISHED else str(model["method"])
