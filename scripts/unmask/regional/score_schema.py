"""The table of scores of regional bias; apart from those of likelihoods, which take hours to make anew."""

import pyarrow as pa

from unmask.tables import WORD, field

SCORES = pa.schema(
    [
        field("variant", WORD, meaning="paper, corrected or published (docs/regional.md)"),
        field("measure", WORD, meaning="the measure: C_w, C_z or plain"),
        field("words", WORD, meaning="full, without-{topic}, replace-{topic}, or the name of another list"),
        field("region", WORD, meaning="id of the region"),
        field("level", WORD, meaning="level of the region"),
        field("children", pa.int32(), meaning="regions that lie in it"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="the score; null where it is undefined, as of a region with one child",
        ),
        field(
            "permuted_low",
            pa.float64(),
            nullable=True,
            meaning="what the model's own vectors give when permuted among the regions of a level: lower end "
            "of the interval",
        ),
        field("permuted_median", pa.float64(), nullable=True, meaning="as `permuted_low`, median"),
        field("permuted_high", pa.float64(), nullable=True, meaning="as `permuted_low`, upper end"),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="share of the permutations (with the model's own) that give as much or more",
        ),
        field("p_holm", pa.float64(), nullable=True, meaning="p after Holm's correction"),
    ]
)
"""One row per variant, measure, set of words and region. Cities have the distance to the mean of their
siblings (their C in equations 8 and 9) under C_w and `full` alone, without bands.

Metadata: model, draws, seed, confidence, and holm (the family of each correction).
"""
