"""The chart of debiased models: what debiasing changes of bias scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.report.changes_chart import changes_chart
from unmask.report.forms import Axis
from unmask.report.panels import by_value, columns_of
from unmask.terms import PUBLISHED


def scores_changed(changed: pd.DataFrame, models: Sequence[Mapping[str, Any]]) -> alt.FacetChart | None:
    """A panel for each model that others were made from and benchmark; measures down, methods by colour and
    shape. None where nothing is compared.

    changed: as unmask.statistics.changes, with p_holm; models: name, method and reading of the debiased ones.
    """
    kinds = {str(model["name"]): _kind(model) for model in models}
    panel = changed["origin"].astype(str) + " on " + changed["benchmark"].astype(str)
    rows = by_value(changed.assign(panel=panel), "panel")
    frame = columns_of(
        rows,
        *("panel", "model", "before", "after", "low", "high", "p_holm"),
        row=rows["measure"].map(title_of),
        kind=rows["model"].map(kinds),
    )
    return changes_chart(frame, Axis("stereotype preferred, of 100 pairs", line=50), decimals=1)


def _kind(model: Mapping[str, Any]) -> str:
    """What was done; the released code's way is said."""
    return f"{model['method']} ({PUBLISHED})" if model["reading"] == PUBLISHED else str(model["method"])
