"""The figures of association tests."""

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from unmask.associations.findings import TOLERANCE
from unmask.associations.results import Found
from unmask.associations.tables import main_means
from unmask.associations.terms import JOINT, X, Y
from unmask.report.change_figure import MARKERS
from unmask.report.figures import PALETTE, RC, note
from unmask.report.sheets import rows_of

EXPECTED = "#d9d9d9"
CENTRE = 50.0
"""The bias score, in percent, of a model that prefers neither side."""

ACROSS = 4
"""Panels of tests in a row: more would be too wide for a page."""

LONG = 20
"""Tests of a panel that is longer than a screen."""

MOST_HIGH = 200.0
"""Inches: a figure with more rows has narrower ones, as pictures have a largest size."""

PALE = 0.4
"""How opaque a test is drawn that could not be beyond chance."""

TITLE = 34
"""Characters that have room above a panel."""

Looks = dict[str, tuple[str, str]]


def looks(names: Sequence[str]) -> Looks:
    """A colour and a marker for each name; colours come again after all are used, with other markers."""
    colours, markers = [colour for colour, _ in PALETTE], MARKERS
    pairs = [(colours[n % len(colours)], markers[n % len(markers)]) for n in range(len(names))]
    # both lists have seven: the second round is shifted
    shifted = [(c, MARKERS[(n + n // len(colours)) % len(markers)]) for n, (c, _) in enumerate(pairs)]
    return dict(zip(names, shifted, strict=True))


def draw_tests(found: Found) -> Figure:
    """d of every test with its interval, before what |d| is on average without bias (the band about 0).

    A panel per pooling, a row per test, encoders by colour and marker; filled where the test is beyond chance
    after Holm's correction, pale where it could not be.
    """
    rows = found.main[found.main["d"].notna()]
    if rows.empty:
        return note("No test of this study has an effect size.")
    encoders = [name for name in found.names if (rows["encoder"] == name).any()]
    poolings = [name for name in found.poolings if (rows["pooling"] == name).any()]
    tests = list(dict.fromkeys(zip(rows["suite"], rows["test"], strict=True)))
    of = looks(encoders)
    step = 0.8 / len(encoders)
    with mpl.rc_context(RC | {"font.size": 9}):
        across = min(ACROSS, len(poolings))
        down = -(-len(poolings) // across)
        high = 0.6 + down * (0.6 + len(tests) * (0.16 + 0.1 * len(encoders)))
        # names of tests are long
        names = min(4.5, 0.4 + 0.065 * max(len(label) for label in _labels(tests)))
        figure = Figure(figsize=(names + 2.6 * across, min(MOST_HIGH, high)))
        grid = list(figure.subplots(down, across, squeeze=False, sharey=True, sharex=True).flat)
        for axes in grid[len(poolings) :]:
            axes.set_axis_off()
        for axes, pooling in zip(grid, poolings, strict=False):
            axes.grid(axis="x", color="#ededed", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.axvline(0, color="#888888", linewidth=0.7, zorder=1)
            for row in rows_of(rows[rows["pooling"] == pooling]):
                place = tests.index((row.suite, row.test))
                y = place + (encoders.index(row.encoder) + 0.5) * step - 0.4
                _draw_effect(axes, row, y, step, of[row.encoder], found.alpha)
            _between_suites(axes, tests)
            axes.set_title(pooling, fontsize=9)
            axes.set_xlabel("d")
            axes.xaxis.set_major_locator(MaxNLocator(5))
            axes.tick_params(axis="y", length=0)
            # the scale is in sight at either end of a long panel
            axes.tick_params(axis="x", labelbottom=True, labeltop=len(tests) > LONG)
        grid[0].set_yticks(range(len(tests)), _labels(tests))
        grid[0].set_ylim(len(tests) - 0.45, -0.55)
        handles: list[Artist] = [_handle(name, *of[name]) for name in encoders]
        handles.append(_hollow("not beyond chance", 1.0))
        if not rows["able"].all():
            handles.append(_hollow("could not be", PALE))
        handles.append(Patch(color=EXPECTED, label="|d| without bias, on average"))
        figure.legend(handles=handles, loc="outside upper center", ncols=min(4, across + 1))
    return figure


def _labels(tests: Sequence[tuple[str, str]]) -> list[str]:
    """Names of tests, with their suite where there are several."""
    several = len({suite for suite, _ in tests}) > 1
    return [f"{test} ({suite})" if several else test for suite, test in tests]


def _between_suites(axes: Axes, tests: Sequence[tuple[str, str]]) -> None:
    for place, (one, other) in enumerate(itertools.pairwise(tests)):
        if one[0] != other[0]:
            axes.axhline(place + 0.5, color="#888888", linewidth=0.5)


def _draw_effect(axes: Axes, row: Any, y: float, step: float, look: tuple[str, str], alpha: float) -> None:
    colour, marker = look
    opaque = 1.0 if row.able else PALE
    if pd.notna(row.expected_d):
        wide = 2 * row.expected_d
        axes.barh(y, wide, left=-row.expected_d, height=step, color=EXPECTED, linewidth=0, zorder=0)
    if pd.notna(row.d_low):
        axes.plot([row.d_low, row.d_high], [y, y], color=colour, linewidth=1.1, alpha=opaque, zorder=2)
    clear = pd.notna(row.p_holm) and row.p_holm < alpha
    axes.plot(
        [row.d],
        [y],
        color=colour,
        marker=marker,
        markersize=4,
        markerfacecolor=colour if clear else "white",
        markeredgewidth=0.9,
        alpha=opaque,
        linestyle="",
        zorder=3,
    )


def _handle(label: str, colour: str, marker: str) -> Line2D:
    return Line2D([], [], color=colour, marker=marker, markersize=4, linewidth=1.1, label=label)


def _hollow(label: str, opaque: float) -> Line2D:
    return Line2D(
        [],
        [],
        color="#444444",
        marker="o",
        markersize=4,
        markerfacecolor="none",
        linestyle="",
        alpha=opaque,
        label=label,
    )


def draw_grounded(found: Found) -> Figure:
    """The 2×2 of each grounded test: mean s of X and of Y, with pictures of X and of Y.

    A row of panels per test, a column per encoder; panels of a row have one scale. Lines that lie apart: the
    words; lines that slope: the pictures; lines that are not parallel: both together.
    """
    means = main_means(found.means)
    means = means[means["pooling"] == JOINT]
    if means.empty:
        return note("This study has no grounded test.")
    encoders = [name for name in found.names if (means["encoder"] == name).any()]
    tests = list(dict.fromkeys(zip(means["suite"], means["test"], strict=True)))
    styles: dict[str, dict[str, Any]] = {
        name: {"color": colour, "linestyle": line, "marker": marker, "markersize": 4.5, "linewidth": 1.3}
        for name, (colour, line), marker in zip((X, Y), PALETTE, MARKERS, strict=False)
    }
    with mpl.rc_context(RC | {"font.size": 9}):
        high = min(MOST_HIGH, 0.7 + 1.9 * len(tests))
        figure = Figure(figsize=(1.3 + 2.6 * max(2, len(encoders)), high))
        grid = figure.subplots(len(tests), len(encoders), squeeze=False, sharey="row", sharex=True)
        for axes in grid.flat:
            axes.set_axis_off()
        for row in rows_of(means):
            place = tests.index((row.suite, row.test)), encoders.index(row.encoder)
            axes = grid[place]
            axes.set_axis_on()
            axes.axhline(0, color="#888888", linewidth=0.7, zorder=1)
            for name, ends in ((X, (row.x1, row.x2)), (Y, (row.y1, row.y2))):
                axes.plot([0, 1], ends, **styles[name])
            axes.set_xlim(-0.3, 1.3)
            axes.set_xticks([0, 1], ["pictures of X", "pictures of Y"])
            axes.tick_params(axis="x", labelbottom=True, length=0)
            axes.yaxis.set_major_locator(MaxNLocator(4))
            axes.set_title(f"{_labels(tests)[place[0]]}\n{row.encoder}", fontsize=9)
        for axes in grid[:, 0]:
            axes.set_ylabel("mean s")
        handles = [Line2D([], [], label=f"words of {name}", **style) for name, style in styles.items()]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def draw_poolings(found: Found) -> Figure:
    """d in one pooling against d in another, a panel for each two, a point per test; where the signs differ
    the panel is grey."""
    rows = found.main[found.main["d"].notna()]
    compared = found.poolings_compared
    pairs = [
        pair
        for pair in itertools.combinations(found.poolings, 2)
        if ((compared["first"] == pair[0]) & (compared["second"] == pair[1])).any()
    ]
    if not pairs:
        return note("No test of this study has an effect size in two poolings of one encoder.")
    encoders = [name for name in found.names if (compared["encoder"] == name).any()]
    of = looks(encoders)
    across = min(3, len(pairs))
    down = -(-len(pairs) // across)
    reach = 1.08 * max(0.1, float(rows["d"].abs().max()))
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(max(4.8, 2.9 * across), 0.7 + 2.7 * down))
        grid = list(figure.subplots(down, across, squeeze=False).flat)
        for axes in grid[len(pairs) :]:
            axes.set_axis_off()
        for axes, (first, second) in zip(grid, pairs, strict=False):
            for left, bottom in ((-reach, 0), (0, -reach)):
                axes.fill_between([left, left + reach], bottom, bottom + reach, color=EXPECTED, linewidth=0)
            axes.plot([-reach, reach], [-reach, reach], color="#888888", linewidth=0.6, zorder=1)
            for encoder in encoders:
                own = rows[rows["encoder"] == encoder]
                d = own.pivot(index=["suite", "test"], columns="pooling", values="d")
                if not {first, second} <= set(d.columns):
                    continue
                colour, marker = of[encoder]
                style = {"color": colour, "marker": marker, "linestyle": "", "markersize": 3.5}
                axes.plot(d[first], d[second], alpha=0.8, markeredgewidth=0, zorder=2, **style)
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel=f"d, {first}", ylabel=f"d, {second}")
            axes.set_aspect("equal")
            axes.xaxis.set_major_locator(MaxNLocator(5))
            axes.yaxis.set_major_locator(MaxNLocator(5))
        handles: list[Artist] = [_handle(name, *of[name]) for name in encoders]
        for handle in handles:
            handle.set(linestyle="")
        handles.append(Patch(color=EXPECTED, label="signs differ"))
        figure.legend(handles=handles, loc="outside upper center", ncols=min(4, across + 1))
    return figure


def draw_pairs(found: Found) -> Figure:
    """Mean d of each model against its bias score over pairs of sentences.

    A row of panels per suite, benchmark and measure, a column per pooling, models by colour and marker.
    """
    points = found.points
    if points.empty:
        return note("No model of this study has both association tests and bias scores over pairs.")
    models = [name for name in found.names if (points["model"] == name).any()]
    poolings = [name for name in found.poolings if (points["pooling"] == name).any()]
    keys = ["suite", "benchmark", "measure"]
    rows = list(points[keys].drop_duplicates().itertuples(index=False, name=None))
    of = looks(models)
    with mpl.rc_context(RC | {"font.size": 9}):
        high = min(MOST_HIGH, 0.8 + 2.4 * len(rows))
        figure = Figure(figsize=(max(5.2, 0.6 + 2.7 * len(poolings)), high))
        grid = figure.subplots(len(rows), len(poolings), squeeze=False, sharex="row", sharey="row")
        for of_row, key in zip(grid, rows, strict=True):
            here = points[(points[keys] == list(key)).all(axis=1)]
            suite, benchmark, measure = key
            for axes, pooling in zip(of_row, poolings, strict=True):
                axes.axhline(0, color="#888888", linewidth=0.7, zorder=1)
                axes.axvline(CENTRE, color="#888888", linewidth=0.7, zorder=1)
                for row in rows_of(here[here["pooling"] == pooling]):
                    colour, marker = of[row.model]
                    style = {"color": colour, "marker": marker, "linestyle": ""}
                    axes.plot([row.score], [row.mean_d], markersize=5, zorder=2, **style)
                axes.set_title(f"{suite}, {pooling}", fontsize=9)
                axes.set_xlabel(f"bias score, {measure} on {benchmark}")
                axes.xaxis.set_major_locator(MaxNLocator(5))
                axes.yaxis.set_major_locator(MaxNLocator(5))
            of_row[0].set_ylabel("mean d")
        handles = [_handle(name, *of[name]) for name in models]
        for handle in handles:
            handle.set(linestyle="")
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def draw_constructed(found: Found) -> Figure:
    """Gaps measured of hand-set weights against what they are, and how far they are off."""
    rows = found.constructed
    if rows.empty:
        return note("This study has no constructed world.")
    worlds = list(rows["world"].drop_duplicates())
    names = list(rows["experiment"].drop_duplicates())
    colours = dict(zip(names, itertools.cycle(colour for colour, _ in PALETTE), strict=False))
    markers = dict(zip(names, itertools.cycle(MARKERS), strict=False))
    # nothing has no logarithm; the caption says so
    least = 1e-12
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(8.4, max(3.6, 1.4 + 0.34 * len(worlds))))
        truths, errors = figure.subplots(1, 2)
        ends = [float(f(rows[["truth", "gap"]].to_numpy(float))) for f in (np.min, np.max)]
        truths.plot(ends, ends, color="#888888", linewidth=0.7, zorder=1)
        step = 0.8 / len(names)
        for row in rows_of(rows):
            style = {"color": colours[row.experiment], "marker": markers[row.experiment], "linestyle": ""}
            truths.plot([row.truth], [row.gap], markersize=5, alpha=0.7, zorder=2, **style)
            y = worlds.index(row.world) + (names.index(row.experiment) + 0.5) * step - 0.4
            errors.plot([max(least, abs(row.gap - row.truth))], [y], markersize=4, zorder=2, **style)
        truths.set(xlabel="gap of the weights (truth)", ylabel="gap measured")
        truths.xaxis.set_major_locator(MaxNLocator(5))
        errors.axvline(TOLERANCE, color="#D55E00", linewidth=1.1, linestyle="--", zorder=1)
        errors.set_xscale("log")
        errors.xaxis.set_major_locator(LogLocator(numticks=6))
        errors.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        errors.xaxis.set_minor_formatter(NullFormatter())
        errors.set_xlim(least / 2, max(10 * TOLERANCE, 2 * float((rows["gap"] - rows["truth"]).abs().max())))
        errors.set_xlabel("how far off (size)")
        errors.set_yticks(range(len(worlds)), worlds)
        errors.set_ylim(len(worlds) - 0.45, -0.55)
        errors.tick_params(axis="y", length=0)
        handles = [
            Line2D([], [], color=colours[name], marker=markers[name], linestyle="", markersize=5, label=name)
            for name in names
        ]
        handles.append(Line2D([], [], color="#D55E00", linestyle="--", linewidth=1.1, label=f"{TOLERANCE:g}"))
        figure.legend(handles=handles, loc="outside upper center", ncols=7)
    return figure


def draw_planted(found: Found) -> Figure:
    """The gap against the strength of what was planted, with its interval.

    A row of panels per series, a column per pooling, encoders by colour and marker; a hollow marker is a test
    that has all words of others, and is no step of the line.
    """
    rows = found.planted
    if rows.empty:
        return note("Nothing was planted in the tests of this study.")
    encoders = [name for name in found.names if (rows["encoder"] == name).any()]
    poolings = [name for name in found.poolings if (rows["pooling"] == name).any()]
    several = rows["suite"].nunique() > 1
    series = list(dict.fromkeys(zip(rows["suite"], rows["series"], strict=True)))
    of = looks(encoders)
    # side by side, so that intervals do not lie on each other
    reach = float(rows["strength"].max() - rows["strength"].min()) or 1.0
    nudges = np.linspace(-0.012, 0.012, len(encoders)) * reach if len(encoders) > 1 else np.zeros(1)
    with mpl.rc_context(RC | {"font.size": 9}):
        high = min(MOST_HIGH, 0.8 + 2.6 * len(series))
        figure = Figure(figsize=(max(4.8, 0.6 + 2.7 * len(poolings)), high))
        grid = figure.subplots(len(series), len(poolings), squeeze=False, sharex=True, sharey="row")
        for of_row, (suite, name) in zip(grid, series, strict=True):
            for axes, pooling in zip(of_row, poolings, strict=True):
                axes.axhline(0, color="#888888", linewidth=0.7, zorder=1)
                here = rows[
                    (rows["suite"] == suite) & (rows["series"] == name) & (rows["pooling"] == pooling)
                ]
                for encoder, nudge in zip(encoders, nudges, strict=True):
                    _draw_steps(axes, here[here["encoder"] == encoder], float(nudge), of[encoder])
                title = textwrap.fill(str(name), TITLE)
                axes.set_title(f"{title}\n{f'{suite}, ' if several else ''}{pooling}", fontsize=9)
                axes.set_xlabel("strength planted")
                axes.tick_params(axis="x", labelbottom=True)
                axes.xaxis.set_major_locator(MaxNLocator(5))
            of_row[0].set_ylabel("gap")
        figure.legend(
            handles=[_handle(name, *of[name]) for name in encoders], loc="outside upper center", ncols=4
        )
    return figure


def _draw_steps(axes: Axes, rows: pd.DataFrame, nudge: float, look: tuple[str, str]) -> None:
    colour, marker = look
    mean = rows[~rows["whole"].astype(bool)].groupby("strength")["gap"].mean()
    axes.plot(mean.index + nudge, mean, color=colour, linewidth=1.2, zorder=2)
    for row in rows_of(rows):
        place = row.strength + nudge
        if pd.notna(row.gap_low):
            axes.plot([place, place], [row.gap_low, row.gap_high], color=colour, linewidth=0.8, zorder=2)
        axes.plot(
            [place],
            [row.gap],
            color=colour,
            marker=marker,
            markersize=4,
            markerfacecolor="white" if row.whole else colour,
            linestyle="",
            zorder=3,
        )
