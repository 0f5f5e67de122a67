"""The table of debiased models, beside those of the pairs that they are scored on."""

from unmask.statistics.schema import COMPARISONS

TABLES = {
    "debiasing_compared": ("debiasing/comparisons/{benchmark}.parquet", COMPARISONS),
}
