"""Draw the margins of every measure against the log frequency ratios of the pairs."""

from typing import TYPE_CHECKING

from unmask.frequency.schema import LINK
from unmask.joblog import job_log
from unmask.measures.schema import SCORES
from unmask.report.figures import save
from unmask.report.frequency import collect_ratios
from unmask.report.frequency_figures import draw_link
from unmask.report.study import Study

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    made_from, params = snakemake.input, snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    scores, link = study.collect(made_from.scores, SCORES), study.collect(made_from.link, LINK)
    figure = draw_link(study, scores, collect_ratios(made_from.ratios), link)
    save(figure, snakemake.output.link_svg, snakemake.output.link_png)
