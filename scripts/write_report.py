"""Write the report: one HTML page that needs nothing but itself, and its summary as text."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.joblog import job_log
from unmask.report.page import render_page
from unmask.report.sections import read_section
from unmask.report.summary import render_summary

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    sections = [read_section(path) for path in snakemake.input]
    write_text(snakemake.output.summary, render_summary(snakemake.params.title, sections))
    write_text(snakemake.output.page, render_page(snakemake.params.title, sections))
