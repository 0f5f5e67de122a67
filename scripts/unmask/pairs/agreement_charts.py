"""Charts of agreement with human raters: ROC curves, and the areas under them."""

from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of, only, panels, records, tooltips
from unmask.report.sheets import interval, number, rows_of
from unmask.terms import PROTOCOLS, PUBLISHED

PAPER_MEASURES = ("AUL", "AULA", "CPS", "SSS")
"""The measures of the paper's Figure 1."""

SIZE = 240
"""Pixels of a panel of curves, either way, where the page has no reason for another width."""

NUMBERS, BESIDE = 44, 60
"""Pixels for the numbers beside these panels, and for these with their title."""

CHANCE = 0.5
"""The area of scores that know nothing of the ratings."""

FALSE, TRUE = "false_positive_rate", "true_positive_rate"

KEYS = ["model", "benchmark", "measure"]
"""What a curve is of."""


def areas(agreement: pd.DataFrame) -> alt.FacetChart | None:
    """The area under every curve of the chosen reading, in both protocols; a panel for each model and
    benchmark.

    agreement: AGREEMENT over the whole study. None, here and below, where there is nothing to draw.
    """
    rows = agreement[agreement["chosen"] & agreement["auc"].notna()]
    frame = columns_of(
        rows,
        *("model", "benchmark", "low", "high", "positives", "negatives"),
        panel=rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str),
        name=rows["measure"].map(title_of),
        kind="protocol",
        value="auc",
    )
    tips = (
        ("panel", "what"),
        ("name", "measure"),
        ("kind", "protocol"),
        ("value", "area under the curve", ".3f"),
        *ends_of(".3f"),
        ("positives", "positive pairs", "d"),
        ("negatives", "negative pairs", "d"),
    )
    axis = Axis("area (0.5: chance)", line=CHANCE, span=(0.4, 0.6), step=0.1)
    return forest(frame, axis, tips, kinds=Kinds("kind", "protocol", PROTOCOLS), apart="kind")


def curves(roc: pd.DataFrame, agreement: pd.DataFrame, several: bool = True) -> alt.FacetChart | None:
    """Figure 1: ROC curves of the paper's measures, protocol published; a panel for each
    measure, model and benchmark, in rows of as many as there are measures.

    roc, agreement: ROC and AGREEMENT with the columns model and benchmark. several: whether
    panels say which model and benchmark they are of.
    """
    chosen = agreement[agreement["chosen"] & (agreement["protocol"] == PUBLISHED) & agreement["auc"].notna()]
    chosen = chosen[chosen["measure"].isin(PAPER_MEASURES)]
    of = chosen[KEYS].assign(panel=[_panel(row, several) for row in rows_of(chosen)])
    # scores that know nothing of the ratings lie on the diagonal
    chance = of.merge(pd.DataFrame({FALSE: [0.0, 1.0], TRUE: [0.0, 1.0]}), how="cross")
    curve = of.merge(roc.loc[roc["protocol"] == PUBLISHED, [*KEYS, FALSE, TRUE]], on=KEYS)
    parts = {"chance": chance, "curve": curve}
    frame = pd.concat([part.assign(drawn=name) for name, part in parts.items()], ignore_index=True)
    frame = by_value(frame, "panel", of["panel"])
    return _curves_chart(frame.assign(measure=frame["measure"].map(title_of))) if len(of) else None


def _panel(row: Any, several: bool) -> str:
    area = f"{number(row.auc)} ({interval(row.low, row.high, 2)})" if pd.notna(row.low) else number(row.auc)
    what = f"{title_of(str(row.measure))}: area {area}"
    return f"{what}\n{row.model} on {row.benchmark}" if several else what


def _curves_chart(frame: pd.DataFrame) -> alt.FacetChart:
    scale = alt.Scale(domain=[0, 1], nice=False)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    x = alt.X(f"{FALSE}:Q", title="false positive rate", scale=scale, axis=alt.Axis(values=ticks))

    axis = alt.Axis(values=ticks, minExtent=NUMBERS, maxExtent=NUMBERS)
    y = alt.Y(f"{TRUE}:Q", title="true positive rate", scale=scale, axis=axis)
    tips = tooltips(
        (
            ("measure", "measure"),
            (FALSE, "false positive rate", ".2f"),
            (TRUE, "true positive rate", ".2f"),
        )
    )
    base = alt.Chart()
    chance, curve = (base.transform_filter(only("drawn", each)) for each in ("chance", "curve"))
    layers = [
        chance.mark_line(style="neutral", strokeDash=[3, 3]).encode(x=x, y=y),
        # as its points follow each other: it may rise straight up
        curve.mark_line(style="single", strokeWidth=1.8).encode(
            x=x, y=y, order=alt.Order("place:Q"), tooltip=tips
        ),
    ]
    return panels(layers, records(frame), frame["measure"].nunique(), margin=BESIDE, width=SIZE, height=SIZE)
