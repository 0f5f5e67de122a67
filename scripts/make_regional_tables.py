"""Make the tables of regional bias: those of the paper, of countries, of cities, and of rankings."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.regional.captions import captions_of
from unmask.regional.making import made_tables

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = dict(snakemake.input.items()), dict(snakemake.params.items())
    wanted = dict(snakemake.output.items())
    for name, text in made_tables(inputs, params, captions_of(inputs, params), wanted):
        write_text(wanted[name], text)
