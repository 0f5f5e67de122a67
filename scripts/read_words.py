"""Read the lists of words that regions are described with."""

from typing import TYPE_CHECKING

from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.record import record
from unmask.regional.schema import WORDS
from unmask.regional.word_lists import read_words, remarks_on_words
from unmask.tables import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = snakemake.input, snakemake.params
    files = iter(inputs.lists)
    lists = {name: None if of == "published" else next(files) for name, of in params.words.items()}
    words, facts = read_words(lists, inputs.published)
    facts |= {"remarks": remarks_on_words(words), **record(inputs, params.code, "pandas", "pyarrow")}
    write_table(snakemake.output[0], words, WORDS, facts)
