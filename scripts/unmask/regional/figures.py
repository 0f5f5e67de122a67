"""The figures of regional bias other than its maps."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from unmask.regional.outline import Outline
from unmask.regional.picked import in_two_dimensions
from unmask.regional.tables import THOUSAND, Findings
from unmask.regional.terms import C_W, CORRECTED, FULL, MEASURES, PLAIN, VARIANTS
from unmask.report.figures import PALETTE, RC, note
from unmask.report.sheets import rows_of

DEALT, RANDOM = "#d9d9d9", "#8c8c8c"
_ROOT = "#000000"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES: tuple[Any, ...] = ("-", "--", ":")


def titled(measure: str) -> str:
    """A measure's name on an axis, with its scale."""
    return measure if measure == PLAIN else f"{measure} × 1000"


def draw_scores(found: Findings) -> Figure:
    """Scores of continents and overall with intervals by resampled words, before the bands of chance.

    A column of panels per measure, a row per variant (corrected first), models by colour. The scales of
    variants that divide by the number of pairs are logarithmic, as their scores span that much.
    """
    rows = found.chosen(MEASURES, (FULL,))
    rows = rows[rows["score"].notna()]
    if rows.empty:
        return note("No region of this study has a score.")
    models = [model.name for model in found.models if (rows["model"] == model.name).any()]
    variants = [variant for variant in reversed(VARIANTS) if (rows["variant"] == variant).any()]
    measures = [measure for measure in MEASURES if (rows["measure"] == measure).any()]
    regions = [region for region in found.outline.shown() if (rows["region"] == region).any()]
    colours = dict(zip(models, itertools.cycle(colour for colour, _ in PALETTE), strict=False))
    step = 0.8 / len(models)
    with mpl.rc_context(RC | {"font.size": 9}):
        high = 0.7 + len(regions) * (0.16 + 0.13 * len(models))
        figure = Figure(figsize=(1.3 + 2.8 * len(measures), 0.5 + high * len(variants)))
        grid = figure.subplots(len(variants), len(measures), squeeze=False, sharey=True)
        for of_row, variant in zip(grid, variants, strict=True):
            for axes, measure in zip(of_row, measures, strict=True):
                here = rows[(rows["variant"] == variant) & (rows["measure"] == measure)]
                axes.grid(axis="x", color="#ededed", linewidth=0.6)
                axes.set_axisbelow(True)
                scale = 1.0 if measure == PLAIN else THOUSAND
                for row in rows_of(here):
                    place = regions.index(row.region) + (models.index(row.model) + 0.5) * step - 0.4
                    _draw_score(axes, row, place, step, scale, colours[row.model])
                _finish_scores(axes, variant, measure, here)
            first = of_row[0]
            first.set_yticks(range(len(regions)), [found.outline.headed(region) for region in regions])
            first.set_ylim(len(regions) - 0.45, -0.55)
        for axes in grid.flat:
            axes.tick_params(axis="y", length=0)
        handles: list[Artist] = [
            Line2D([], [], color=colours[model], marker="o", markersize=4, linewidth=1.1, label=model)
            for model in models
        ]
        if rows["dealt_low"].notna().any():
            handles.append(Patch(color=DEALT, label="dealt out anew"))
        if rows["random_low"].notna().any():
            handles.append(Line2D([], [], color=RANDOM, linewidth=3, label="random vectors"))
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def _draw_score(axes: Axes, row: Any, place: float, step: float, scale: float, colour: str) -> None:
    if pd.notna(row.dealt_low):
        ends = row.dealt_low * scale, row.dealt_high * scale
        axes.barh(place, ends[1] - ends[0], left=ends[0], height=step, color=DEALT, linewidth=0, zorder=0)
    if pd.notna(row.random_low):
        ends = row.random_low * scale, row.random_high * scale
        under = place + step * 0.32
        axes.plot(ends, [under, under], color=RANDOM, linewidth=2, solid_capstyle="butt", zorder=1)
    if pd.notna(row.words_low):
        ends = row.words_low * scale, row.words_high * scale
        axes.plot(ends, [place, place], color=colour, linewidth=1.2, zorder=2)
    axes.plot([row.score * scale], [place], color=colour, marker="o", markersize=4, linestyle="", zorder=3)


def _finish_scores(axes: Axes, variant: str, measure: str, rows: pd.DataFrame) -> None:
    if rows.empty:
        axes.set_axis_off()
        return
    # scores of zero, as of equal vectors, have no logarithm
    if variant != CORRECTED and measure != PLAIN and (rows["score"] > 0).all():
        axes.set_xscale("log")
        _plain_powers(axes.xaxis, axes.get_xlim())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set_title(f"{titled(measure)}, {variant}", fontsize=9)


def _plain_powers(axis: Axis, ends: tuple[float, float]) -> None:
    """Plain numbers at powers of ten, and at twos and fives where there are few powers."""
    axis.set_major_locator(LogLocator(subs=(1.0,) if ends[1] / ends[0] > 100 else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def draw_points(outline: Outline, panels: Mapping[str, tuple[Sequence[str], npt.NDArray[Any]]]) -> Figure:
    """Regions in two dimensions: the first two principal components of their vectors (equation 2).

    panels: regions, and their vectors (regions x words), by title. Small points are regions below those of
    the root, in the colour of the one that they lie in; these are large and named.
    """
    drawn = {title: own for title, own in panels.items() if len(own[0]) > 2}
    if not drawn:
        return note("This study has too few regions to lay out in two dimensions.")
    tops = outline.tops()
    colours = dict(zip(tops, itertools.cycle(colour for colour, _ in PALETTE), strict=False))
    markers = dict(zip(tops, itertools.cycle(_MARKERS), strict=False))
    across = min(2, len(drawn))
    down = -(-len(drawn) // across)
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(6.4 if across == 1 else 9.6, 0.5 + (4.6 if across == 1 else 4.2) * down))
        grid = list(figure.subplots(down, across, squeeze=False).ravel())
        for axes in grid[len(drawn) :]:
            axes.set_axis_off()
        for axes, (title, (regions, vectors)) in zip(grid, drawn.items(), strict=False):
            points, shares = in_two_dimensions(vectors)
            for top in tops:
                below = [
                    n for n, region in enumerate(regions) if region != top and outline.top_of(region) == top
                ]
                style = {"color": colours[top], "marker": markers[top], "linestyle": ""}
                axes.plot(*points[below].T, markersize=3.5, markeredgewidth=0, alpha=0.6, **style)
            for top in tops:
                if top in regions:
                    x, y = points[list(regions).index(top)]
                    style = {"color": colours[top], "marker": markers[top]}
                    axes.plot([x], [y], markersize=10, markeredgecolor="black", markeredgewidth=1, **style)
            axes.set_title(title, fontsize=10)
            for set_label, number, share in zip(
                (axes.set_xlabel, axes.set_ylabel), ("first", "second"), shares, strict=True
            ):
                set_label(f"{number} component, {100 * share:.0f}% of the variance")
            axes.xaxis.set_major_locator(MaxNLocator(5))
            axes.yaxis.set_major_locator(MaxNLocator(5))
        handles = [
            Line2D([], [], color=colours[top], marker=markers[top], linestyle="", label=outline.names[top])
            for top in tops
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def draw_series(found: Findings, series: Sequence[Mapping[str, Any]]) -> Figure:
    """C_w against how long a model was trained, overall and by continent; a column of panels per variant, a
    row per series.

    series: for each its `name` and `models`, a list of `model` (a name of the study) and `epoch`.
    """
    rows = found.chosen((C_W,), (FULL,))
    rows = rows[rows["score"].notna()]
    epochs = {
        str(one["name"]): {str(step["model"]): float(step["epoch"]) for step in one["models"]}
        for one in series
    }
    epochs = {name: own for name, own in epochs.items() if rows["model"].isin(list(own)).any()}
    variants = [variant for variant in reversed(VARIANTS) if (rows["variant"] == variant).any()]
    if not epochs or not variants:
        return note("No model of this study was trained further on sentences about regions.")
    shown = found.outline.shown()
    looks: dict[str, tuple[str, Any, float]] = {
        region: (colour, line, 1.3)
        for region, (colour, line) in zip(found.outline.tops(), itertools.cycle(PALETTE[:-1]), strict=False)
    }
    looks[found.outline.root] = _ROOT, "-", 2.2
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(max(4.8, 3.2 * len(variants)), 0.9 + 3.0 * len(epochs)))
        grid = figure.subplots(len(epochs), len(variants), squeeze=False)
        for of_row, (name, own) in zip(grid, epochs.items(), strict=True):
            for axes, variant in zip(of_row, variants, strict=True):
                here = rows[rows["model"].isin(list(own)) & (rows["variant"] == variant)]
                here = here.assign(epoch=here["model"].map(own)).sort_values("epoch", kind="stable")
                for region in shown:
                    points = here[here["region"] == region]
                    colour, line, width = looks[region]
                    axes.plot(
                        points["epoch"],
                        points["score"] * THOUSAND,
                        marker="o",
                        markersize=3.5,
                        color=colour,
                        linestyle=line,
                        linewidth=width,
                    )
                    low, high = (points[end] * THOUSAND for end in ("words_low", "words_high"))
                    axes.fill_between(points["epoch"], low, high, color=colour, alpha=0.08, linewidth=0)
                if variant != CORRECTED and (here["score"] > 0).all():
                    axes.set_yscale("log")
                    _plain_powers(axes.yaxis, axes.get_ylim())
                axes.set_title(f"{name}, {variant}", fontsize=9)
                axes.set_xlabel("epochs")
                axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            of_row[0].set_ylabel(titled(C_W))
        handles = [
            Line2D(
                [],
                [],
                color=looks[region][0],
                linestyle=looks[region][1],
                linewidth=looks[region][2],
                label="overall" if region == found.outline.root else found.outline.names[region],
            )
            for region in shown
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure


def draw_planted(planted: pd.DataFrame, outline: Outline, alpha: float) -> Figure:
    """How often a score finds the region whose children were set apart, against how far they were.

    A panel per region, measures by colour, variants by line; the thin line is the level of the test, where a
    score that finds nothing lies. planted: PLANTED.
    """
    known = planted[planted["found"].notna()]
    if known.empty:
        return note("Nothing was planted in this study.")
    regions = known[["region", "level", "children"]].drop_duplicates().itertuples(index=False, name=None)
    panels = list(regions)
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    variants = [variant for variant in reversed(VARIANTS) if (known["variant"] == variant).any()]
    measures = [measure for measure in MEASURES if (known["measure"] == measure).any()]
    colours = dict(zip(MEASURES, (colour for colour, _ in PALETTE), strict=False))
    lines = dict(zip(reversed(VARIANTS), _LINES, strict=True))
    with mpl.rc_context(RC | {"font.size": 9}):
        figure = Figure(figsize=(max(4.8, 3.2 * across), 0.8 + 2.7 * down))
        grid = list(figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).ravel())
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        for axes, (region, level, children) in zip(grid, panels, strict=False):
            here = known[(known["region"] == region) & (known["level"] == level)]
            axes.axhline(alpha, color="#888888", linewidth=0.7)
            # several scores find the same, so that their lines lie on each other: a little apart
            pairs = list(itertools.product(measures, variants))
            nudges = np.linspace(-0.012, 0.012, len(pairs)) * float(known["strength"].max() or 1)
            for (measure, variant), nudge in zip(pairs, nudges, strict=True):
                own = here[(here["measure"] == measure) & (here["variant"] == variant)]
                own = own.sort_values("strength", kind="stable")
                if own.empty:
                    continue
                places = own["strength"] + nudge
                style = {"color": colours[measure], "linestyle": lines[variant]}
                axes.plot(places, own["found"], marker="o", markersize=3, linewidth=1.3, **style)
                axes.vlines(
                    places, own["found_low"], own["found_high"], color=colours[measure], linewidth=0.7
                )
            name = outline.names.get(region, region)
            axes.set_title(f"{name}\n({level}, {children} children)", fontsize=9)
            axes.set(ylim=(-0.03, 1.03))
        for axes in grid[: len(panels)]:
            axes.set(xlabel="strength")
        for axes in grid[::across]:
            axes.set_ylabel("share of worlds found")
        handles: list[Artist] = [
            Line2D([], [], color=colours[measure], marker="o", markersize=3, label=measure)
            for measure in measures
        ]
        handles += [Line2D([], [], color="#444444", linestyle=lines[v], label=v) for v in variants]
        handles.append(Line2D([], [], color="#888888", linewidth=0.7, label=f"level of the test ({alpha:g})"))
        figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return figure
