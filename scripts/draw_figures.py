"""Draw Figure 1 of the paper and the chart of the bias scores."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.pairs.charts import overview
from unmask.pairs.figures import draw_roc
from unmask.pairs.published import Published
from unmask.pairs.verdicts import verdicts
from unmask.report.charts import save_chart
from unmask.report.figures import note, save
from unmask.report.study import Study
from unmask.statistics.schema import AGREEMENT, BIAS, ROC
from unmask.terms import ORIGINAL

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, output = snakemake.input, snakemake.output
    study = Study.from_config(snakemake.params.models, snakemake.params.benchmarks)
    roc, agreement = study.collect(inputs.roc, ROC), study.collect(inputs.agreement, AGREEMENT)
    save(draw_roc(study, roc, agreement), output.figure1_svg, output.figure1_png)
    bias = study.collect(inputs.bias, BIAS)
    bias = bias.assign(verdict=verdicts(bias))[bias["variant"] == ORIGINAL]
    drawn = overview(study, bias, Published.from_file(inputs.published))
    if drawn:
        save_chart(drawn, output.bias_svg, output.bias_png)
    else:
        save(note("No bias scores."), output.bias_svg, output.bias_png)
