"""The tables of scores of regional bias; apart from those of likelihoods, which take hours to make anew."""

import pyarrow as pa

from unmask.tables import WORD, field

SCORES = pa.schema(
    [
        field("variant", WORD),
        field("measure", WORD),
        # full | without-{topic} | replace-{topic} | the name of another list
        field("words", WORD),
        field("region", WORD),
        field("level", WORD),
        field("children", pa.int32()),
        # null where it is undefined, as of a region with one child
        field("score", pa.float64(), nullable=True),
        # interval by resampled words; by resampled children of every region
        field("words_low", pa.float64(), nullable=True),
        field("words_high", pa.float64(), nullable=True),
        field("children_low", pa.float64(), nullable=True),
        field("children_high", pa.float64(), nullable=True),
        # what random vectors, as the model's by level, come to on the same tree
        field("random_low", pa.float64(), nullable=True),
        field("random_median", pa.float64(), nullable=True),
        field("random_high", pa.float64(), nullable=True),
        # what the model's own vectors come to when dealt out anew among the regions of a level
        field("dealt_low", pa.float64(), nullable=True),
        field("dealt_median", pa.float64(), nullable=True),
        field("dealt_high", pa.float64(), nullable=True),
        # share of the dealings (with the model's own) that come to as much or more
        field("p", pa.float64(), nullable=True),
        field("p_holm", pa.float64(), nullable=True),
    ]
)
"""One row per variant, measure, set of words and region. Cities have the distance to the mean of their
siblings (their C in equations 8 and 9) under C_w and `full` alone, without intervals.

Metadata: model, draws, resamples, seed, confidence, and holm (the family of each correction).
"""

STABILITY = pa.schema(
    [
        field("variant", WORD),
        field("measure", WORD),
        # whose scores are ranked: continent | country | …
        field("level", WORD),
        # words | children
        field("resampled", WORD),
        field("regions", pa.int32()),
        # Kendall's tau between the ranking of a resample and that of all: mean and interval over resamples
        field("tau", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
    ]
)
"""How stable the ranking of regions is."""

PLANTED = pa.schema(
    [
        field("variant", WORD),
        field("measure", WORD),
        # of the region whose children were set apart
        field("region", WORD),
        field("level", WORD),
        field("children", pa.int32()),
        # what they were set apart by: "words" or "names"
        field("planted", WORD),
        # and how far, in standard deviations between regions
        field("strength", pa.float64()),
        field("worlds", pa.int32()),
        # share of the worlds in which the region's score lies above what dealt vectors give (p < alpha)
        field("found", pa.float64(), nullable=True),
        field("found_low", pa.float64(), nullable=True),
        field("found_high", pa.float64(), nullable=True),
        # share of the worlds in which the region has the highest score of its level
        field("first", pa.float64(), nullable=True),
    ]
)
"""Which scores find a regional bias that is known to be there.

One row per variant, measure, region, planting and strength; at strength 0, what is found are false alarms.
Metadata: worlds, alpha, seed.
"""
