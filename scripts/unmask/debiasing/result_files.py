"""The table of debiased models, beside those of the pairs that they are scored on."""

from collections.abc import Mapping
from typing import Any

from unmask.statistics.schema import COMPARISONS

TABLES: Mapping[str, tuple[str, Any]] = {
    "debiasing_compared": ("debiasing/comparisons/{benchmark}.parquet", COMPARISONS),
}
