"""Gather how every measure goes with word frequency into one table."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.frequency.link_tables import Planted, link_rows
from unmask.joblog import job_log
from unmask.report.csv_text import csv_text
from unmask.report.study import Study

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    inputs, params = snakemake.input, snakemake.params
    study = Study.from_config(params.models, params.benchmarks)
    planted = Planted.gather(study, inputs.truths, inputs.planted_pairs, inputs.planted_ratios)
    rows = link_rows(study, inputs.link, planted)
    write_text(snakemake.output[0], csv_text(rows))
