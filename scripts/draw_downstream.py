"""Draw the figures of downstream tasks."""

from typing import TYPE_CHECKING

from unmask.downstream.charts import NOTHING, charts
from unmask.downstream.results import Found
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.report.chart_files import names_of, save_charts

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    found = Found(dict(snakemake.input.items()), dict(snakemake.params.items()))
    files = dict(snakemake.output.items())
    drawn = charts(found, names_of(files))
    save_charts(((name, each or NOTHING[name]) for name, each in drawn), files)
