"""The names of the tables of statistics, for rules and schemas.

Nothing is imported here: planning a study reads them, and should not wait for table libraries.
"""

STATISTICS = (
    "bias",
    "leverage",
    "near_ties",
    "accuracy",
    "tests",
    "measures_compared",
    "agreement",
    "roc",
    "roc_bands",
    "areas_compared",
    "quality",
    "disputed",
    "lms",
    "pll_versions",
)
"""The tables of statistics of one model on one benchmark. unmask.statistics.schema has a schema for each."""

PLL_VERSIONS = ("PLL", "PLLWordL2R", "PLLWholeWord")
"""The measures that `pll_versions` compares; a study with fewer than two of them is without that table."""
