"""Charts of agreement with human raters: ROC curves with their bands, and the areas under them."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.registry import title_of
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import Row, columns_of, only, panels, told
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


def areas(agreement: pd.DataFrame) -> alt.FacetChart | None:
    """The area under every curve of the chosen reading, in both protocols; a panel for each model and
    benchmark.

    agreement: AGREEMENT over the whole study. None, here and below, where there is nothing to draw.
    """
    rows = agreement[agreement["chosen"] & agreement["auc"].notna()]
    frame = columns_of(
        rows,
        *("model", "benchmark", "low", "high", "method", "positives", "negatives"),
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
        ("low", "interval from", ".3f"),
        ("high", "interval to", ".3f"),
        ("method", "interval"),
        ("positives", "positive pairs", "d"),
        ("negatives", "negative pairs", "d"),
    )
    axis = Axis("area (0.5: chance)", line=CHANCE, span=(0.4, 0.6), step=0.1)
    return forest(frame, axis, tips, kinds=Kinds("kind", "protocol", PROTOCOLS), apart="kind")


def curves(
    roc: pd.DataFrame, bands: pd.DataFrame, agreement: pd.DataFrame, several: bool = True
) -> alt.FacetChart | None:
    """Figure 1: ROC curves of the paper's measures with their bands, protocol published; a panel for each
    measure, model and benchmark, in rows of as many as there are measures.

    roc, bands, agreement: ROC, ROC_BANDS and AGREEMENT with the columns model and benchmark. several: whether
    panels say which model and benchmark they are of.
    """
    shown = agreement[agreement["chosen"] & (agreement["protocol"] == PUBLISHED) & agreement["auc"].notna()]
    shown = shown[shown["measure"].isin(PAPER_MEASURES)]
    points, ends = _by_curve(roc), _by_curve(bands)
    rows: list[Row] = []
    for row in rows_of(shown):
        key = (row.model, row.benchmark, row.measure)
        of = {"panel": _panel(row, several), "model": str(row.model), "benchmark": str(row.benchmark)}
        of |= {"measure": title_of(str(row.measure))}
        rows += [of | each for each in _chance()]
        rows += [of | each for each in _band(ends.get(key, ()))]
        rows += [of | each for each in _curve(points.get(key, ()))]
    return _drawn(rows) if rows else None


def _by_curve(rows: pd.DataFrame) -> dict[Any, list[Any]]:
    shown = rows[rows["protocol"] == PUBLISHED]
    return {key: rows_of(own) for key, own in shown.groupby(["model", "benchmark", "measure"], observed=True)}


def _panel(row: Any, several: bool) -> str:
    area = f"{number(row.auc)} ({interval(row.low, row.high, 2)})" if pd.notna(row.low) else number(row.auc)
    what = f"{title_of(str(row.measure))}: area {area}"
    return f"{what}\n{row.model} on {row.benchmark}" if several else what


def _chance() -> Iterator[Row]:
    """The curve of scores that know nothing."""
    for rate in (0.0, 1.0):
        yield {"drawn": "chance", FALSE: rate, TRUE: rate}


def _band(band: Sequence[Any]) -> Iterator[Row]:
    for each in band:
        yield {
            "drawn": "band",
            FALSE: float(each.false_positive_rate),
            "low": float(each.low),
            "high": float(each.high),
        }


def _curve(curve: Sequence[Any]) -> Iterator[Row]:
    for each in curve:
        yield {
            "drawn": "curve",
            FALSE: float(each.false_positive_rate),
            TRUE: float(each.true_positive_rate),
        }


def _drawn(rows: Sequence[Row]) -> alt.FacetChart:
    scale = alt.Scale(domain=[0, 1], nice=False)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    x = alt.X(f"{FALSE}:Q", title="false positive rate", scale=scale, axis=alt.Axis(values=ticks))

    def y(name: str) -> alt.Y:
        axis = alt.Axis(values=ticks, minExtent=NUMBERS, maxExtent=NUMBERS)
        return alt.Y(f"{name}:Q", title="true positive rate", scale=scale, axis=axis)

    tips = told(
        (
            ("measure", "measure"),
            (FALSE, "false positive rate", ".2f"),
            ("low", "true positive rate from", ".2f"),
            ("high", "true positive rate to", ".2f"),
        )
    )
    base = alt.Chart()
    band, chance, curve = (base.transform_filter(only("drawn", each)) for each in ("band", "chance", "curve"))
    layers = [
        band.mark_area(style="single", opacity=0.25).encode(x=x, y=y("low"), y2="high:Q"),
        chance.mark_line(style="neutral", strokeDash=[3, 3]).encode(x=x, y=y(TRUE)),
        # as its points follow each other: it may rise straight up
        curve.mark_line(style="single", strokeWidth=1.8).encode(x=x, y=y(TRUE), order=alt.Order("place:Q")),
        # what a pointer finds anywhere in the band
        band.mark_rule(strokeWidth=5, opacity=0).encode(x=x, y=y("low"), y2="high:Q", tooltip=tips),
    ]
    columns = len({row["measure"] for row in rows})
    return panels(layers, rows, columns, margin=BESIDE, width=SIZE, height=SIZE)
