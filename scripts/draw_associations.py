"""Draw the figures of association tests."""

from typing import TYPE_CHECKING

from unmask.associations.drawing import drawn_figures
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.report.figures import save

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    output = dict(snakemake.output.items())
    wanted = [name.removesuffix("_svg") for name in output if name.endswith("_svg")]
    for name, figure in drawn_figures(inputs, params, wanted):
        save(figure, output[f"{name}_svg"], output[f"{name}_png"])
