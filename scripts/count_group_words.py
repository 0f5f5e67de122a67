"""Find a benchmark's group words and the log frequency ratios of its pairs in the counts of corpora."""

from unmask.job import job
from unmask.benchmarks.schema import PAIRS
from unmask.frequency.group_words import count_group_words, log_ratios
from unmask.frequency.schema import GROUP_WORDS, PAIR_RATIOS
from unmask.frequency.word_lists import read_left_out, read_listed, read_listing
from unmask.tables import read_table, write_table

with job() as run:
    inputs, params = run.input, run.params
    pairs = read_table(inputs.pairs, PAIRS)
    listed = read_listed(inputs.listed) if inputs.listed else None
    left_out = read_left_out(inputs.left_out)
    words, tokens = count_group_words(pairs, inputs.counts, left_out, listed)
    ratios, _ = log_ratios(pairs, inputs.counts)
    facts = {
        "benchmark": params.benchmark,
        "corpora": list(params.corpora),
        "tokens": tokens,
        **run.record(),
    }
    listing = {"listing": read_listing(inputs.listed)} if inputs.listed else {}
    write_table(run.output.words, words, GROUP_WORDS, facts | listing)
    write_table(run.output.ratios, ratios, PAIR_RATIOS, facts)
