"""Draw what debiasing changes of bias scores."""

from typing import TYPE_CHECKING

from unmask.debiasing.changed import changed_scores
from unmask.debiasing.charts import scores_changed
from unmask.joblog import job_log
from unmask.report.chart_files import save_charts

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

NOTHING = "No bias score of this study compares a debiased model with the one that it was made from."

with job_log(snakemake.log[0], snakemake.input):
    settings = snakemake.params.settings
    drawn = scores_changed(changed_scores(snakemake.input.comparisons, settings), settings["models"])
    output = {f"changes_{form}": path for form, path in snakemake.output.items()}
    save_charts([("changes", drawn or NOTHING)], output)
