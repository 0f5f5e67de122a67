"""Draw the figures of calibration."""

from functools import partial
from typing import TYPE_CHECKING

from unmask.calibration.drawing import drawn_figures
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.report.figures import save_drawn

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    save_drawn(partial(drawn_figures, inputs, params), dict(snakemake.output.items()))
