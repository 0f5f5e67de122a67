"""The tables of template tests."""

import pyarrow as pa

from unmask.tables import WORD, field

TARGETS = pa.schema(
    [
        field("template", pa.int16(), meaning="number of the template in the study, from 1"),
        field("set", WORD, meaning="the set of words that the attribute is in"),
        field("attribute", WORD, meaning="the word in the slot [ATTRIBUTE]"),
        field("tokens", pa.int16(), meaning="tokens of the attribute, which the prior hides, each"),
        field("side", WORD, meaning="the name of the target words that the target is among"),
        field("target", WORD, meaning="the word whose probability in the slot [TARGET] it is"),
        field(
            "log_prob",
            pa.float32(),
            meaning="natural logarithm of the target's probability, the attribute being shown",
        ),
        field(
            "prior_log_prob",
            pa.float32(),
            meaning="natural logarithm of the target's probability, the attribute being hidden too",
        ),
    ]
)
"""LPBS: one row per template, attribute and target. Metadata: model, test, left_out (attributes)."""

FILLS = pa.schema(
    [
        field("template", pa.int16(), meaning="number of the template in the study, from 1"),
        field("group", WORD, meaning="the gender of the person, or what the file calls it"),
        field("person", WORD, meaning="the name or noun in the slot [PERSON]"),
        field("place", pa.int16(), meaning="1 for the likeliest fill of the slot [BLANK]"),
        field("token", WORD, meaning="the token of the vocabulary that fills it"),
        field("log_prob", pa.float32(), meaning="natural logarithm of its probability"),
    ]
)
"""DisCo: ten rows per template and person. Metadata: model, test, left_out (persons)."""

TESTS = pa.schema(
    [
        field("measure", WORD, meaning="lpbs or disco"),
        field(
            "quantity",
            WORD,
            meaning="of LPBS the mean of a set of attributes, which has no test, or the difference of both; "
            "of DisCo which fills are counted: the top three, or those with P > 0.1",
        ),
        field("part", WORD, meaning="of LPBS the set of attributes, or both; of DisCo both groups"),
        field(
            "value",
            pa.float64(),
            meaning="of LPBS in nats, positive where attributes go with the first target; of DisCo "
            "significant fills a template",
        ),
        field("low", pa.float64(), True, "lower end of the interval by Student's t over attributes"),
        field("high", pa.float64(), True, "upper end of the interval by Student's t over attributes"),
        field(
            "effect",
            pa.float64(),
            True,
            "effect size d of a difference: over the standard deviation of all attributes",
        ),
        field("chance_mean", pa.float64(), True, "mean of the value by chance alone"),
        field("chance_low", pa.float64(), True, "lower end of the band of chance"),
        field("chance_high", pa.float64(), True, "upper end of the band of chance"),
        field(
            "p",
            pa.float64(),
            True,
            "share of chance that is as large, the value itself included: of LPBS in size, of DisCo with "
            "ties broken by the mean chi-square",
        ),
        field("units", pa.int32(), meaning="attributes or persons that repeat"),
        field("templates", pa.int32(), meaning="templates"),
        field("candidates", pa.int32(), True, "of DisCo: fills that are tested, over all templates"),
        field("draws", pa.int32(), True, "arrangements that chance is from"),
        field("exact", pa.bool_(), True, "whether these are all arrangements"),
    ]
)
"""One row per quantity. Metadata: model, test."""

TESTED_WORDS = pa.schema(
    [
        field("template", pa.int16(), True, "of DisCo: number of the template, from 1"),
        field("set", WORD, True, "of LPBS: the set of the attribute"),
        field("word", WORD, meaning="the attribute, or the token that fills the blank"),
        field(
            "score",
            pa.float64(),
            True,
            "of LPBS: mean over templates of the log-probability bias score, in nats",
        ),
        field("first", pa.int32(), True, "of DisCo: persons of the first group with it in their top three"),
        field("second", pa.int32(), True, "of DisCo: persons of the second group with it in theirs"),
        field("p", pa.float64(), True, "of DisCo: by Pearson's chi-square, before correction"),
        field("significant", pa.bool_(), True, "of DisCo: whether p is significant after correction"),
    ]
)
"""One row per attribute, or per candidate fill of a template. Metadata: model, test."""
