"""Draw what debiasing changes of bias scores."""

from typing import TYPE_CHECKING

from unmask.debiasing.figures import draw_scores_changed
from unmask.joblog import job_log
from unmask.report.figures import save

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    settings = snakemake.params.settings
    figure = draw_scores_changed(
        list(snakemake.input.comparisons), settings["models"], settings["benchmarks"], settings["measures"]
    )
    save(figure, snakemake.output.svg, snakemake.output.png)
