"""The tables of association tests."""

from unmask.tables import schema

STIMULI = schema(
    """
    test      word       the test
    set       word       X, Y (targets), A or B (attributes)
    cell      word?      of a grounded test the set, and whose picture it is (A_X, B_Y, …); else null
    word      word       the word that the text is there for
    text      long_text  the text
    image     word?      name of the picture, as the file of the test has it
    stimulus  i32        number of the distinct text, word and image, by which embeddings are found
    """
)
"""What the tests of one suite are made of. One row per test, set and text, in the order of the files.

Metadata: suite, format, source, tests (a list of {name, categories: {set: name}, remarks}; of grounded ones
pictures: {cell: number}).
"""


EMBEDDINGS = schema(
    """
    stimulus   i32    number of the stimulus
    pooling    word   how its tokens are pooled
    embedding  f32[]  vector of the stimulus
    """
)
"""What one encoder makes of the stimuli of a suite: the evidence of this family, in order of stimulus and
pooling; all vectors are equally long.

Metadata: encoder, suite, width, poolings, device; of word vectors in_lower_case, the words that the file has
in lower case alone.
"""


ASSOCIATIONS = schema(
    """
    test             word   the test
    experiment       word   weat; of a grounded test E1, E2, E3x or E3y
    unit             word   what is compared and exchanged: text (the literature), or word (ours)
    pooling          word   how the tokens of a stimulus are pooled
    x                i32    units of the target set X
    y                i32    units of the target set Y
    a                i32    units of the attribute set A; of E3 words
    b                i32    units of the attribute set B; of E3 words
    mean_difference  f64    mean of s over X minus its mean over Y; s: mean cosine with A minus that with B
    d                f64?   mean difference over the standard deviation of s (n - 1); null if s does not vary
    d_low            f64?   lower end of the interval of d: bootstrap of the units of X and Y
    d_high           f64?   upper end of the interval from `d_low`
    expected_d       f64?   about what |d| is on average without bias; null of E3, whose targets are the same
    statistic        f64    sum of s over X minus its sum over Y
    p                f64?   share of the permutations with at least this much in this direction
    p_two            f64?   share of those with at least this much in either direction
    least_p          f64?   the smallest p_two that the test can have
    p_holm           f64?   p_two after Holm's correction over the tests of an encoder, suite, pooling, unit
    reason           word?  why there is no d or no p
    """
)
"""Every test of one encoder on one suite.

Metadata: encoder, suite, seed, confidence, embedded (what its embeddings state), and cells, mean s of
grounded tests (unmask.associations.weat.cell_means).
"""
