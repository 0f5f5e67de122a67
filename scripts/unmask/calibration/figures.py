"""The figures of calibration."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from scipy.special import logit

from unmask.calibration.over_models import margins_of_models, over_models
from unmask.calibration.results import TOLD, Found
from unmask.calibration.tables import ALARMS, COMPARED, beside_chance
from unmask.measures.registry import title_of
from unmask.report.figures import MARKERS, PALETTE, RC, note
from unmask.report.sheets import rows_of

ACROSS = 4
"""Panels in a row."""

STEPS = [1, 2, 2.5, 5, 10]
"""Between marks of an axis, in powers of ten."""

SMALL = RC | {"font.size": 8.5}
GREY = "#888888"
EXACT: dict[str, tuple[str, Any]] = {
    "oracle": ("trusting what it sees", "-"),
    "exact": ("knowing the corruption", "--"),
}
"""Roles of perfect models: what is said of them, and their lines."""

ALONE, TOGETHER = "frequency", "both"
"""Factors that have frequencies: without an association, and with one."""

RATIOS = LinearSegmentedColormap.from_list("ratios", ["#B9D6EA", "#0072B2", "#00243A"])
"""Light to dark: told apart in grey."""


def looks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each name."""
    return {name: (PALETTE[n % len(PALETTE)][0], MARKERS[n % len(MARKERS)]) for n, name in enumerate(names)}


def _panels(measures: Sequence[str]) -> tuple[Figure, dict[str, Axes]]:
    """A figure with a panel for each measure, under its title."""
    across = min(ACROSS, len(measures))
    down = -(-len(measures) // across)
    figure = Figure(figsize=(max(5.0, 0.3 + 2.35 * across), 0.6 + 2.2 * down))
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes in grid[len(measures) :]:
        axes.set_axis_off()
    panels = dict(zip(measures, grid, strict=False))
    for measure, axes in panels.items():
        axes.set_title(title_of(measure), fontsize=9)
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=STEPS))
    return figure, panels


def _bounded(axes: Axes, values: "pd.Series[float]") -> None:
    """A panel on which all is rounding shows a line at 0, not the rounding."""
    if not (values.abs() > 1e-6).any():
        axes.set_ylim(-1, 1)


def _nothing(axes: Axes) -> None:
    axes.axhline(0, color="#cccccc", linewidth=0.7, zorder=0)


def _mark(
    axes: Axes,
    x: float,
    row: Any,
    value: str,
    ends: tuple[str, str],
    look: tuple[str, str],
    hollow: bool = False,
) -> None:
    """A mark with its interval, where it has one."""
    colour, marker = look
    low, high = (getattr(row, end) for end in ends)
    if pd.notna(low) and pd.notna(high):
        axes.plot([x, x], [low, high], color=colour, linewidth=1.0, zorder=2)
    axes.plot(
        [x],
        [getattr(row, value)],
        color=colour,
        marker=marker,
        markersize=4,
        markerfacecolor="white" if hollow else colour,
        linestyle="",
        zorder=3,
    )


def _handle(label: str, look: tuple[str, str]) -> Line2D:
    colour, marker = look
    return Line2D([], [], color=colour, marker=marker, markersize=4, linestyle="", label=label)


def _line(label: str, line: Any, colour: str = "#222222") -> Line2D:
    return Line2D([], [], color=colour, linestyle=line, linewidth=1.2, label=label)


MARGIN = ("margin", ("margin_low", "margin_high"))


def draw_response(found: Found) -> Figure:
    """Margin against planted log-odds, a panel per measure; lines are perfect models, marks trained ones."""
    doses = found.doses[found.doses["factor"] == "association"]
    rows = margins_of_models(doses, ["p"])
    if rows.empty:
        return note("No world of this study has an association.")
    rows["x"] = logit(rows["p"])
    exact = over_models(
        rows[rows["role"].isin(list(EXACT))], ["measure", "role", "x"], ["margin"], found.confidence
    )
    trained = over_models(
        rows[rows["role"] == "trained"], ["measure", "architecture", "x"], ["margin"], found.confidence
    )
    names = sorted(trained["architecture"].drop_duplicates())
    of = looks(names)
    step = 0.02 * float(np.ptp(rows["x"].to_numpy()))
    with mpl.rc_context(SMALL):
        figure, panels = _panels(_measures(rows))
        for measure, axes in panels.items():
            _nothing(axes)
            for role, (_, line) in EXACT.items():
                own = exact[(exact["measure"] == measure) & (exact["role"] == role)].sort_values("x")
                axes.plot(own["x"], own["margin"], color="#222222", linestyle=line, linewidth=1.2, zorder=1)
            for row in rows_of(trained[trained["measure"] == measure]):
                aside = (names.index(row.architecture) - (len(names) - 1) / 2) * step
                _mark(axes, row.x + aside, row, *MARGIN, of[row.architecture])
            _bounded(axes, rows.loc[rows["measure"] == measure, "margin"])
        handles: list[Artist] = [
            _line(f"perfect model, {told}", line)
            for role, (told, line) in EXACT.items()
            if (exact["role"] == role).any()
        ]
        handles += [_handle(name, of[name]) for name in names]
        _finish(figure, handles, "planted log-odds", "margin")
    return figure


def _finish(figure: Figure, handles: Sequence[Artist], below: str, beside: str, columns: int = 5) -> None:
    """The legend, and what all panels have on their axes."""
    figure.supxlabel(below, fontsize=9)
    figure.supylabel(beside, fontsize=9)
    figure.legend(handles=list(handles), loc="outside upper center", ncols=columns)


def _measures(rows: pd.DataFrame) -> list[str]:
    return list(rows["measure"].drop_duplicates())


def draw_frequency(found: Found) -> Figure:
    """Margin against the log ratio towards the group of the stereotypical sentence, a panel per measure."""
    doses = found.doses[found.doses["factor"].isin([ALONE, TOGETHER])]
    # of groups that are equally frequent neither is the rarer
    sign = np.where(doses["direction"] == "stereo", -1, 1)
    rows = margins_of_models(doses.assign(x=sign * np.log(doses["ratio"]) + 0.0), ["factor", "x"])
    if rows.empty:
        return note("No world of this study has groups of unequal frequency.")
    keys = ["measure", "factor", "x"]
    exact = over_models(rows[rows["role"] == "oracle"], keys, ["margin"], found.confidence)
    trained = over_models(rows[rows["role"] == "trained"], keys, ["margin"], found.confidence)
    of = looks([ALONE, TOGETHER])
    with mpl.rc_context(SMALL):
        figure, panels = _panels(_measures(rows))
        for measure, axes in panels.items():
            _nothing(axes)
            axes.axvline(0, color="#cccccc", linewidth=0.7, zorder=0)
            for factor, look in of.items():
                own = exact[(exact["measure"] == measure) & (exact["factor"] == factor)].sort_values("x")
                axes.plot(own["x"], own["margin"], color=look[0], linewidth=1.2, zorder=1)
                points = trained[(trained["measure"] == measure) & (trained["factor"] == factor)]
                for row in rows_of(points):
                    _mark(axes, row.x, row, *MARGIN, look)
            _bounded(axes, rows.loc[rows["measure"] == measure, "margin"])
        planted = doses.loc[doses["factor"] == TOGETHER, "p"].drop_duplicates()
        told = {ALONE: "nothing associated", TOGETHER: f"associated (p = {_listed(planted)})"}
        handles: list[Artist] = [_line("perfect model", "-", GREY)] if len(exact) else []
        if len(trained):
            handles.append(_handle("trained models", (GREY, MARKERS[0])))
        drawn = set(rows["factor"])
        handles += [_handle(told[factor], look) for factor, look in of.items() if factor in drawn]
        below = "log frequency ratio: opposed to the stereotype (left), aligned with it (right)"
        _finish(figure, handles, below, "margin")
    return figure


def _listed(values: "pd.Series[float]") -> str:
    return ", ".join(f"{value:g}" for value in sorted(values))


def draw_power(found: Found) -> Figure:
    """Power against the number of pairs above, false alarms by condition below; oracle and trained models."""
    rows = found.merits[found.merits["kind"].isin(TOLD)]
    power = _by_number(rows[rows["merit"] == "power"])
    alarms = beside_chance(rows)
    alarms = alarms[(alarms["merit"] == ALARMS) & alarms["value"].notna()]
    if power.empty and alarms.empty:
        return note("No power and no false alarms are known in this study.")
    shown = pd.concat([power, alarms])
    measures = _measures(found.merits[found.merits["measure"].isin(shown["measure"])])
    kinds = [kind for kind in TOLD if (shown["kind"] == kind).any()]
    conditions = list(alarms["condition"].drop_duplicates())
    of, of_condition = looks(measures), looks(conditions)
    with mpl.rc_context(SMALL):
        # names of measures stand to the left
        figure = Figure(figsize=(1.3 + 4.1 * len(kinds), 3.4 + 0.5 * len(measures)))
        halves: Any = figure.subfigures(2, 1, height_ratios=(3.0, 0.6 + 0.5 * len(measures)))
        above, below = halves
        upper = _row(above, kinds)
        upper[0].set_ylabel("power, %")
        for axes, kind in zip(upper, kinds, strict=True):
            _draw_power(axes, power[power["kind"] == kind], measures, of)
            axes.set_title(_TOLD[kind], fontsize=9)
        above.legend(
            handles=[_handle(title_of(name), of[name]) for name in measures],
            loc="outside upper center",
            ncols=len(measures),
        )
        lower = _row(below, kinds)
        for axes, kind in zip(lower, kinds, strict=True):
            _draw_alarms(axes, alarms[alarms["kind"] == kind], measures, of_condition, found.nominal)
            axes.set_title(_TOLD[kind], fontsize=9)
        lower[0].set_yticks(range(len(measures)), [title_of(name) for name in measures])
        below.legend(
            handles=[_handle(name, of_condition[name]) for name in conditions],
            loc="outside upper center",
            ncols=max(1, len(conditions)),
        )
    return figure


_TOLD: Mapping[str, str] = {"oracle": "perfect models", "trained": "trained models"}


def _row(figure: Any, kinds: Sequence[str]) -> list[Axes]:
    return list(figure.subplots(1, len(kinds), squeeze=False, sharey=True)[0])


def _by_number(rows: pd.DataFrame) -> pd.DataFrame:
    """Power with the number of pairs as a column, without that by pairs a word."""
    number = rows["condition"].str.extract(r"^n=(\d+)$")[0]
    known = rows["value"].notna() & number.notna()
    return rows[known].assign(number=number[known].astype(float))


def _draw_power(
    axes: Axes, rows: pd.DataFrame, measures: Sequence[str], of: Mapping[str, tuple[str, str]]
) -> None:
    # where measures agree their marks would hide each other
    spread = np.exp(np.linspace(-0.07, 0.07, len(measures))) if len(measures) > 1 else np.ones(1)
    axes.axhline(80, color=GREY, linewidth=0.8, linestyle=":", zorder=0)
    for measure, aside in zip(measures, spread, strict=True):
        own = rows[rows["measure"] == measure].sort_values("number")
        axes.plot(own["number"] * aside, own["value"], color=of[measure][0], linewidth=0.9, zorder=1)
        for row in rows_of(own):
            _mark(axes, row.number * aside, row, "value", ("low", "high"), of[measure])
    axes.set_xscale("log")
    numbers = sorted(rows["number"].unique())
    axes.set_xticks(numbers, [f"{number:g}" for number in numbers])
    if numbers:
        axes.set_xlim(numbers[0] / 1.3, numbers[-1] * 1.3)
    axes.minorticks_off()
    axes.set(xlabel="pairs", ylim=(-4, 104))


def _draw_alarms(
    axes: Axes,
    rows: pd.DataFrame,
    measures: Sequence[str],
    of: Mapping[str, tuple[str, str]],
    nominal: float,
) -> None:
    step = 0.8 / max(1, len(of))
    axes.axvline(nominal, color=GREY, linewidth=0.8, linestyle=":", zorder=0)
    for place in range(1, len(measures), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", linewidth=0, zorder=-1)
    for row in rows_of(rows):
        y = measures.index(row.measure) + (list(of).index(row.condition) + 0.5) * step - 0.4
        colour, marker = of[row.condition]
        if pd.notna(row.low):
            axes.plot([row.low, row.high], [y, y], color=colour, linewidth=1.0, zorder=2)
        if pd.notna(row.chance):
            axes.plot([row.chance], [y], color=colour, marker="|", markersize=6, linestyle="", zorder=1)
        axes.plot([row.value], [y], color=colour, marker=marker, markersize=4, linestyle="", zorder=3)
    axes.set(xlim=(-3, 103), ylim=(len(measures) - 0.5, -0.5), xlabel="false alarms, %")
    axes.tick_params(axis="y", length=0)


def draw_worlds(found: Found) -> Figure:
    """The oracle over drawn worlds: margin of pairs on the rarer faith against log-odds, by the log ratio."""
    rows = found.drawn[found.drawn["stereo_margin"].notna()]
    if rows.empty:
        return note("No worlds are drawn in this study.")
    rows = rows.assign(x=logit(rows["p"]), shade=np.log(rows["ratio"]))
    norm = Normalize(0, max(1e-9, float(rows["shade"].max())))
    with mpl.rc_context(SMALL):
        figure, panels = _panels(_measures(rows))
        for measure, axes in panels.items():
            own = rows[rows["measure"] == measure]
            _nothing(axes)
            axes.scatter(
                own["x"], own["stereo_margin"], c=own["shade"], cmap=RATIOS, norm=norm, s=9, linewidths=0
            )
            _bounded(axes, own["stereo_margin"])
        shades = mpl.cm.ScalarMappable(norm, RATIOS)
        figure.colorbar(
            shades,
            ax=list(panels.values()),
            location="right",
            label="log frequency ratio",
            aspect=40,
            pad=0.01,
        )
        figure.supxlabel("planted log-odds", fontsize=9)
        figure.supylabel("margin of pairs on disadvantaged faiths", fontsize=9)
    return figure


STRENGTHS = {"association": "per log-odds", "frequency": "per log ratio", "exchange": "exchange"}


def draw_kept(found: Found) -> Figure:
    """Strengths of association and frequency, and their exchange, against how far what is seen is right."""
    rows = found.kept[found.kept["measure"].isin(list(COMPARED))]
    # which is what prediction of visible words hangs on
    rows = rows.assign(right=rows["kept"] / (rows["kept"] + rows["random"]))
    if rows.empty:
        return note("This study asks nothing of keep rates.")
    measures = [name for name in COMPARED if (rows["measure"] == name).any()]
    trained = rows[rows["context"].isna()]
    architectures = sorted(trained["architecture"].drop_duplicates())
    of = looks(architectures)
    # models of one keep rate would hide each other
    step = 0.02
    contexts = {"trusted": "oracle", "corrupted": "exact"}
    with mpl.rc_context(SMALL):
        figure = Figure(figsize=(0.5 + 2.3 * max(2, len(measures)), 0.9 + 1.75 * len(STRENGTHS)))
        grid = figure.subplots(len(STRENGTHS), len(measures), squeeze=False, sharex=True)
        for across, (strength, told) in zip(grid, STRENGTHS.items(), strict=True):
            across[0].set_ylabel(told)
            for axes, measure in zip(across, measures, strict=True):
                own = rows[(rows["measure"] == measure) & rows[strength].notna()]
                _nothing(axes)
                for context, role in contexts.items():
                    _draw_kept_line(axes, own[own["context"] == context], strength, EXACT[role][1])
                for row in rows_of(own[own["context"].isna()]):
                    aside = (architectures.index(row.architecture) - (len(architectures) - 1) / 2) * step
                    _mark_kept(axes, row.right + aside, row, strength, of[row.architecture])
                _bounded(axes, own[strength])
                axes.yaxis.set_major_locator(MaxNLocator(4, steps=STEPS))
                axes.margins(y=0.12)
        for axes, measure in zip(grid[0], measures, strict=True):
            axes.set_title(title_of(measure), fontsize=9)
        handles: list[Artist] = [
            _line(f"perfect model, {EXACT[role][0]}", EXACT[role][1])
            for context, role in contexts.items()
            if (rows["context"] == context).any()
        ]
        handles += [_handle(name, of[name]) for name in architectures]
        hollow = _handle("no random tokens", (GREY, "o"))
        hollow.set_markerfacecolor("white")
        handles += [hollow] if (rows["random"] == 0).any() else []
        figure.supxlabel("share of right tokens among those that training asks for and shows", fontsize=9)
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def _draw_kept_line(axes: Axes, rows: pd.DataFrame, strength: str, line: str) -> None:
    for _, part in rows[rows["random"] > 0].sort_values("right").groupby("random"):
        axes.plot(part["right"], part[strength], color="#222222", linestyle=line, linewidth=1.2, zorder=1)
    for row in rows_of(rows[rows["random"] == 0]):
        _mark_kept(axes, row.right, row, strength, ("#222222", "o"))


def _mark_kept(axes: Axes, x: float, row: Any, strength: str, look: tuple[str, str]) -> None:
    colour, marker = look
    axes.plot(
        [x],
        [getattr(row, strength)],
        color=colour,
        marker=marker,
        markersize=4,
        markerfacecolor="white" if row.random == 0 else colour,
        linestyle="",
        zorder=3,
    )
