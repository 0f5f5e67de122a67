"""The table of what a model would have put in the place of each predicted token."""

import pyarrow as pa

from unmask.tables import WORD, field

LIKELIEST = pa.schema(
    [
        field("pair_id", WORD, meaning="the pair"),
        field("role", WORD, meaning="which of its sentences: stereotype, antistereotype or unrelated"),
        field("position", pa.int16(), meaning="of the predicted token, as in the Evidence table"),
        field("place", pa.int16(), meaning="1 for the most probable token"),
        field("token", WORD, meaning="the token"),
        field("log_prob", pa.float32(), meaning="natural logarithm of its probability"),
    ]
)
"""Several rows per row of the Evidence table, in its order. Metadata: that of the Evidence table, and top."""
