"""The names of the tables of statistics, for rules and schemas.

Nothing is imported here: planning a study reads them, and should not wait for table libraries.
"""

STATISTICS = (
    "bias",
    "leverage",
    "accuracy",
    "tests",
    "measures_compared",
    "agreement",
    "roc",
    "areas_compared",
    "quality",
    "lms",
)
"""The tables of statistics of one model on one benchmark. unmask.statistics.schema has a schema for each."""
