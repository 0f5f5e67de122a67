"""The table of what a model would have put in the place of each predicted token."""

import pyarrow as pa

from unmask.tables import WORD, field

LIKELIEST = pa.schema(
    [
        field("pair_id", WORD),
        field("role", WORD),
        # of the predicted token, as in the Evidence table
        field("position", pa.int16()),
        # 1 for the most probable token
        field("place", pa.int16()),
        field("token", WORD),
        # natural logarithm of its probability
        field("log_prob", pa.float32()),
    ]
)
"""Several rows per row of the Evidence table, in its order. Metadata: that of the Evidence table, and top."""
