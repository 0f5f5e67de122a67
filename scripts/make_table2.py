"""Make Table 2 of the paper: how often corpora name advantaged and disadvantaged groups."""

from typing import TYPE_CHECKING

from unmask.files import write_text
from unmask.frequency.table2 import PublishedRanks, collect_words, table2, table2_sheet
from unmask.given import unchanged
from unmask.joblog import job_log
from unmask.report.captions import load_captions
from unmask.report.csv_text import csv_text
from unmask.report.rendering import latex, markdown

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with job_log(snakemake.log[0], snakemake.input), unchanged(snakemake.params.given):
    inputs, params = snakemake.input, snakemake.params
    words = collect_words(inputs.words)
    captions = load_captions(inputs.captions, alpha=f"{params.alpha:g}")
    published = PublishedRanks.gather(inputs.words)
    sheet = table2_sheet(words, published, captions, params.alpha)
    texts = {
        "table2_csv": csv_text(table2(words, published)),
        "table2_md": markdown(sheet),
        "table2_tex": latex(sheet),
        "group_words_csv": csv_text(words),
    }
    for name, text in texts.items():
        write_text(snakemake.output[name], text)
