"""The tables of downstream tasks."""

from unmask.downstream.schema import CORRELATIONS, EXAMPLES, ITEMS, PREDICTIONS, SCORES, WORD_COUNTS

TABLES = {
    "downstream_scores": ("downstream/{task}/{model}/scores.parquet", SCORES),
    "downstream_correlations": ("downstream/correlations.parquet", CORRELATIONS),
    "downstream_words": ("downstream/{task}/words.parquet", WORD_COUNTS),
    "downstream_examples": ("downstream/{task}/examples.parquet", EXAMPLES),
    "downstream_items": ("downstream/{task}/items.parquet", ITEMS),
    "downstream_predictions": ("downstream/{task}/{model}/seed-{seed}.parquet", PREDICTIONS),
}
