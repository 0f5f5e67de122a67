"""The columns of resources/associations/published.csv: association tests that others have published."""

from unmask.associations.terms import LEVELS, VECTORS
from unmask.models.poolings import POOLINGS
from unmask.user_tables import Column, key

BARE_FIRST = "bare-first"
"""The first token, read without special ones, as sent-bias reads: a pooling that Unmask has not."""

COLUMNS = (
    key("model", required=True),
    key("tests", required=True),
    Column("pooling", required=True, choices=(*POOLINGS, VECTORS, BARE_FIRST)),
    Column("level", required=True, choices=LEVELS),
    Column("ddof", required=True, choices=("0", "1")),
    Column("p", float),
    Column("statistic", float),
)
"""The value is d, over a deviation with n - ddof; of several tests, with spaces between their names, the mean
of |d|. model: the `published` of the encoder; tests: the names of their files in the released suites. p and
statistic: null where the source does not say them."""
