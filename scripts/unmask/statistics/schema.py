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
        # its interval, which allows for pairs that vary together (`clusters`); null where all of them do,
        # and for a difference where either score has none
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # by what that multiplies the variance of independent pairs, and its degrees of freedom; where
        # decisions are all alike the largest that the sharing allows
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
        # how many draws these are of, and whether so many leave open if the score lies in the interval
        field("null_draws", pa.int32(), nullable=True),
        field("null_undecided", pa.bool_(), nullable=True),
        # over all pairs of the original order alone: readings of what pairs share, the study's own among
        # them, and those under which the interval leaves out 50 (or contains it) as it does here
        field("readings", pa.int32(), nullable=True),
        field("readings_alike", pa.int32(), nullable=True),
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
        # measures | shuffled | unrelated
        field("kind", WORD),
        field("first", WORD),
        field("second", WORD),
        # the reading of the accuracies compared
        field("reading", WORD),
        # token | pair (tokens clustered by pair) | clustered (and pairs that share something) | sentence
        field("unit", WORD),
        # is this the pairing unit that the study asks for
        field("chosen", pa.bool_()),
        field("n", pa.int32()),
        # null by pair and clustered
        field("both", pa.int32(), nullable=True),
        # b: units that only the first has right, or pairs of which it has more tokens right; c: the second
        field("b", pa.int32()),
        field("c", pa.int32()),
        field("neither", pa.int32(), nullable=True),
        # chi-square with continuity correction, or min(b, c) where exact; by pair (Σd)² / Σd²; clustered the
        # same over clusters, or Student's t where there is a df; null where nothing differs
        field("statistic", pa.float64(), nullable=True),
        field("df", pa.float64(), nullable=True),
        # raw, uncorrected; null where nothing differs, and where `untestable`
        field("p", pa.float64(), nullable=True),
        field("exact", pa.bool_()),
        # does something differ, with too few pairs that share nothing for any p below 0.05
        field("untestable", pa.bool_()),
    ]
)
"""McNemar tests of accuracies."""

COMPARISONS = pa.schema(
    [
        # two measures of one model, or two models
        field("first", WORD),
        field("second", WORD),
        # under which models are compared; null for measures
        field("measure", WORD, nullable=True),
        field("protocol", WORD),
        # pairs that count for both, and the bias scores over these, percent
        field("n", pa.int32()),
        field("first_score", pa.float64()),
        field("second_score", pa.float64()),
        # percentage points, first - second, with the clustered standard error and that of independent pairs;
        # null from here to p where nothing can be said, as where the two never differ
        field("difference", pa.float64()),
        field("error", pa.float64(), nullable=True),
        field("independent_error", pa.float64(), nullable=True),
        # of Student's t, with its interval and raw p
        field("df", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("p", pa.float64(), nullable=True),
        # pairs in which both prefer the stereotype, the first alone (b), the second alone (c), or neither
        field("both", pa.int32()),
        field("b", pa.int32()),
        field("c", pa.int32()),
        field("neither", pa.int32()),
        # of b and c, with pairs as independent
        field("p_mcnemar", pa.float64(), nullable=True),
        # percent of pairs in both or neither
        field("agreement", pa.float64()),
        # Cohen's, with its clustered interval
        field("kappa", pa.float64(), nullable=True),
        field("kappa_low", pa.float64(), nullable=True),
        field("kappa_high", pa.float64(), nullable=True),
        field("confidence", pa.float64()),
    ]
)
"""Comparisons of two measures of one model, or of two models, on the same pairs of one benchmark."""

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
        # its interval, and how that is made: clustered | newcombe (unmask.statistics.areas)
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("method", WORD, nullable=True),
        # DeLong's, of independent pairs; null where the method is newcombe
        field("delong_low", pa.float64(), nullable=True),
        field("delong_high", pa.float64(), nullable=True),
        # two-sided, of an area of one half, by the same method; raw
        field("p", pa.float64(), nullable=True),
        # why auc or its interval is null
        field("reason", WORD, nullable=True),
        # the reading of Figure 1
        field("chosen", pa.bool_()),
        field("confidence", pa.float64()),
    ]
)
"""Area under the ROC curve of pair scores against human ratings, under every reading of the ratings."""

AREAS_COMPARED = pa.schema(
    [
        field("first", WORD),
        field("second", WORD),
        field("protocol", WORD),
        # rated pairs with a score of both
        field("positives", pa.int32()),
        field("negatives", pa.int32()),
        field("first_auc", pa.float64()),
        field("second_auc", pa.float64()),
        # first - second, with the clustered standard error and DeLong's of independent pairs
        field("difference", pa.float64()),
        field("error", pa.float64(), nullable=True),
        field("delong_error", pa.float64(), nullable=True),
        # of Student's t, with its interval and raw p
        field("df", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("p", pa.float64(), nullable=True),
        # why there is no error and no p
        field("reason", WORD, nullable=True),
        field("confidence", pa.float64()),
    ]
)
"""The areas of every two measures of one protocol, under the chosen reading over all directions, compared."""

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

PAIR_FLAWS = (
    "few_votes",
    "near_duplicate",
    "identical",
    "unequal_words",
    "many_words",
    "missing_field",
)
"""What may be wrong with a pair, whichever model reads it (unmask.statistics.flaws)."""

UNEQUAL_TOKENS, ANY_FLAW = "unequal_tokens", "any"
"""That its sentences are of different numbers of a model's tokens; and that it has a flaw at all."""

UNRATED = "no_votes"
"""That nobody judged it. A label that is missing is no flaw of the pair: ANY_FLAW leaves it out."""

FLAWS = pa.schema(
    [
        field("pair_id", pa.string()),
        # null where nothing can be said: of a pair that nobody judged, or of a benchmark of such
        field("few_votes", pa.bool_(), nullable=True),
        field(UNRATED, pa.bool_(), nullable=True),
        field("near_duplicate", pa.bool_()),
        # the pair before it that it is like
        field("near_duplicate_of", pa.string(), nullable=True),
        field("identical", pa.bool_()),
        field("unequal_words", pa.bool_()),
        field("many_words", pa.bool_()),
        field("missing_field", pa.bool_()),
    ]
)
"""The flaws of a benchmark's pairs: one row per pair, in its order."""

QUALITY = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        # one of PAIR_FLAWS, UNEQUAL_TOKENS, ANY_FLAW or unmask.statistics.quality.UNKNOWN_TOKENS; or
        # UNRATED, which is none
        field("flaw", WORD),
        # pairs that count for the score, and those of them with the flaw
        field("n", pa.int32()),
        field("flawed", pa.int32()),
        # percent: over all pairs, and over those without the flaw; null where none are left
        field("score", pa.float64()),
        field("without", pa.float64(), nullable=True),
        # points, without - score, with its clustered standard error; null from error on where nothing can be
        # said
        field("change", pa.float64(), nullable=True),
        field("error", pa.float64(), nullable=True),
        # of Student's t, with its interval and raw p
        field("df", pa.float64(), nullable=True),
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        field("p", pa.float64(), nullable=True),
        # points: the standard deviation of the change if as many pairs are left out by chance
        field("random_sd", pa.float64(), nullable=True),
        field("confidence", pa.float64()),
    ]
)
"""Scores without the pairs that have a flaw: one row per measure, protocol and flaw that some pair has."""

DISPUTED = pa.schema(
    [
        field("protocol", WORD),
        # 1: the pair that measures are furthest apart on
        field("rank", pa.int16()),
        field("pair_id", pa.string()),
        # the measure furthest for the stereotype, and the one furthest against it, with their margins
        field("first", WORD),
        field("second", WORD),
        field("first_margin", pa.float64()),
        field("second_margin", pa.float64()),
        # how many percent of the measure's pairs have a margin no larger than this, whatever its sign
        field("first_place", pa.float64()),
        field("second_place", pa.float64()),
        # measures that prefer the stereotype, and that prefer the other sentence
        field("for_it", pa.int16()),
        field("against_it", pa.int16()),
    ]
)
"""The pairs that the measures of one model disagree on most: some rows per protocol."""

ROC_BANDS = pa.schema(
    [
        field("measure", WORD),
        field("protocol", WORD),
        field("false_positive_rate", pa.float64()),
        # of the true positive rate there, pointwise (unmask.statistics.bands)
        field("low", pa.float64()),
        field("high", pa.float64()),
        field("confidence", pa.float64()),
    ]
)
"""Where the curves of ROC may lie, at the same false positive rates for all; without those not known."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "bias": BIAS,
    "leverage": LEVERAGE,
    "near_ties": NEAR_TIES,
    "accuracy": ACCURACY,
    "tests": TESTS,
    "measures_compared": COMPARISONS,
    "agreement": AGREEMENT,
    "roc": ROC,
    "roc_bands": ROC_BANDS,
    "areas_compared": AREAS_COMPARED,
    "quality": QUALITY,
    "disputed": DISPUTED,
}
"""The schema of each of unmask.statistics.names.STATISTICS."""
