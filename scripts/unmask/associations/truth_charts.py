"""The charts of association tests against something else: what was planted, hand-set weights, bias scores."""

from collections.abc import Callable

import altair as alt
import numpy as np
import pandas as pd

from unmask.associations.results import TOLERANCE, AssociationResults
from unmask.measures.registry import title_of
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest, response, scatter
from unmask.report.panels import by_value, columns_of, ends_of

CENTRE = 50.0
"""The bias score, in percent, of a model that prefers neither side."""

RIGHT, OFF = f"within {TOLERANCE:g} of the truth", "further off"

NUDGE = 0.012
"""Encoders stand so far apart, of the reach of strengths, for their intervals not to lie on each other."""


def pairs(results: AssociationResults) -> alt.FacetChart | None:
    """Mean d of each model against its bias score; a panel for each suite, pooling, measure and benchmark."""
    points = results.points
    keys = ["suite", "measure", "benchmark"]
    rows = by_value(by_value(points, "pooling", results.poolings), keys)
    measured = rows["measure"].map(title_of) + " on " + rows["benchmark"].astype(str)
    frame = columns_of(
        rows,
        *(*keys, "pooling", "model", "tests", "score", "low", "high", "mean_d"),
        panel=rows["suite"].map(_naming(rows["suite"])) + rows["pooling"].astype(str) + ": " + measured,
    )
    tips = (
        ("panel", "what"),
        ("model", "model"),
        ("tests", "tests", ".0f"),
        ("mean_d", "mean d", "+.2f"),
        ("score", "stereotype preferred, of 100", ".1f"),
        *ends_of(".1f"),
    )
    return scatter(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=CENTRE),
        Axis("mean d", line=0),
        tips,
        across="score",
        up="mean_d",
        across_interval=("low", "high"),
        kinds=Kinds("model", "model", results.names, every=False),
        grid=Grid(4, height=170, between=": "),
    )


def constructed(results: AssociationResults) -> alt.FacetChart | None:
    """Gaps measured of hand-set weights (marks) against what they are (ticks); a panel for each experiment,
    worlds down the rows."""
    rows = by_value(results.constructed, "experiment")
    off = (rows["gap"] - rows["truth"]).abs()
    frame = columns_of(
        rows,
        *("world", "truth", "gap"),
        panel="experiment",
        unit="level",
        off_by=off,
        it_is=np.where(off <= TOLERANCE, RIGHT, OFF),
    )
    tips = (
        ("world", "world"),
        ("panel", "experiment"),
        ("unit", "unit"),
        ("truth", "truth", "+.6f"),
        ("gap", "measured", "+.6f"),
        ("off_by", "off by", ".1g"),
    )
    return forest(
        frame,
        Axis("gap", line=0),
        tips,
        name="world",
        value="gap",
        kinds=Kinds("it_is", "measured", (RIGHT, OFF)),
        beside=[Beside("truth", "tick")],
        apart="unit",
        names=results.constructed["world"],
    )


def planted(results: AssociationResults) -> alt.FacetChart | None:
    """The gap against the strength of what was planted, with its interval; a panel for each series of tests
    and pooling. A test that has all words of others is an open mark, and no step of the line."""
    everything = results.planted
    if everything.empty:
        return None
    encoders = [name for name in results.names if (everything["encoder"] == name).any()]
    rows = by_value(by_value(everything, "encoder", encoders), "pooling", results.poolings)
    # in the order in which they are found
    series = everything[["suite", "series"]].drop_duplicates()
    rows = by_value(rows, ["suite", "series"], series.itertuples(index=False, name=None))
    reach = float(everything["strength"].max() - everything["strength"].min()) or 1.0
    places = rows["encoder"].map({name: 2 * n - len(encoders) + 1 for n, name in enumerate(encoders)})
    # too long for one line
    named = rows["series"].astype(str).str.replace(" against ", ": against ")
    frame = columns_of(
        rows,
        *("encoder", "test", "strength", "gap", "whole"),
        panel=rows["suite"].map(_naming(rows["suite"])) + rows["pooling"].astype(str) + ": " + named,
        low="gap_low",
        high="gap_high",
        drawn_at=rows["strength"] + NUDGE * reach * places,
    )
    tips = (
        ("test", "test"),
        ("encoder", "encoder"),
        ("panel", "what"),
        ("strength", "strength", ".2~f"),
        ("gap", "gap", "+.3f"),
        *ends_of("+.3f"),
    )
    return response(
        frame,
        Axis("strength planted"),
        Axis("gap", line=0),
        tips,
        dose="drawn_at",
        value="gap",
        kinds=Kinds("encoder", "encoder", encoders),
        hollow="whole",
        grid=Grid(4, between=": "),
    )


def _naming(suites: "pd.Series[str]") -> Callable[[str], str]:
    """What names a suite at the head of a panel: nothing where there is one."""
    return (lambda suite: f"{suite}, ") if suites.nunique() > 1 else (lambda _: "")
