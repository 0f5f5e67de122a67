"""The Pairs table, which every benchmark is read into."""

import pyarrow as pa

from unmask.tables import field

PAIRS = pa.schema(
    [
        field("pair_id", pa.string()),
        field("bias_type", pa.string()),
        field("stereotype", pa.string()),
        field("antistereotype", pa.string()),
        field("unrelated", pa.string(), nullable=True),
        # stereo | antistereo; null where the source does not say
        field("direction", pa.string(), nullable=True),
        # one entry a validator: the bias type chosen, null for none; null where there were no validators
        field("ratings", pa.list_(pa.string()), nullable=True),
        field("context", pa.string(), nullable=True),
        field("target", pa.string(), nullable=True),
        # who wrote the pair
        field("writer", pa.string(), nullable=True),
    ]
)
"""One row per pair of a benchmark, in the order of its source."""
