"""Maps of countries: Figures 1 and 4 of the paper."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path as Line
from matplotlib.ticker import MaxNLocator

from unmask.regional.borders import (
    Points,
    flat,
    outline,
    placed,
    read_borders,
    read_places,
)
from unmask.report.figures import RC, note

SEA, EDGE, BORDER = "#f4f7f9", "#b9c2c8", "#ffffff"
NO_SCORE, HATCH = "#ececec", "#bcbcbc"
COLOURS = "viridis_r"
CLASSES = 7
"""Colours of a scale, at the most."""

TAIL = 0.02
"""The share of countries at either end of a scale whose numbers its classes need not span: a few small
countries would take all of its colours."""

BELOW, WITHIN, BEYOND = "below its band", "within its band", "above its band"
POSITIONS = {BELOW: "#0072B2", WITHIN: "#e9d8a6", BEYOND: "#D55E00"}
"""Where a score lies, and in which colour."""


@dataclass(frozen=True)
class Atlas:
    """Countries as they lie on the map, by ISO 3166-1 numeric code.

    shapes: closed lines; markers: where those lie that are too small for a shape; others: land without a
    code.
    """

    shapes: Mapping[int, Line]
    markers: Mapping[int, tuple[float, float]]
    others: Line | None

    @classmethod
    def read(cls, borders: str | Path, places: str | Path) -> "Atlas":
        """Raises InputError where a file is not what it should be."""
        shapes: dict[int, list[Points]] = {}
        others: list[Points] = []
        for country in read_borders(borders):
            lines = others if country.code is None else shapes.setdefault(country.code, [])
            for ring in country.rings:
                lines += flat(ring)
        known = {code: _joined(lines) for code, lines in shapes.items() if lines}
        small = {code: placed(*place) for code, place in read_places(places).items() if code not in known}
        return cls(known, small, _joined(others) if others else None)

    def drawn(self, code: int) -> bool:
        """Whether it has a country of this code."""
        return code in self.shapes or code in self.markers

    def not_drawn(self, codes: Iterable[int]) -> list[int]:
        """Those of these codes that it has no country of."""
        return [code for code in codes if not self.drawn(code)]


def _joined(lines: Sequence[Points]) -> Line:
    return Line.make_compound_path(*(Line(line, closed=True) for line in lines))


def draw_values(
    atlas: Atlas, panels: Mapping[str, "pd.Series[float]"], label: str, missing: str = "no score"
) -> Figure:
    """Numbers of countries in the colours of a scale, one map and one scale for each panel.

    panels: numbers by country's code, by title; null, and a country that is not there, is hatched, and
    called `missing`. label: of the scale.
    """
    if not any(values.notna().any() for values in panels.values()):
        return note("No country of this study has a number for this map.")
    with mpl.rc_context(RC):
        figure, grid, size = _grid(len(panels), scaled=True)
        for axes, (title, values) in zip(grid, panels.items(), strict=False):
            known = values.dropna()
            _draw_sea(axes, title)
            if known.empty:
                _draw_countries(axes, atlas, {}, size)
                continue
            levels = _levels(known)
            norm = BoundaryNorm(levels, mpl.colormaps[COLOURS].N, extend="both")
            colours = {code: mpl.colormaps[COLOURS](norm(value)) for code, value in known.items()}
            _draw_countries(axes, atlas, colours, size)
            scale = figure.colorbar(
                ScalarMappable(norm, COLOURS),
                ax=axes,
                orientation="horizontal",
                fraction=0.05,
                pad=0.01,
                aspect=45,
                shrink=0.7,
                label=label,
            )
            scale.outline.set_visible(False)
            scale.ax.tick_params(length=0)
        _legend(figure, [], missing)
    return figure


def draw_positions(atlas: Atlas, panels: Mapping[str, "pd.Series[str]"]) -> Figure:
    """Where the scores of countries lie: panels as for `draw_values`, with one of POSITIONS for each."""
    if not any(values.notna().any() for values in panels.values()):
        return note("No country of this study has a score with a band.")
    with mpl.rc_context(RC):
        figure, grid, size = _grid(len(panels), scaled=False)
        for axes, (title, values) in zip(grid, panels.items(), strict=False):
            _draw_sea(axes, title)
            colours = {code: POSITIONS[where] for code, where in values.dropna().items()}
            _draw_countries(axes, atlas, colours, size)
        _legend(figure, [Patch(color=colour, label=where) for where, colour in POSITIONS.items()], "no score")
    return figure


def position(score: float, low: float, high: float) -> str | None:
    """Which of POSITIONS a score has; None without a score or a band."""
    if pd.isna(score) or pd.isna(low) or pd.isna(high):
        return None
    return BELOW if score < low else BEYOND if score > high else WITHIN


def _levels(values: "pd.Series[float]") -> list[float]:
    """The ends of the classes of a scale: round numbers over all but the TAIL at either end."""
    low, high = (float(end) for end in values.quantile([TAIL, 1 - TAIL]))
    if high <= low:
        low, high = low - abs(low) * 0.01 - 1e-9, high + abs(high) * 0.01 + 1e-9
    return list(MaxNLocator(CLASSES, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high))


def _grid(panels: int, scaled: bool) -> tuple[Figure, list[Axes], float]:
    """As many axes as panels, in one column or, from three on, in two; and the size of circles (points²)."""
    across = 1 if panels < 3 else 2
    down = -(-panels // across)
    width = 9.6 / across
    figure = Figure(figsize=(9.6, 0.4 + down * (0.45 * width + (0.75 if scaled else 0.3))))
    grid = list(figure.subplots(down, across, squeeze=False).ravel())
    for axes in grid:
        axes.set_axis_off()
    return figure, grid, 20.0 / across


def _draw_sea(axes: Axes, title: str) -> None:
    edge = outline()
    axes.fill(*edge.T, color=SEA, zorder=0)
    axes.plot(*edge.T, color=EDGE, linewidth=0.6, zorder=4)
    axes.set_title(title, fontsize=10)
    axes.set(xlim=(edge[:, 0].min(), edge[:, 0].max()), ylim=(edge[:, 1].min(), edge[:, 1].max()))
    axes.set_aspect("equal")


def _draw_countries(axes: Axes, atlas: Atlas, colours: Mapping[Any, Any], size: float) -> None:
    """Countries in their colours, small ones as circles of a size (points²); hatched those that have none."""
    own = {int(code): colour for code, colour in colours.items()}
    without = [line for code, line in atlas.shapes.items() if code not in own]
    without += [] if atlas.others is None else [atlas.others]
    if without:
        land = Line.make_compound_path(*without)
        axes.add_collection(
            PathCollection([land], facecolor=NO_SCORE, edgecolor=HATCH, hatch="/////", linewidth=0, zorder=1)
        )
    there = [code for code in atlas.shapes if code in own]
    axes.add_collection(
        PathCollection(
            [atlas.shapes[code] for code in there],
            facecolors=[own[code] for code in there],
            edgecolors=BORDER,
            linewidths=0.35,
            zorder=2,
        )
    )
    small = [code for code in atlas.markers if code in own]
    if small:
        places = np.array([atlas.markers[code] for code in small])
        fills = [own[code] for code in small]
        axes.scatter(
            places[:, 0],
            places[:, 1],
            s=size,
            facecolors=fills,
            edgecolors="#444444",
            linewidths=0.5,
            zorder=3,
        )


def _legend(figure: Figure, own: Sequence[Patch], missing: str) -> None:
    handles: list[Patch | Line2D] = [
        *own,
        Patch(facecolor=NO_SCORE, edgecolor=HATCH, hatch="/////", linewidth=0, label=missing),
        Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            markerfacecolor="white",
            markeredgecolor="#444444",
            markersize=5,
            label="a country too small for its shape",
        ),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9)
