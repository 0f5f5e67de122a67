"""The tables of the frequency study: word counts, group words, ratios and their link to margins."""

from unmask.tables import schema

WORD_COUNTS = schema(
    """
    word   text  the word as words_of gives it: lower-cased, NFC, apostrophes straight
    count  i64   how often it occurs
    """
)
"""One row per word of a corpus, by count, most frequent first, then by word (in order of code points).

Metadata: tokens (the sum of counts), shard (of one file of a corpus its name), and of a whole corpus: corpus
(its name), shards (how many were counted) and source (what is known of where it came from).
"""

GROUP_WORDS = schema(
    """
    words_from           word  extracted (from the pairs) or listed (by hand)
    bias_type            word  the bias type
    group                word  advantaged or disadvantaged
    word                 text  the word
    pairs_advantaged     i32   pairs that have it among the modified words of the sentence that names the
                               advantaged group
    pairs_disadvantaged  i32   pairs that have it among those of the sentence that names the disadvantaged
                               group
    count                i64   how often it occurs in all corpora together
    per_million          f64   how often it occurs in a million of the corpora's tokens
    """
)
"""One row per word, bias type and origin; the most frequent of a group first.

Metadata: benchmark, corpora (names), tokens (of all corpora together), and where words are listed
by hand `listing`: what unmask.frequency.word_lists.read_listing says of them.
"""

PAIR_RATIOS = schema(
    """
    pair_id    text  the pair
    log_ratio  f64?  log frequency ratio, stereotype minus antistereotype, natural; null where a side has no
                     modified word
    """
)
"""One row per pair of a benchmark, in its order. Metadata: benchmark, corpora (names) and tokens."""

CORRELATIONS = schema(
    """
    measure     word   the measure
    protocol    word   published or corrected
    grouping    word   overall or bias_type
    group       word   all, or a bias type
    n           i32    pairs that have both a log ratio and a margin
    left_out    i32    pairs of the group that lack one
    rho         f64?   Spearman's correlation of log ratio and margin; null where it is undefined
    low, high   f64?   ends of the interval of `rho`
    reason      word?  why rho or its interval is null
    """
)
"""How a measure's margins go with log frequency ratios: one row per measure, protocol and group of pairs."""
