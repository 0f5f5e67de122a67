"""The chart of numbers before and after a change, whichever family presents them."""

import altair as alt
import pandas as pd

from unmask.report.forms import Axis, Beside, Grid, Kinds, forest

CHART_COLUMNS = ("panel", "row", "kind", "model", "before", "after", "low", "high", "p_holm")
"""What a change has: where it is drawn; what it is a number of; how its model was changed, and which that is;
the number before and after, the ends of the interval of after less before, and p after correction."""


def changes_chart(changes: pd.DataFrame, axis: Axis) -> alt.FacetChart | None:
    """A tick for what was, and a mark for what is, with the interval of the change laid at the tick: it holds
    the tick where nothing may have changed. None where there is no change.

    changes: CHART_COLUMNS.
    """
    frame = changes.assign(
        change=changes["after"] - changes["before"],
        least=changes["before"] + changes["low"],
        most=changes["before"] + changes["high"],
    )
    return forest(
        frame,
        axis,
        name="row",
        value="after",
        interval=("least", "most"),
        kinds=Kinds("kind", "debiased by"),
        apart="kind",
        beside=[Beside("before", "tick")],
        grid=Grid(between=": "),
    )
