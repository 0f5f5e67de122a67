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
        field("word", WORD, meaning="the word that the text is there for"),
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
pictures: {cell: number}).
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
        field("unit", WORD, meaning="what is compared and exchanged: text (the literature), or word (ours)"),
        field("pooling", WORD, meaning="how the tokens of a stimulus are pooled"),
        field("x", pa.int32(), meaning="units of the target set X"),
        field("y", pa.int32(), meaning="units of the target set Y"),
        field("a", pa.int32(), meaning="units of the attribute set A; of E3 words"),
        field("b", pa.int32(), meaning="units of the attribute set B; of E3 words"),
        field(
            "mean_difference",
            pa.float64(),
            meaning="mean of s over X minus its mean over Y; s: mean cosine with A minus mean cosine with B",
        ),
        field(
            "d",
            pa.float64(),
            nullable=True,
            meaning="mean difference over the standard deviation of s (n - 1); null where s does not vary",
        ),
        field(
            "d_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of d: bootstrap of the units of X and Y",
        ),
        field("d_high", pa.float64(), nullable=True, meaning="upper end of the interval from `d_low`"),
        field(
            "expected_d",
            pa.float64(),
            nullable=True,
            meaning="what d is on average without bias, in size; null of E3, which compares the same targets",
        ),
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
        field("least_p", pa.float64(), nullable=True, meaning="the smallest p_two that the test can have"),
        field(
            "p_holm",
            pa.float64(),
            nullable=True,
            meaning="p_two after Holm's correction, over the tests of an encoder, suite, pooling and unit",
        ),
        field("reason", WORD, nullable=True, meaning="why there is no d or no p"),
    ]
)
"""Every test of one encoder on one suite.

Metadata: encoder, suite, seed, confidence, in_lower_case (see `embeddings`), and cells, mean s of grounded
tests (unmask.associations.weat.cell_means).
"""
