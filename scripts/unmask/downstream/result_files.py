"""The tables of downstream tasks."""

from collections.abc import Mapping

from unmask.downstream.schema import CORRELATIONS, EXAMPLES, ITEMS, PREDICTIONS, SCORES, WORD_COUNTS
from unmask.result_files import ResultFiles

TABLES: Mapping[str, ResultFiles] = {
    "downstream_scores": ResultFiles("downstream/{task}/{model}/scores.parquet", SCORES),
    "downstream_correlations": ResultFiles("downstream/correlations.parquet", CORRELATIONS),
    "downstream_words": ResultFiles("downstream/{task}/words.parquet", WORD_COUNTS),
    "downstream_examples": ResultFiles("downstream/{task}/examples.parquet", EXAMPLES),
    "downstream_items": ResultFiles("downstream/{task}/items.parquet", ITEMS),
    "downstream_predictions": ResultFiles("downstream/{task}/{model}/seed-{seed}.parquet", PREDICTIONS),
}
