"""Statistics over scores and evidence: bias scores, token accuracy, tests and agreement with raters.

Nothing of the package imports torch or runs a model: every table is a query over the tables of unmask.tables.
Nothing is imported here: planning a study reads the names, and should not wait for table libraries.
"""

STATISTICS = (
    "bias",
    "leverage",
    "accuracy",
    "tests",
    "measures_compared",
    "agreement",
    "roc",
    "quality",
    "lms",
)
"""The tables of statistics of one model on one benchmark. unmask.statistics.schema has a schema for each."""
