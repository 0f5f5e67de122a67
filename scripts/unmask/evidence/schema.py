"""The Evidence table, and that of the likeliest tokens."""

import pyarrow as pa

from unmask.tables import WORD, field

EVIDENCE = pa.schema(
    [
        field("pair_id", WORD, meaning="the pair"),
        field("role", WORD, meaning="which of its sentences: stereotype, antistereotype or unrelated"),
        field("position", pa.int16(), meaning="place in the scored sequence, special tokens counted, from 0"),
        field("token_id", pa.int32(), meaning="number of the right token in the model's vocabulary"),
        field("token", WORD, meaning="the right token"),
        field(
            "special",
            pa.bool_(),
            meaning="whether it is a special token; under the masking `left` also the first token of a "
            "sentence that is read without a start token, which is given and not predicted",
        ),
        field(
            "modified",
            pa.bool_(),
            nullable=True,
            meaning="whether it is outside of the tokens that the pair shares; null for unrelated and "
            "shuffled sentences",
        ),
        field("log_prob", pa.float32(), meaning="natural logarithm of the probability of the right token"),
        field("rank", pa.int32(), meaning="rank of the right token among the vocabulary, 1 = top"),
        field(
            "attention",
            pa.float32(),
            nullable=True,
            meaning="masking `none`: attention received, mean over layers, heads and every query",
        ),
        field(
            "attention_content",
            pa.float32(),
            nullable=True,
            meaning="as `attention`, over the queries that are not special tokens",
        ),
        field(
            "cross_log_prob",
            pa.float32(),
            nullable=True,
            meaning="masking `modified`: log-probability of this token, mean over all hidden positions",
        ),
        field(
            "source_position",
            pa.int16(),
            nullable=True,
            meaning="variant `shuffled`: where the token stood in the original sequence",
        ),
    ]
)
"""One row per predicted token: every token where nothing is hidden, else the hidden ones."""

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
"""Several rows per row of the Evidence table, in its order: what the model would have put in
the place of each predicted token. Metadata: that of the Evidence table, and top."""
