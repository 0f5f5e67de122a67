"""Figure 1 of the paper."""

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from unmask.measures.registry import title_of
from unmask.report.figures import RC, note, styles
from unmask.report.sheets import number
from unmask.report.study import Study
from unmask.terms import PUBLISHED

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
