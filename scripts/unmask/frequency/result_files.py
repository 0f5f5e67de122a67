"""The tables of word frequency."""

from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS, PAIR_RATIOS, WORD_COUNTS

TABLES = {
    "word_counts": ("frequency/{corpus}.parquet", WORD_COUNTS),
    "word_counts_of_shards": ("frequency/{corpus}/shards/{shard}.parquet", WORD_COUNTS),
    "group_words": ("group_words/{benchmark}/words.parquet", GROUP_WORDS),
    "pair_ratios": ("group_words/{benchmark}/ratios.parquet", PAIR_RATIOS),
    "frequency_link": ("statistics/{model}/{benchmark}/frequency.parquet", CORRELATIONS),
}
