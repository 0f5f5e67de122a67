"""Draw how the margins of every measure go with the log frequency ratios of the pairs."""

from typing import TYPE_CHECKING

from unmask.frequency.charts import correlations
from unmask.frequency.link_tables import Planted, link_rows
from unmask.joblog import job_log
from unmask.report.chart_files import save_charts
from unmask.report.study import Study

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    planted = Planted.gather(study, inputs.truths, inputs.planted_pairs, inputs.planted_ratios)
    without = "No benchmark of this study has both scores and word frequencies."
    drawn = correlations(link_rows(study, inputs.link, planted)) or without
    save_charts([("link", drawn)], dict(snakemake.output.items()))
