"""The figures on word frequency."""

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.measures.registry import title_of
from unmask.report.figures import RC, note, styles
from unmask.report.sheets import number
from unmask.report.study import Study
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED

_COLOURS = {ADVANTAGED: "#0072B2", DISADVANTAGED: "#D55E00"}
_MARKERS = {ADVANTAGED: "o", DISADVANTAGED: "s"}
_OFFSETS = {ADVANTAGED: -0.18, DISADVANTAGED: 0.18}


def draw_frequencies(words: pd.DataFrame) -> Figure:
    """How often corpora use the words extracted for each group.

    A panel per benchmark, bias types down the side.

    words: GROUP_WORDS with a column benchmark. A marker is a word, the thick bar the group's median, the thin
    one its quartiles. A word that no corpus has stands, hollow, at the left edge.
    """
    extracted = words[words["words_from"] == EXTRACTED]
    benchmarks = extracted["benchmark"].drop_duplicates().tolist()
    if not benchmarks:
        return note("No benchmark of this study says which group a sentence names.")
    types = {name: extracted.loc[extracted["benchmark"] == name, "bias_type"].unique() for name in benchmarks}
    seen = extracted.loc[extracted["count"] > 0, "per_million"]
    edge = seen.min() / 2 if len(seen) else 1.0
    with mpl.rc_context(RC):
        figure = Figure(figsize=(1.4 + 4.6 * len(benchmarks), 1.4 + 0.45 * max(map(len, types.values()))))
        panels = figure.subplots(1, len(benchmarks), sharex=True, squeeze=False)[0]
        for axes, name in zip(panels, benchmarks, strict=True):
            shown = extracted[extracted["benchmark"] == name]
            axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
            axes.set_axisbelow(True)
            for place, bias_type in enumerate(types[name]):
                for group in GROUPS:
                    own = shown[(shown["bias_type"] == bias_type) & (shown["group"] == group)]
                    _draw_group(axes, own, group, place + _OFFSETS[group], edge)
            axes.set(xscale="log", xlabel="per million words")
            _label_powers(axes)
            axes.set_title(name, fontsize=10)
            axes.set_yticks(range(len(types[name])), types[name])
            axes.set_ylim(len(types[name]) - 0.5, -0.5)
            axes.tick_params(axis="y", length=0)
        handles = [
            Line2D([], [], color=_COLOURS[group], marker=_MARKERS[group], linestyle="", label=group)
            for group in GROUPS
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def _draw_group(axes: Axes, words: pd.DataFrame, group: str, place: float, edge: float) -> None:
    colour = _COLOURS[group]
    frequency = words["per_million"].clip(lower=edge)
    for known, fill in ((words["count"] > 0, colour), (words["count"] == 0, "none")):
        axes.plot(
            frequency[known],
            [place] * int(known.sum()),
            linestyle="",
            marker=_MARKERS[group],
            markersize=3.5,
            markeredgewidth=0.6,
            color=colour,
            markerfacecolor=fill,
            alpha=0.45,
        )
    if len(words):
        low, middle, high = frequency.quantile([0.25, 0.5, 0.75])
        axes.plot([low, high], [place, place], color=colour, linewidth=1.2)
        axes.plot([middle, middle], [place - 0.14, place + 0.14], color=colour, linewidth=2.5)


def _label_powers(axes: Axes) -> None:
    """Plain numbers at powers of ten, and at twos and fives where there are few powers."""
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high / low > 1000 else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _fit_margins(axes: Axes, sizes: "pd.Series[float]") -> None:
    """A scale that is linear for most margins and logarithmic for those far out; ticks hold nine tenths."""
    most, edge = float(sizes.quantile(0.75)), float(sizes.quantile(0.9))
    if most > 0:
        axes.set_yscale("asinh", linear_width=most)
        axes.set_yticks([-edge, 0, edge], [f"{tick:.2g}" for tick in (-edge, 0, edge)])
        axes.yaxis.set_minor_locator(NullLocator())


def draw_link(study: Study, scores: pd.DataFrame, ratios: pd.DataFrame, link: pd.DataFrame) -> Figure:
    """Margins (protocol corrected) against log frequency ratios, with Spearman's correlation over all pairs.

    A row of panels per benchmark and model, a column per measure; the scale of margins bends from linear to
    logarithmic, as some lie far out. scores, link: of the whole study, with the columns model and benchmark;
    ratios: with the column benchmark. Points are drawn as a picture, also in SVG: there are tens of
    thousands.
    """
    rows = [
        (benchmark.name, model.name)
        for benchmark in study.benchmarks
        for model in study.models
        if ((scores["benchmark"] == benchmark.name) & (scores["model"] == model.name)).any()
        and (ratios["benchmark"] == benchmark.name).any()
    ]
    if not rows:
        return note("No benchmark of this study has both scores and word frequencies.")
    corrected = scores[scores["protocol"] == CORRECTED]
    points = corrected.merge(ratios, on=["benchmark", "pair_id"])
    chosen = link[(link["protocol"] == CORRECTED) & (link["grouping"] == OVERALL)]
    rho = chosen.set_index(["benchmark", "model", "measure"])["rho"]
    style = styles(link["measure"])
    measures = [measure for measure in style if (points["measure"] == measure).any()]
    with mpl.rc_context(RC | {"font.size": 8}):
        figure = Figure(figsize=(1.0 + 1.7 * len(measures), 0.8 + 1.4 * len(rows)))
        grid = figure.subplots(len(rows), len(measures), squeeze=False, sharex=True)
        for of_row, (benchmark, model) in zip(grid, rows, strict=True):
            here = points[(points["benchmark"] == benchmark) & (points["model"] == model)]
            for axes, measure in zip(of_row, measures, strict=True):
                shown = here[here["measure"] == measure]
                colour, _ = style[measure]
                axes.axhline(0, color="#bbbbbb", linewidth=0.6)
                axes.axvline(0, color="#bbbbbb", linewidth=0.6)
                axes.plot(
                    shown["log_ratio"],
                    shown["margin"],
                    linestyle="",
                    marker=".",
                    markersize=3,
                    markeredgewidth=0,
                    color=colour,
                    alpha=0.4,
                    rasterized=True,
                )
                _fit_margins(axes, shown["margin"].abs())
                text = number(rho.get((benchmark, model, measure)), signed=True)
                axes.set_title(f"{title_of(measure)}  ρ {text}", fontsize=8)
            of_row[0].set_ylabel(f"{benchmark}\n{model}\nmargin", fontsize=8)
        for axes in grid[-1]:
            axes.set_xlabel("log frequency ratio")
    return figure
