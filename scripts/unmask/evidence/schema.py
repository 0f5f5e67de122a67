"""The Evidence table."""

import pyarrow as pa

from unmask.tables import WORD, field

EVIDENCE = pa.schema(
    [
        field("pair_id", WORD),
        field("role", WORD),
        # place in the scored sequence, special tokens counted, from 0
        field("position", pa.int16()),
        field("token_id", pa.int32()),
        field("token", WORD),
        field("special", pa.bool_()),
        # outside the tokens that the pair shares; null for unrelated sentences and shuffled ones
        field("modified", pa.bool_(), nullable=True),
        # natural logarithm of the probability of the right token
        field("log_prob", pa.float32()),
        # of the right token among the vocabulary, 1 = top
        field("rank", pa.int32()),
        # masking `none`: attention received, mean over layers, heads and every query …
        field("attention", pa.float32(), nullable=True),
        # … and the same over the queries that are not special tokens
        field("attention_content", pa.float32(), nullable=True),
        # masking `modified`: log-probability of this token, mean over all hidden positions
        field("cross_log_prob", pa.float32(), nullable=True),
        # variant `shuffled`: where the token stood in the original sequence
        field("source_position", pa.int16(), nullable=True),
    ]
)
"""One row per predicted token: every token where nothing is hidden, else the hidden ones."""
