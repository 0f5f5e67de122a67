"""The tables of the frequency study: word counts, group words, ratios and their link to margins."""

import pyarrow as pa

from unmask.tables import WORD, field

WORD_COUNTS = pa.schema(
    [
        field(
            "word",
            pa.string(),
            meaning="the word as words_of gives it: lower-cased, NFC, apostrophes straight",
        ),
        field("count", pa.int64(), meaning="how often it occurs"),
        field(
            "documents",
            pa.int64(),
            meaning="in how many documents (lines of text, rows of Parquet, articles) it occurs",
        ),
    ]
)
"""One row per word of a corpus, by count, most frequent first, then by word (in order of code points).

Metadata: corpus (its name), tokens (the sum of counts), documents (those with at least one word), shards
(how many were counted) and source (what is known of where the corpus came from).
"""

GROUP_WORDS = pa.schema(
    [
        field("words_from", WORD, meaning="extracted (from the pairs) or listed (by hand)"),
        field("bias_type", WORD, meaning="the bias type"),
        field("group", WORD, meaning="advantaged or disadvantaged"),
        field("word", pa.string(), meaning="the word"),
        field(
            "pairs_advantaged",
            pa.int32(),
            meaning="pairs that have it among the modified words of the sentence that names the "
            "advantaged group",
        ),
        field(
            "pairs_disadvantaged",
            pa.int32(),
            meaning="pairs that have it among those of the sentence that names the disadvantaged group",
        ),
        field("count", pa.int64(), meaning="how often it occurs in all corpora together"),
        field("documents", pa.int64(), meaning="in how many of their documents it occurs"),
        field(
            "per_million", pa.float64(), meaning="how often it occurs in a million of the corpora's tokens"
        ),
    ]
)
"""One row per word, bias type and origin; the most frequent of a group first.

Metadata: benchmark, corpora (names), tokens (of all corpora together), min_pairs, and where words are listed
by hand `listing`: what unmask.frequency.word_lists.read_listing says of them.
"""

PAIR_RATIOS = pa.schema(
    [
        field("pair_id", pa.string(), meaning="the pair"),
        field(
            "log_ratio",
            pa.float64(),
            nullable=True,
            meaning="log frequency ratio, stereotype minus antistereotype, natural; null where a side has "
            "no modified word",
        ),
        field("words_stereotype", pa.int16(), meaning="modified words of the stereotypical sentence"),
        field("words_antistereotype", pa.int16(), meaning="modified words of the other sentence"),
        field("unseen", pa.int16(), meaning="how many of both no corpus has"),
    ]
)
"""One row per pair of a benchmark, in its order. Metadata: benchmark, corpora (names) and tokens."""

CORRELATIONS = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("grouping", WORD, meaning="overall or bias_type"),
        field("group", WORD, meaning="all, or a bias type"),
        field("n", pa.int32(), meaning="pairs that have both a log ratio and a margin"),
        field("left_out", pa.int32(), meaning="pairs of the group that lack one"),
        field(
            "rho",
            pa.float64(),
            nullable=True,
            meaning="Spearman's correlation of log ratio and margin; null where it is undefined",
        ),
        field("low", pa.float64(), nullable=True, meaning="lower end of the interval of `rho`"),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("reason", WORD, nullable=True, meaning="why rho or its interval is null"),
        field("confidence", pa.float64(), meaning="level of the interval"),
    ]
)
"""How a measure's margins go with log frequency ratios: one row per measure, protocol and group of pairs."""
