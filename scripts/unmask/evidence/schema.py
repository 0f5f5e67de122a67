"""The Evidence table, and that of the likeliest tokens."""

from unmask.tables import schema

EVIDENCE = schema(
    """
    pair_id            word   the pair
    role               word   which of its sentences: stereotype, antistereotype or unrelated
    position           i16    place in the scored sequence, special tokens counted, from 0
    token_id           i32    number of the right token in the model's vocabulary
    token              word   the right token
    special            bool   whether it is a special token; under the masking `left` also the first token of
                              a sentence that is read without a start token, which is given and not predicted
    modified           bool?  whether it is outside of the tokens that the pair shares; null for unrelated and
                              shuffled sentences
    log_prob           f32    natural logarithm of the probability of the right token
    rank               i32    rank of the right token among the vocabulary, 1 = top
    attention          f32?   masking `none`: attention received, mean over layers, heads and every query
    attention_content  f32?   as `attention`, over the queries that are not special tokens
    cross_log_prob     f32?   masking `modified`: log-probability of this token, mean over all hidden
                              positions
    source_position    i16?   variant `shuffled`: where the token stood in the original sequence
    """
)
"""One row per predicted token: every token under `none` and `left`, those of the text under `start`,
else the hidden ones."""

LIKELIEST = schema(
    """
    pair_id   word  the pair
    role      word  which of its sentences: stereotype, antistereotype or unrelated
    position  i16   of the predicted token, as in the Evidence table
    place     i16   1 for the most probable token
    token     word  the token
    log_prob  f32   natural logarithm of its probability
    """
)
"""Several rows per row of the Evidence table, in its order: what the model would have put in
the place of each predicted token. Metadata: that of the Evidence table, and top."""
