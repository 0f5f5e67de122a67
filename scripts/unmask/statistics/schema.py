"""The tables that the statistics of one model on one benchmark leave: one schema each."""

from collections.abc import Mapping

import pyarrow as pa

from unmask.tables import WORD, field

OVERALL, BIAS_TYPE, DIRECTION, DIFFERENCE = "overall", "bias_type", "direction", "difference"
"""What a group of pairs is made by; `difference` is Adv - Dis, over both directions."""

NO_CLUSTERS = "none"
"""Where no two pairs are taken to vary together."""

BIAS = pa.schema(
    [
        # original | shuffled
        field("variant", WORD),
        field("measure", WORD),
        field("protocol", WORD),
        field("grouping", WORD),
        # "all", a bias type, or a direction; "difference" for Adv - Dis
        field("group", WORD),
        field("n", pa.int32()),
        field("stereotype", pa.int32()),
        field("antistereotype", pa.int32()),
        field("tie", pa.int32()),
        field("undefined", pa.int32()),
        # percent, of a difference percentage points; null where no pair has a decision
        field("score", pa.float64(), nullable=True),
        # its interval, which allows for pairs that vary together (`clusters`); null where all of them do
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # by what that multiplies the variance of independent pairs, and its degrees of freedom
        field("design_effect", pa.float64(), nullable=True),
        field("df", pa.float64(), nullable=True),
        # Wilson interval of independent pairs; null for a difference
        field("wilson_low", pa.float64(), nullable=True),
        field("wilson_high", pa.float64(), nullable=True),
        # of a difference alone: p of no difference, and its mean absolute value where there is none
        field("p", pa.float64(), nullable=True),
        field("chance_difference", pa.float64(), nullable=True),
        # what words alone give (unmask.statistics.lexical): mean, interval, and p of the score; null
        # without evidence
        field("null_mean", pa.float64(), nullable=True),
        field("null_low", pa.float64(), nullable=True),
        field("null_high", pa.float64(), nullable=True),
        field("null_p", pa.float64(), nullable=True),
        # how many untrained networks of the model's architecture were scored, and the mean, least and most
        # of their scores; null without them
        field("untrained", pa.int32(), nullable=True),
        field("untrained_mean", pa.float64(), nullable=True),
        field("untrained_low", pa.float64(), nullable=True),
        field("untrained_high", pa.float64(), nullable=True),
        # mean margin (natural-log units of the measure) with its interval; null for a difference
        field("margin", pa.float64(), nullable=True),
        field("margin_low", pa.float64(), nullable=True),
        field("margin_high", pa.float64(), nullable=True),
        # pairs that float error could turn (unmask.statistics.near_ties) …
        field("near_ties", pa.int32()),
        # … and the score (percent) if all of these went against the stereotype, or for it; null for a
        # difference
        field("near_low", pa.float64(), nullable=True),
        field("near_high", pa.float64(), nullable=True),
        # pairs whose outcome differs between the two protocols; null where there is one protocol only
        field("differing", pa.int32(), nullable=True),
        # of the intervals
        field("confidence", pa.float64()),
        # what makes two pairs vary together where both have it: words, target, writer, joined by +; or none
        field("clusters", WORD),
    ]
)
"""Bias scores: one row per variant, measure, protocol and group of pairs."""

LEVERAGE = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        # 1: the word without which the score is furthest towards 50 (or past it)
        field("rank", pa.int16()),
        field("word", pa.string()),
        # how many pairs it is a modified word of
        field("pairs", pa.int32()),
        # percent: over all pairs, without those of this word, and without those of all words to this rank …
        field("score", pa.float64()),
        field("without", pa.float64()),
        field("without_all", pa.float64()),
        # … over so many pairs
        field("left", pa.int32()),
    ]
)
"""The words that a score hangs on most: some rows per measure and protocol."""

NEAR_TIES = pa.schema(
    [
        # original | shuffled
        field("variant", WORD),
        field("measure", WORD),
        field("protocol", WORD),
        field("pair_id", pa.string()),
        field("bias_type", WORD),
        # stereotype - antistereotype, as compared (after any rounding of the protocol)
        field("margin", pa.float64()),
        field("outcome", WORD),
        # how far float error may move the margin, and the outcome at either end of that
        field("error", pa.float64()),
        field("lowest", WORD),
        field("highest", WORD),
    ]
)
"""Near-ties: one row per decision that float error could turn."""

ACCURACY = pa.schema(
    [
        field("measure", WORD),
        # original | shuffled
        field("variant", WORD),
        # pair (both of its sentences) | stereotype | antistereotype | unrelated
        field("roles", WORD),
        # which tokens count: see unmask.statistics.accuracy
        field("reading", WORD),
        field("correct", pa.int32()),
        field("n", pa.int32()),
        # percent, with its Wilson interval
        field("accuracy", pa.float64()),
        field("low", pa.float64()),
        field("high", pa.float64()),
        field("confidence", pa.float64()),
    ]
)
"""Token accuracy: how often the right token has rank 1."""

TESTS = pa.schema(
    [
        # measures | shuffled | unrelated | decisions
        field("kind", WORD),
        field("first", WORD),
        field("second", WORD),
        # the reading of the accuracies compared; "pairs" for decisions
        field("reading", WORD),
        # null for accuracies, which have no protocol
        field("protocol", WORD, nullable=True),
        # token | sentence | pair
        field("unit", WORD),
        # is this the pairing unit that the study asks for
        field("chosen", pa.bool_()),
        field("n", pa.int32()),
        field("both", pa.int32()),
        # b: only the first is right (or decides "stereotype"); c: only the second
        field("b", pa.int32()),
        field("c", pa.int32()),
        field("neither", pa.int32()),
        # chi-square with continuity correction, or min(b, c) where exact
        field("statistic", pa.float64(), nullable=True),
        # raw, uncorrected
        field("p", pa.float64(), nullable=True),
        field("exact", pa.bool_()),
    ]
)
"""McNemar tests."""

AGREEMENT = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        # which votes count: any | own
        field("votes", WORD),
        # least number of votes that makes a pair positive
        field("threshold", pa.int16()),
        # margin | absolute margin | decision
        field("score", WORD),
        # all | stereo | antistereo
        field("direction", WORD),
        field("positives", pa.int32()),
        field("negatives", pa.int32()),
        # pairs with ratings left out because the measure has no score for them
        field("undefined", pa.int32()),
        field("auc", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # why auc or its interval is null
        field("reason", WORD, nullable=True),
        # the reading of Figure 1
        field("chosen", pa.bool_()),
        field("confidence", pa.float64()),
    ]
)
"""Area under the ROC curve of pair scores against human ratings, under every reading of the ratings."""

ROC = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        # rates of pairs with a score of at least the threshold, from (0, 0) to (1, 1)
        field("false_positive_rate", pa.float64()),
        field("true_positive_rate", pa.float64()),
    ]
)
"""The ROC curves of the chosen reading, in order, without points on a straight line between others."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "bias": BIAS,
    "leverage": LEVERAGE,
    "near_ties": NEAR_TIES,
    "accuracy": ACCURACY,
    "tests": TESTS,
    "agreement": AGREEMENT,
    "roc": ROC,
}
"""The schema of each of unmask.terms.STATISTICS."""
