"""The table of word counts that the frequency study reads."""

import pyarrow as pa

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
