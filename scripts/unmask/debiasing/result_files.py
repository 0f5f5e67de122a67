"""The table of debiased models, beside those of the pairs that they are scored on."""

from collections.abc import Mapping

from unmask.result_files import ResultFiles
from unmask.statistics.schema import COMPARISONS

TABLES: Mapping[str, ResultFiles] = {
    "debiasing_compared": ResultFiles("debiasing/comparisons/{benchmark}.parquet", COMPARISONS),
}
