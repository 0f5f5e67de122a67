"""Draw Figure 1 of the paper and the picture of the bias scores."""

from typing import TYPE_CHECKING

from unmask.joblog import job_log
from unmask.pairs.figures import draw_bias, draw_roc
from unmask.report.figures import save
from unmask.report.study import Study
from unmask.statistics.schema import AGREEMENT, BIAS, ROC

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, output = snakemake.input, snakemake.output
    study = Study.from_config(snakemake.params.models, snakemake.params.benchmarks)
    roc, agreement = study.collect(inputs.roc, ROC), study.collect(inputs.agreement, AGREEMENT)
    save(draw_roc(study, roc, agreement), output.figure1_svg, output.figure1_png)
    save(draw_bias(study, study.collect(inputs.bias, BIAS)), output.bias_svg, output.bias_png)
