"""What another arithmetic does to scores: the table that the comparison with single precision leaves."""

import pyarrow as pa

from unmask.tables import WORD, field

PRECISION = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        # of the sample that was scored in both arithmetics
        field("pairs", pa.int32()),
        # of any side's score, in natural-log units of the measure; null where no pair has one
        field("largest_change", pa.float64(), nullable=True),
        # pairs with another outcome than in single precision, and their ids, separated by spaces
        field("flipped", pa.int32()),
        field("flipped_pairs", pa.string()),
    ]
)
"""One row per measure and protocol. Metadata: model, benchmark, device and dtype (what is compared)."""
