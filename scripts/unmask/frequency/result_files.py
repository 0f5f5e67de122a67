"""The tables of word frequency."""

from collections.abc import Mapping

from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS, PAIR_RATIOS, WORD_COUNTS
from unmask.result_files import ResultFiles

TABLES: Mapping[str, ResultFiles] = {
    "word_counts": ResultFiles("frequency/{corpus}.parquet", WORD_COUNTS),
    "word_counts_of_shards": ResultFiles("frequency/{corpus}/shards/{shard}.parquet", WORD_COUNTS),
    "group_words": ResultFiles("group_words/{benchmark}/words.parquet", GROUP_WORDS),
    "pair_ratios": ResultFiles("group_words/{benchmark}/ratios.parquet", PAIR_RATIOS),
    "frequency_link": ResultFiles("statistics/{model}/{benchmark}/frequency.parquet", CORRELATIONS),
}
