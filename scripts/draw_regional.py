"""Draw the maps and the charts of regional bias."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.regional.drawing import drawn_charts
from unmask.report.panels import save_panels

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    files = dict(snakemake.output.items())
    wanted = [name.removesuffix("_svg") for name in files if name.endswith("_svg")]
    save_panels(drawn_charts(inputs, params, wanted), files)
