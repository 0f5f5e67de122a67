"""The charts of association tests against something else: what was planted, hand-set weights, bias scores."""

import itertools
from collections.abc import Callable

import altair as alt
import pandas as pd

from unmask.associations.findings import TOLERANCE
from unmask.associations.results import Found
from unmask.measures.registry import title_of
from unmask.report.panels import (
    AXES,
    MARK,
    STEP,
    Row,
    kinds,
    line,
    names_down,
    of_row,
    panels,
    plain,
    room_for,
    row_height,
    told,
)
from unmask.report.sheets import rows_of

CENTRE = 50.0
"""The bias score, in percent, of a model that prefers neither side."""

RIGHT, OFF = f"within {TOLERANCE:g} of the truth", "further off"

NUDGE = 0.012
"""Encoders stand so far apart, of the reach of strengths, for their intervals not to lie on each other."""


def pairs(found: Found) -> alt.FacetChart | None:
    """Mean d of each model against its bias score; a panel for each suite, pooling, measure and benchmark."""
    points = found.points
    if points.empty:
        return None
    in_suite = _naming(points["suite"])
    rank = {name: place for place, name in enumerate(found.poolings)}
    order = points["pooling"].map(rank).sort_values(kind="stable").index
    rows = []
    keys = ["suite", "measure", "benchmark"]
    for _, part in points.loc[order].groupby(keys, sort=False):
        rows += [
            {
                "panel": f"{in_suite(row.suite)}{row.pooling}: {title_of(row.measure)} on {row.benchmark}",
                **of_row(row, *keys, "pooling", "model", "tests", "score", "low", "high", "mean_d"),
            }
            for row in rows_of(part)
        ]
    models = [name for name in found.names if (points["model"] == name).any()]
    looks = kinds("model", "model", models)
    x = alt.X(
        "score:Q",
        title="stereotype preferred, of 100 pairs",
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickCount=5),
    )
    y = alt.Y("mean_d:Q", title="mean d", axis=alt.Axis(tickCount=5))
    base = alt.Chart()
    layers = [
        line(x=CENTRE),
        line(y=0),
        base.mark_rule(strokeWidth=1.2).encode(
            x=alt.X("low_at:Q"), x2="high_at:Q", y=y, color=looks["color"]
        ),
        base.mark_point(filled=True, opacity=1, size=MARK + 10).encode(
            x=x,
            y=y,
            tooltip=told(
                panel="what",
                model="model",
                tests=("tests", ".0f"),
                mean_d=("mean d", "+.2f"),
                score=("stereotype preferred, of 100", ".1f"),
                low=("interval from", ".1f"),
                high=("interval to", ".1f"),
            ),
            **looks,
        ),
    ]
    ends = {"low": "score", "high": "score"}
    return panels(layers, rows, 4, margin=AXES, height=170, ends=ends, between=": ")


def constructed(found: Found) -> alt.FacetChart | None:
    """Gaps measured of hand-set weights (marks) against what they are (ticks); a panel for each experiment,
    worlds down the rows."""
    frame = found.constructed
    if frame.empty:
        return None
    worlds = list(frame["world"].drop_duplicates())
    rows: list[Row] = []
    for experiment in frame["experiment"].drop_duplicates():
        rows += [
            {
                "panel": experiment,
                **of_row(row, "world", "truth", "gap", unit="level"),
                "off_by": plain(abs(row.gap - row.truth)),
                "it_is": RIGHT if abs(row.gap - row.truth) <= TOLERANCE else OFF,
            }
            for row in rows_of(frame[frame["experiment"] == experiment])
        ]
    looks = kinds("it_is", "measured", (RIGHT, OFF))
    units = list(frame["level"].drop_duplicates())
    y = names_down("world", worlds)
    apart = {"yOffset": alt.YOffset("unit:N", sort=units)} if len(units) > 1 else {}
    axis = alt.Axis(tickCount=4, labelFlush=False)
    base = alt.Chart()
    layers = [
        line(x=0),
        base.mark_tick(style="neutral", thickness=2, height=STEP - 5).encode(
            x=alt.X("truth:Q"), y=y, **apart
        ),
        base.mark_point(filled=True, opacity=1, size=MARK).encode(
            x=alt.X("gap:Q", title="gap", axis=axis),
            y=y,
            tooltip=told(
                world="world",
                panel="experiment",
                unit="unit",
                truth=("truth", "+.6f"),
                gap=("measured", "+.6f"),
                off_by=("off by", ".1g"),
            ),
            **looks,
            **apart,
        ),
    ]
    return panels(layers, rows, 3, margin=room_for(worlds), height=row_height(len(units)))


def planted(found: Found) -> alt.FacetChart | None:
    """The gap against the strength of what was planted, with its interval; a panel for each series of tests
    and pooling. A test that has all words of others is an open mark, and no step of the line."""
    frame = found.planted
    if frame.empty:
        return None
    encoders = [name for name in found.names if (frame["encoder"] == name).any()]
    in_suite = _naming(frame["suite"])
    reach = float(frame["strength"].max() - frame["strength"].min()) or 1.0
    rows: list[Row] = []
    for (suite, series), part in frame.groupby(["suite", "series"], sort=False):
        for pooling, (place, encoder) in itertools.product(found.poolings, enumerate(encoders)):
            own = part[(part["pooling"] == pooling) & (part["encoder"] == encoder)]
            # too long for one line
            lines = str(series).replace(" against ", ": against ")
            nudge = NUDGE * reach * (2 * place - len(encoders) + 1)
            rows += [
                {
                    "panel": f"{in_suite(str(suite))}{pooling}: {lines}",
                    **of_row(row, "encoder", "test", "strength", "gap", low="gap_low", high="gap_high"),
                    "whole": bool(row.whole),
                    "drawn_at": float(row.strength) + nudge,
                }
                for row in rows_of(own)
            ]
    looks = kinds("encoder", "encoder", encoders)
    x = alt.X("drawn_at:Q", title="strength planted", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
    y = alt.Y("gap:Q", title="gap", axis=alt.Axis(tickCount=5))
    base = alt.Chart()
    steps, wholes = (base.transform_filter(f"{no}datum.whole") for no in ("!", ""))
    tips = told(
        test="test",
        encoder="encoder",
        panel="what",
        strength=("strength", ".2~f"),
        gap=("gap", "+.3f"),
        low=("interval from", "+.3f"),
        high=("interval to", "+.3f"),
    )
    layers = [
        line(y=0),
        base.mark_rule(strokeWidth=1).encode(x=x, y=alt.Y("low_at:Q"), y2="high_at:Q", color=looks["color"]),
        steps.mark_line(strokeWidth=1.3).encode(x=x, y=alt.Y("mean(gap):Q"), color=looks["color"]),
        steps.mark_point(filled=True, opacity=1, size=MARK).encode(x=x, y=y, tooltip=tips, **looks),
        wholes.mark_point(filled=False, opacity=1, size=MARK).encode(x=x, y=y, tooltip=tips, **looks),
    ]
    ends = {"low": "gap", "high": "gap"}
    return panels(layers, rows, 4, margin=AXES, ends=ends, between=": ")


def _naming(suites: "pd.Series[str]") -> Callable[[str], str]:
    """What names a suite at the head of a panel: nothing where there is one."""
    return (lambda suite: f"{suite}, ") if suites.nunique() > 1 else (lambda _: "")
