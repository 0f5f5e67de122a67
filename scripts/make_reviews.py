"""Make reviews in which chosen regions go with negative or positive labels, and the truth about them."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.joblog import job_log
from unmask.regional.reviews import Settings, draw_reviews, write_reviews, write_truth
from unmask.regional.schema import REGIONS
from unmask.tables import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input):
    params, output = snakemake.params, snakemake.output
    settings = Settings.from_config(params.place, params.entry)
    regions = read_table(snakemake.input.regions, REGIONS)
    names = regions.loc[regions["level"] == params.level, "name"]
    train, test = draw_reviews(list(names), settings)
    write_reviews(output.train, train)
    write_reviews(output.test, test)
    write_truth(output.truth, test, settings, record(snakemake.input, params.code))
