"""The tables of the frequency study: word counts, group words, ratios and their link to margins."""

import pyarrow as pa

from unmask.tables import WORD

WORD_COUNTS = pa.schema(
    [
        # as words_of gives it: lower-cased, NFC, apostrophes straight
        pa.field("word", pa.string(), nullable=False),
        # how often it comes
        pa.field("count", pa.int64(), nullable=False),
        # in how many documents (lines of text, rows of Parquet, articles) it comes
        pa.field("documents", pa.int64(), nullable=False),
    ]
)
"""One row per word of a corpus, by count, most frequent first, then by word (in order of code points).

Metadata: corpus (its name), tokens (the sum of counts), documents (those with at least one word), shards
(how many were counted) and source (what is known of where the corpus came from).
"""

GROUP_WORDS = pa.schema(
    [
        # extracted (from the pairs) | listed (by hand)
        pa.field("words_from", WORD, nullable=False),
        pa.field("bias_type", WORD, nullable=False),
        # advantaged | disadvantaged
        pa.field("group", WORD, nullable=False),
        pa.field("word", pa.string(), nullable=False),
        # pairs that have it among the modified words of the sentence that names this group
        pa.field("pairs_advantaged", pa.int32(), nullable=False),
        pa.field("pairs_disadvantaged", pa.int32(), nullable=False),
        # in all corpora together
        pa.field("count", pa.int64(), nullable=False),
        pa.field("documents", pa.int64(), nullable=False),
        # of all the corpora's tokens
        pa.field("per_million", pa.float64(), nullable=False),
    ]
)
"""One row per word, bias type and origin; the most frequent of a group first.

Metadata: benchmark, corpora (names), tokens (of all corpora together), min_pairs, and where words are listed
by hand `listing`: what unmask.frequency.word_lists.read_listing says of them.
"""

PAIR_RATIOS = pa.schema(
    [
        pa.field("pair_id", pa.string(), nullable=False),
        # log frequency ratio, stereotype minus antistereotype; null where a side has no modified word
        pa.field("log_ratio", pa.float64()),
        # number of modified words of either side, and how many of both no corpus has
        pa.field("words_stereotype", pa.int16(), nullable=False),
        pa.field("words_antistereotype", pa.int16(), nullable=False),
        pa.field("unseen", pa.int16(), nullable=False),
    ]
)
"""One row per pair of a benchmark, in its order. Metadata: benchmark, corpora (names) and tokens."""

LINK = pa.schema(
    [
        pa.field("measure", WORD, nullable=False),
        pa.field("protocol", WORD, nullable=False),
        # overall | bias_type
        pa.field("grouping", WORD, nullable=False),
        # "all" or a bias type
        pa.field("group", WORD, nullable=False),
        # pairs that have both a log ratio and a margin, and those of the group that lack one
        pa.field("n", pa.int32(), nullable=False),
        pa.field("left_out", pa.int32(), nullable=False),
        # Spearman's correlation of log ratio and margin; null where it is undefined
        pa.field("rho", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        # why rho or its interval is null
        pa.field("reason", WORD),
        pa.field("confidence", pa.float64(), nullable=False),
    ]
)
"""How a measure's margins go with log frequency ratios: one row per measure, protocol and group of pairs."""
