"""Draw how often corpora use the words of each group."""

from typing import TYPE_CHECKING

from unmask.frequency.figures import draw_frequencies
from unmask.frequency.table2 import collect_words
from unmask.joblog import job_log
from unmask.report.figures import save

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    figure = draw_frequencies(collect_words(snakemake.input.words))
    save(figure, snakemake.output.frequency_svg, snakemake.output.frequency_png)
