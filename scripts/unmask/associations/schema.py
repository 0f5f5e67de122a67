"""The tables of association tests."""

import pyarrow as pa

from unmask.tables import WORD, field

STIMULI = pa.schema(
    [
        field("test", WORD, meaning="the test"),
        field("set", WORD, meaning="X, Y (targets), A or B (attributes)"),
        field(
            "cell",
            WORD,
            nullable=True,
            meaning="of a grounded test the set, and whose picture it is (A_X, A_Y, B_X, B_Y, …); else null",
        ),
        field(
            "word",
            WORD,
            nullable=True,
            meaning="the word that the text is there for; null where none is told",
        ),
        field("text", pa.large_string(), meaning="the text"),
        field("image", WORD, nullable=True, meaning="path of the picture, as the study says it"),
        field(
            "stimulus",
            pa.int32(),
            meaning="number of the distinct text, word and image: the row of EMBEDDINGS",
        ),
    ]
)
"""What the tests of one suite are made of. One row per test, set and text, in the order of the files.

Metadata: suite, format, source, tests (a list of {name, categories: {set: name}, remarks}; of grounded ones
pictures: {cell: number}, and where it is known, truth: {strength}).
"""


def embeddings(width: int) -> pa.Schema:
    """What one encoder makes of the stimuli of a suite: the evidence of this family, in order of stimulus and
    pooling.

    Metadata: encoder, suite, width, poolings, device; of word vectors in_lower_case, the words that the file
    has in lower case alone.
    """
    return pa.schema(
        [
            field("stimulus", pa.int32(), meaning="number of the stimulus"),
            field("pooling", WORD, meaning="how its tokens are pooled"),
            field("embedding", pa.list_(pa.float32(), width), meaning="vector of the stimulus"),
        ]
    )


ASSOCIATIONS = pa.schema(
    [
        field("test", WORD, meaning="the test"),
        field("experiment", WORD, meaning="weat; of a grounded test E1, E2, E3x or E3y"),
        field("pooling", WORD, meaning="how the tokens of a stimulus are pooled"),
        field("level", WORD, meaning="what a unit is: item or word"),
        field("protocol", WORD, meaning="published (sent-bias, bias-bench) or corrected"),
        field("x", pa.int32(), meaning="units of the target set X"),
        field("y", pa.int32(), meaning="units of the target set Y"),
        field("a", pa.int32(), meaning="units of the attribute set A; of E3 words at either level"),
        field("b", pa.int32(), meaning="units of the attribute set B; of E3 words at either level"),
        field(
            "gap",
            pa.float64(),
            meaning="mean of s over X minus its mean over Y; s: mean cosine with A minus mean cosine with B",
        ),
        field(
            "d",
            pa.float64(),
            nullable=True,
            meaning="gap over the standard deviation of s, with n - 1; null where s does not vary",
        ),
        field("d0", pa.float64(), nullable=True, meaning="gap over the standard deviation of s, with n"),
        field("statistic", pa.float64(), meaning="sum of s over X minus its sum over Y"),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="share of the permutations with at least this much in this direction",
        ),
        field(
            "p_two",
            pa.float64(),
            nullable=True,
            meaning="share of those with at least this much in either direction",
        ),
        field(
            "p_low",
            pa.float64(),
            nullable=True,
            meaning="least that p may be, given the rounding of embeddings",
        ),
        field("p_high", pa.float64(), nullable=True, meaning="most that it may be"),
        field(
            "p_holm",
            pa.float64(),
            nullable=True,
            meaning="p_two after Holm's correction, over the tests of an encoder, pooling, level and "
            "protocol",
        ),
        field(
            "partitions", pa.int64(), nullable=True, meaning="permutations of the targets: all, or drawn ones"
        ),
        field("exact", pa.bool_(), nullable=True, meaning="whether they are all"),
        field(
            "expected_d",
            pa.float64(),
            nullable=True,
            meaning="what d is on average without bias, in size; null of E3 where words have no differences",
        ),
        field(
            "gap_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of the gap: bootstrap of the units of X and Y",
        ),
        field("gap_high", pa.float64(), nullable=True, meaning="upper end of the interval from `gap_low`"),
        field(
            "d_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of d: bootstrap of the units of X and Y",
        ),
        field("d_high", pa.float64(), nullable=True, meaning="upper end of the interval from `d_low`"),
        field(
            "d_low_all",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of d: bootstrap of the units of all four sets",
        ),
        field(
            "d_high_all", pa.float64(), nullable=True, meaning="upper end of the interval from `d_low_all`"
        ),
        field("reason", WORD, nullable=True, meaning="why there is no d or no p"),
    ]
)
"""Every test of one encoder on one suite.

Metadata: encoder, suite, options (permutations, seed, exact, bootstrap, confidence), remarks, and means, the
2×2 of grounded tests (a list of {test, pooling, level, x1, x2, y1, y2}), and cells, of those that have more
than the experiments take (a list of {test, pooling, level, words, pictured_with, alone, with_x, with_y}).
"""
