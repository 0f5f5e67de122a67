"""Draw the charts of calibration."""

from typing import TYPE_CHECKING

from unmask.calibration.charts import drawn_charts
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.report.chart_files import names_of, save_charts

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    files = dict(snakemake.output.items())
    save_charts(drawn_charts(inputs, params, names_of(files)), files)
