"""Draw Figure 1 of the paper and the chart of the bias scores."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.pairs.agreement_charts import curves
from unmask.pairs.charts import overview
from unmask.pairs.published import Published
from unmask.pairs.verdicts import verdicts
from unmask.report.chart_files import save_charts
from unmask.report.study import Study
from unmask.statistics.schema import AGREEMENT, BIAS, ROC, ROC_BANDS
from unmask.terms import ORIGINAL

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, output = snakemake.input, snakemake.output
    study = Study.from_config(snakemake.params.models, snakemake.params.benchmarks)
    roc, bands = study.collect(inputs.roc, ROC), study.collect(inputs.roc_bands, ROC_BANDS)
    figure1 = curves(roc, bands, study.collect(inputs.agreement, AGREEMENT))
    without = "Figure 1 needs a benchmark with human ratings of both kinds; this study has none."
    bias = study.collect(inputs.bias, BIAS)
    bias = bias.assign(verdict=verdicts(bias))[bias["variant"] == ORIGINAL]
    scores = overview(study, bias, Published.from_file(inputs.published))
    charts = [("figure1", figure1 or without), ("bias", scores or "No bias scores.")]
    save_charts(charts, dict(output.items()))
