"""Draw how often corpora use the words of each group."""

from typing import TYPE_CHECKING

from unmask.frequency.charts import frequencies
from unmask.frequency.table2 import collect_words
from unmask.joblog import job_log
from unmask.report.chart_files import save_charts

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    without = "No benchmark of this study says which group a sentence names."
    drawn = frequencies(collect_words(snakemake.input.words)) or without
    save_charts([("frequency", drawn)], dict(snakemake.output.items()))
