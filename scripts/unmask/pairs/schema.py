"""What another arithmetic does to scores: the table that the comparison with single precision leaves."""

import pyarrow as pa

from unmask.tables import WORD, field

PRECISION = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("pairs", pa.int32(), meaning="pairs of the sample that was scored in both arithmetics"),
        field(
            "largest_change",
            pa.float64(),
            nullable=True,
            meaning="largest change of any side's score, in the measure's unit; null where no pair has one",
        ),
        field("flipped", pa.int32(), meaning="pairs with another outcome than in single precision"),
        field("flipped_pairs", pa.string(), meaning="their ids, separated by spaces"),
    ]
)
"""One row per measure and protocol. Metadata: model, benchmark, device and dtype (what is compared)."""
