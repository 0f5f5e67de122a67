"""The tables of association tests."""

import pyarrow as pa

from unmask.tables import WORD, field

STIMULI = pa.schema(
    [
        field("test", WORD),
        # X | Y | A | B
        field("set", WORD),
        # grounded: A_X, A_Y, B_X, B_Y … the set, and whose picture it is; else null
        field("cell", WORD, nullable=True),
        # the word that the text is there for; null where none is told
        field("word", WORD, nullable=True),
        field("text", pa.large_string()),
        # the path of the picture, as the study says it
        field("image", WORD, nullable=True),
        # number of the distinct text, word and image: the row of EMBEDDINGS
        field("stimulus", pa.int32()),
    ]
)
"""What the tests of one suite are made of. One row per test, set and text, in the order of the files.

Metadata: suite, format, source, tests (a list of {name, categories: {set: name}, remarks}; of grounded ones
pictures: {cell: number}, and where it is known, truth: {strength}).
"""


def embeddings(width: int) -> pa.Schema:
    """What one encoder makes of the stimuli of a suite: the evidence of this wing, in order of stimulus and
    pooling.

    Metadata: encoder, suite, width, poolings, left_out ({stimulus: why}), remarks, device.
    """
    return pa.schema(
        [
            field("stimulus", pa.int32()),
            field("pooling", WORD),
            field("embedding", pa.list_(pa.float32(), width)),
        ]
    )


ASSOCIATIONS = pa.schema(
    [
        field("test", WORD),
        # weat; of a grounded test E1, E2, E3x, E3y, E4-text, E4-image
        field("experiment", WORD),
        field("pooling", WORD),
        # item | word: what a unit is
        field("level", WORD),
        # published (sent-bias, bias-bench) | corrected
        field("protocol", WORD),
        # units of each set; attribute units of E3 are words at either level
        field("x", pa.int32()),
        field("y", pa.int32()),
        field("a", pa.int32()),
        field("b", pa.int32()),
        # mean_X s - mean_Y s; over the deviation of s with n - 1 (d) and n (d0), null where s does not vary
        field("gap", pa.float64()),
        field("d", pa.float64(), nullable=True),
        field("d0", pa.float64(), nullable=True),
        # sum_X s - sum_Y s
        field("statistic", pa.float64()),
        # of at least so much in this direction, and of so much in either
        field("p", pa.float64(), nullable=True),
        field("p_two", pa.float64(), nullable=True),
        # what p may be, given the rounding of embeddings
        field("p_low", pa.float64(), nullable=True),
        field("p_high", pa.float64(), nullable=True),
        # p_two after Holm's correction, over the tests of an encoder, pooling, level and protocol
        field("p_holm", pa.float64(), nullable=True),
        # partitions: all, or drawn ones
        field("partitions", pa.int64(), nullable=True),
        field("exact", pa.bool_(), nullable=True),
        # what d is on average without bias, in size; null of E3 where words have no differences
        field("expected_d", pa.float64(), nullable=True),
        # bootstrap of the units of X and Y, and of all four sets
        field("gap_low", pa.float64(), nullable=True),
        field("gap_high", pa.float64(), nullable=True),
        field("d_low", pa.float64(), nullable=True),
        field("d_high", pa.float64(), nullable=True),
        field("d_low_all", pa.float64(), nullable=True),
        field("d_high_all", pa.float64(), nullable=True),
        # why there is no d or no p
        field("reason", WORD, nullable=True),
    ]
)
"""Every test of one encoder on one suite.

Metadata: encoder, suite, options (permutations, seed, exact, bootstrap, confidence), remarks, and means, the
2×2 of grounded tests (a list of {test, pooling, level, x1, x2, y1, y2}).
"""

DRAWS = pa.schema(
    [
        field("test", WORD),
        field("experiment", WORD),
        field("pooling", WORD),
        field("level", WORD),
        # resample by resample, nan where s does not vary; only of targets drawn anew (d_low, d_high)
        field("d", pa.list_(pa.float32())),
    ]
)
"""d of the same resamples for every encoder: what is between two of them has an interval of its own.

One row per test, experiment, pooling and level of ASSOCIATIONS. Metadata: encoder, suite, options.
"""

CONSTRUCTED = pa.schema(
    [
        # none | language | vision | …: which bias the hand-set weights have
        field("world", WORD),
        field("experiment", WORD),
        field("level", WORD),
        # of the oracle, which knows the weights and runs no model, and as measured
        field("truth", pa.float64()),
        field("gap", pa.float64()),
        field("d", pa.float64(), nullable=True),
        field("p_two", pa.float64(), nullable=True),
    ]
)
"""What grounded tests find of an encoder with hand-set weights, whose every bias is known."""
