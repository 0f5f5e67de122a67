"""The charts of association tests."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from unmask.associations.terms import JOINT, WORD, X, Y
from unmask.report.forms import Axis, Grid, Kinds, forest, scatter
from unmask.report.tables import columns_of, in_order, rows_of

CLAIMS = TOO_SMALL, WITHIN, BEYOND = ("sets too small for such a p", "explainable by chance", "beyond chance")
"""What may be claimed of a test, from nothing to the most."""


def _labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With the names of tests as `label`, with their suite where there are several."""
    suites = " (" + rows["suite"].astype(str) + ")" if rows["suite"].nunique() > 1 else ""
    return rows.assign(label=rows["test"].astype(str) + suites)


def tests(
    rows: pd.DataFrame, encoders: Sequence[str], poolings: Sequence[str], alpha: float
) -> alt.FacetChart | None:
    """d of every test with its interval, before what |d| is on average without bias (the band about 0).

    A panel for each encoder and pooling, a row a test; colour and shape say whether it is beyond chance.
    rows: ASSOCIATIONS with encoder and suite, of words.
    """
    known = _labelled(rows[rows["d"].notna()])
    known = in_order(known, encoder=encoders, pooling=poolings)
    claims = [~(known["least_p"] < alpha), known["p_holm"] < alpha]
    frame = columns_of(
        known,
        *("encoder", "pooling", "suite", "test", "label", "d", "expected_d", "mean_difference", "p_holm"),
        panel=known["encoder"] + ": " + known["pooling"],
        low="d_low",
        high="d_high",
        without=-known["expected_d"],
        claim=np.select(claims, [TOO_SMALL, BEYOND], WITHIN),
    )
    return forest(
        frame,
        Axis("effect size d", line=0),
        name="label",
        value="d",
        kinds=Kinds("claim", f"p < {alpha:g} after Holm's correction", CLAIMS, claimed=True),
        broad=("without", "expected_d"),
        grid=Grid(3, between=": "),
    )


def grounded(cells: pd.DataFrame) -> alt.FacetChart | None:
    """Mean s of X and of Y of each grounded test, with pictures of X and of Y.

    A panel for each test, encoder and pooling, joint and of the word; all have one scale. cells:
    unmask.associations.weat.cell_means with encoder and suite, of words.
    """
    own = cells[(cells["pictured_with"] == "alone") & cells["pooling"].isin([JOINT, WORD])]
    if own.empty:
        return None
    rows = [
        {
            "panel": f"{row.label}: {row.encoder}, {row.pooling}",
            "label": row.label,
            "pooling": row.pooling,
            "encoder": row.encoder,
            "words": f"words of {row.words}",
            "pictures": f"of {pictures}",
            "mean_s": mean_s,
        }
        for row in rows_of(_labelled(own))
        for pictures, mean_s in ((X, row.with_x), (Y, row.with_y))
    ]
    frame = pd.DataFrame(rows)
    return scatter(
        in_order(frame, panel=frame["panel"].unique()),
        Axis("seen with pictures"),
        Axis("mean s", line=0),
        across="pictures",
        up="mean_s",
        joined=True,
        kinds=Kinds("words", "mean over"),
        grid=Grid(4, width=200, height=170, between=": "),
    )
