"""The tables that the statistics of one model on one benchmark leave: one schema each."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa


def _field(name: str, type_: pa.DataType, nullable: bool = False) -> pa.Field:
    return pa.field(name, type_, nullable=nullable)


_WORD = pa.dictionary(pa.int32(), pa.string())

OVERALL, BIAS_TYPE, DIRECTION, DIFFERENCE = "overall", "bias_type", "direction", "difference"
GROUPINGS = (OVERALL, BIAS_TYPE, DIRECTION, DIFFERENCE)
"""What a group of pairs is made by; `difference` is |Adv - Dis|, over both directions."""

BIAS = pa.schema(
    [
        # original | shuffled
        _field("variant", _WORD),
        _field("measure", _WORD),
        _field("protocol", _WORD),
        _field("grouping", _WORD),
        # "all", a bias type, or a direction; "difference" for |Adv - Dis|
        _field("group", _WORD),
        _field("n", pa.int32()),
        _field("stereotype", pa.int32()),
        _field("antistereotype", pa.int32()),
        _field("tie", pa.int32()),
        _field("undefined", pa.int32()),
        # percent; null where no pair has a decision
        _field("score", pa.float64(), nullable=True),
        # Wilson interval in percent; null for a difference
        _field("wilson_low", pa.float64(), nullable=True),
        _field("wilson_high", pa.float64(), nullable=True),
        # bootstrap percentile interval in percent
        _field("bootstrap_low", pa.float64(), nullable=True),
        _field("bootstrap_high", pa.float64(), nullable=True),
        # mean margin (natural-log units of the measure) with its bootstrap interval; null for a difference
        _field("margin", pa.float64(), nullable=True),
        _field("margin_low", pa.float64(), nullable=True),
        _field("margin_high", pa.float64(), nullable=True),
        # pairs whose margin is at most 1e-4 from zero, ties included
        _field("near_ties", pa.int32()),
        # pairs whose outcome differs between the two protocols; null where there is one protocol only
        _field("differing", pa.int32(), nullable=True),
        # of the intervals
        _field("confidence", pa.float64()),
        # what the bootstrap draws: pair | target
        _field("bootstrap_unit", _WORD),
    ]
)
"""Bias scores: one row per variant, measure, protocol and group of pairs."""

ACCURACY = pa.schema(
    [
        _field("measure", _WORD),
        # original | shuffled
        _field("variant", _WORD),
        # pair (both of its sentences) | stereotype | antistereotype | unrelated
        _field("roles", _WORD),
        # which tokens count: see unmask.statistics.accuracy
        _field("reading", _WORD),
        _field("correct", pa.int32()),
        _field("n", pa.int32()),
        # percent, with its Wilson interval
        _field("accuracy", pa.float64()),
        _field("low", pa.float64()),
        _field("high", pa.float64()),
        _field("confidence", pa.float64()),
    ]
)
"""Token accuracy: how often the right token has rank 1."""

TESTS = pa.schema(
    [
        # measures | shuffled | unrelated | decisions
        _field("kind", _WORD),
        _field("first", _WORD),
        _field("second", _WORD),
        # the reading of the accuracies compared; "pairs" for decisions
        _field("reading", _WORD),
        # null for accuracies, which have no protocol
        _field("protocol", _WORD, nullable=True),
        # token | sentence | pair
        _field("unit", _WORD),
        # is this the pairing unit that the study asks for
        _field("chosen", pa.bool_()),
        _field("n", pa.int32()),
        _field("both", pa.int32()),
        # b: only the first is right (or decides "stereotype"); c: only the second
        _field("b", pa.int32()),
        _field("c", pa.int32()),
        _field("neither", pa.int32()),
        # chi-square with continuity correction, or min(b, c) where exact
        _field("statistic", pa.float64(), nullable=True),
        # raw, uncorrected
        _field("p", pa.float64(), nullable=True),
        _field("exact", pa.bool_()),
    ]
)
"""McNemar tests."""

AGREEMENT = pa.schema(
    [
        _field("measure", _WORD),
        _field("protocol", _WORD),
        # which votes count: any | own
        _field("votes", _WORD),
        # least number of votes that makes a pair positive
        _field("threshold", pa.int16()),
        # margin | absolute margin | decision
        _field("score", _WORD),
        # all | stereo | antistereo
        _field("direction", _WORD),
        _field("positives", pa.int32()),
        _field("negatives", pa.int32()),
        # pairs with ratings left out because the measure has no score for them
        _field("undefined", pa.int32()),
        _field("auc", pa.float64(), nullable=True),
        _field("low", pa.float64(), nullable=True),
        _field("high", pa.float64(), nullable=True),
        # why auc or its interval is null
        _field("reason", _WORD, nullable=True),
        # the reading of Figure 1
        _field("chosen", pa.bool_()),
        _field("confidence", pa.float64()),
    ]
)
"""Area under the ROC curve of pair scores against human ratings, under every reading of the ratings."""

ROC = pa.schema(
    [
        _field("measure", _WORD),
        _field("protocol", _WORD),
        # rates of pairs with a score of at least the threshold, from (0, 0) to (1, 1)
        _field("false_positive_rate", pa.float64()),
        _field("true_positive_rate", pa.float64()),
    ]
)
"""The ROC curves of the chosen reading, in order, without points on a straight line between others."""


def framed(rows: Sequence[Mapping[str, object]], schema: pa.Schema) -> pd.DataFrame:
    """Rows as a frame that fits `schema`; an absent key is null."""
    frame = pd.DataFrame(list(rows), columns=schema.names)
    # a column of nulls alone would be one of floats
    words = {field.name: "str" for field in schema if pa.types.is_dictionary(field.type)}
    return frame.astype(words)
