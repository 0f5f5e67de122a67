"""Figure 1 of the paper, and the picture of the bias scores."""

from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from unmask.measures.registry import title_of
from unmask.report.figures import RC, note, styles
from unmask.report.sheets import number, rows_of
from unmask.report.study import Study
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED, ORIGINAL, PROTOCOLS, PUBLISHED

BAND, UNTRAINED = "#e4e4e4", "#a8a8a8"
_PAPER_MEASURES = ("AUL", "AULA", "CPS", "SSS")


def draw_roc(study: Study, roc: pd.DataFrame, agreement: pd.DataFrame) -> Figure:
    """Figure 1: ROC curves of AUL, AULA, CPS and SSS, protocol published; a panel per model and benchmark.

    `roc` and `agreement` are of the whole study. Where the study has no curve, a figure that says so.
    """
    curves = roc[(roc["protocol"] == PUBLISHED) & roc["measure"].isin(_PAPER_MEASURES)]
    panels = [
        (model.name, benchmark.name)
        for benchmark in study.benchmarks
        for model in study.models
        if ((curves["model"] == model.name) & (curves["benchmark"] == benchmark.name)).any()
    ]
    if not panels:
        return note("Figure 1 needs a benchmark with human ratings of both kinds; this study has none.")
    areas = agreement[agreement["chosen"] & (agreement["protocol"] == PUBLISHED)].set_index(
        ["model", "benchmark", "measure"]
    )["auc"]
    style = styles(agreement["measure"])
    wide = min(3, len(panels))
    high = -(-len(panels) // wide)
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.6 * wide, 3.7 * high))
        grid = figure.subplots(high, wide, squeeze=False).ravel()
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        for axes, (model_name, benchmark_name) in zip(grid, panels, strict=False):
            axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8)
            here = curves[(curves["model"] == model_name) & (curves["benchmark"] == benchmark_name)]
            for measure, (colour, line) in style.items():
                points = here[here["measure"] == measure]
                if points.empty:
                    continue
                axes.plot(
                    points["false_positive_rate"],
                    points["true_positive_rate"],
                    color=colour,
                    linestyle=line,
                    linewidth=1.5,
                    label=f"{title_of(measure)}  {number(areas[model_name, benchmark_name, measure], 3)}",
                )
            axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
            axes.set(xlabel="false positive rate", ylabel="true positive rate")
            axes.set_title(f"{model_name}\n{benchmark_name}", fontsize=10)
            axes.legend(title="area under curve", loc="lower right", fontsize=8, title_fontsize=8)
    return figure


def draw_bias(study: Study, bias: pd.DataFrame) -> Figure:
    """Bias scores over all pairs with their intervals, before the band of what words alone give.

    A panel per benchmark, models and measures down the side; filled: published, open: corrected. The band
    is that of `corrected`; a line in it spans the scores of untrained networks, where there are some.
    `bias` is of the whole study.
    """
    overall = bias[(bias["variant"] == ORIGINAL) & (bias["grouping"] == OVERALL) & bias["score"].notna()]
    benchmarks = [b.name for b in study.benchmarks if (overall["benchmark"] == b.name).any()]
    if not benchmarks:
        return note("No bias scores.")
    style = styles(bias["measure"])
    measures = [measure for measure in style if (overall["measure"] == measure).any()]
    models = [m.name for m in study.models if (overall["model"] == m.name).any()]
    block = len(measures) + 1
    kinds = ("", "null_", "untrained_")
    low = min(40.0, 5 * (overall[[f"{kind}low" for kind in kinds]].min().min() // 5))
    high = max(60.0, 5 * -(-overall[[f"{kind}high" for kind in kinds]].max().max() // 5))
    with mpl.rc_context(RC):
        figure = Figure(figsize=(1.6 + 3.6 * len(benchmarks), 1.3 + 0.24 * block * len(models)))
        panels = figure.subplots(1, len(benchmarks), sharey=True, squeeze=False)[0]
        for axes, benchmark in zip(panels, benchmarks, strict=True):
            axes.axvline(50, color="#444444", linewidth=1)
            axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
            axes.set_axisbelow(True)
            for top, model in enumerate(models):
                here = overall[(overall["benchmark"] == benchmark) & (overall["model"] == model)]
                for row in rows_of(here):
                    place = top * block + 1 + measures.index(str(row.measure))
                    if row.protocol == CORRECTED:
                        _draw_chance(axes, row, place)
                    _draw_score(axes, row, place, style[str(row.measure)][0])
            axes.set(xlim=(low, high), xlabel="bias score (%)")
            axes.set_title(benchmark, fontsize=10)
        first = panels[0]
        first.set_ylim(block * len(models) - 0.3, -0.6)
        first.set_yticks(
            [top * block + row for top in range(len(models)) for row in range(block)],
            [label for model in models for label in (model, *map(title_of, measures))],
        )
        for top in range(len(models)):
            first.get_yticklabels()[top * block].set_fontweight("bold")
        for axes in panels:
            axes.tick_params(axis="y", length=0)
        handles: list[Artist] = [
            Line2D([], [], color="#444444", marker="o", linestyle="", markerfacecolor=fill, label=protocol)
            for protocol, fill in zip(PROTOCOLS, ("#444444", "white"), strict=True)
        ]
        if overall["null_low"].notna().any():
            handles.append(Patch(color=BAND, label="words alone"))
        if overall["untrained"].notna().any():
            handles.append(Line2D([], [], color=UNTRAINED, linewidth=2, label="untrained networks"))
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def _draw_chance(axes: Axes, row: Any, place: int) -> None:
    if pd.notna(row.null_low):
        axes.barh(place, row.null_high - row.null_low, left=row.null_low, height=0.9, color=BAND, zorder=0)
    if pd.notna(row.untrained):
        ends = [row.untrained_low, row.untrained_high]
        axes.plot(ends, [place, place], color=UNTRAINED, linewidth=2, zorder=1)


def _draw_score(axes: Axes, row: Any, place: int, colour: str) -> None:
    score = row.score
    # without an interval, where all pairs vary together, the marker stands alone
    low, high = (score if pd.isna(end) else end for end in (row.low, row.high))
    published = row.protocol == PUBLISHED
    axes.errorbar(
        [score],
        [place + (-0.17 if published else 0.17)],
        xerr=[[max(0.0, score - low)], [max(0.0, high - score)]],
        color=colour,
        marker="o",
        markersize=4,
        markerfacecolor=colour if published else "white",
        linewidth=1.1,
    )
