"""Gather how every measure goes with word frequency into one table."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.report.frequency import Planted, link_rows
from unmask.report.study import Study

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0]):
    made_from, params = snakemake.input, snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    planted = Planted.gather(study, made_from.truths, made_from.planted_pairs, made_from.planted_ratios)
    rows = link_rows(study, made_from.link, planted)
    write_text(snakemake.output[0], rows.to_csv(index=False))
