"""Draw the margins of every measure against the log frequency ratios of the pairs."""

from typing import TYPE_CHECKING

from unmask.frequency.figures import draw_link
from unmask.frequency.schema import LINK, PAIR_RATIOS
from unmask.joblog import job_log
from unmask.measures.schema import SCORES
from unmask.report.figures import save
from unmask.report.study import Study, collect_by_benchmark

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    scores, link = study.collect(inputs.scores, SCORES), study.collect(inputs.link, LINK)
    figure = draw_link(study, scores, collect_by_benchmark(inputs.ratios, PAIR_RATIOS), link)
    save(figure, snakemake.output.link_svg, snakemake.output.link_png)
