"""The Scores table."""

import pyarrow as pa

from unmask.tables import WORD, field

SCORES = pa.schema(
    [
        field("pair_id", WORD),
        field("measure", WORD),
        field("protocol", WORD),
        # score of each side; null where it has nothing to score
        field("stereotype", pa.float64(), nullable=True),
        field("antistereotype", pa.float64(), nullable=True),
        # stereotype - antistereotype, as compared (after any rounding of the protocol)
        field("margin", pa.float64(), nullable=True),
        field("outcome", WORD),
        # how far float error may move the margin before any rounding (unmask.measures.float_error) …
        field("error", pa.float64(), nullable=True),
        # … and what the outcome is at either end of that; a pair where they differ is a near-tie
        field("lowest", WORD),
        field("highest", WORD),
    ]
)
"""One row per pair, measure and protocol."""
