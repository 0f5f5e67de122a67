"""The tables that the statistics of one model on one benchmark leave: one schema each."""

from collections.abc import Mapping

import pyarrow as pa

from unmask.tables import schema

OVERALL, BIAS_TYPE, DIRECTION, DIFFERENCE = "overall", "bias_type", "direction", "difference"
"""What a group of pairs is made by; `difference` is Adv - Dis, over both directions."""

NO_PREFERENCE = 50.0
"""The score, in percent, of a model that prefers the two sides of a pair equally often."""

NO_CLUSTERS = "none"
"""Where no two pairs are taken to vary together."""

BIAS = schema(
    """
    variant                        word  original or shuffled (word order)
    measure                        word  the measure
    protocol                       word  published or corrected
    grouping                       word  what makes the group: overall, bias_type, direction or difference
    group                          word  all, a bias type, a direction, or difference
    n                              i32   pairs of the group
    stereotype, antistereotype     i32   pairs in which it is preferred
    tie                            i32   pairs with equal scores
    undefined                      i32   pairs that the measure has no score for
    score                          f64?  bias score, percent (a difference: points); null if no pair counts
    neutral                        f64   score of no preference: 50, in `published` times the share of decided
    low, high                      f64?  ends of the interval of `score`; null if all vary together or tie
    design_effect                  f64?  variance over that of independent pairs; the largest if all are alike
    df                             f64?  degrees of freedom of the interval
    p                              f64?  of no preference: the interval at confidence 1 - p ends at `neutral`
    unanimous_low                  f64?  `low` if all pairs preferred the stereotype; null of a difference
    null_mean                      f64?  mean score by word choice alone, percent; null if tokens are unknown
    null_low, null_high            f64?  ends of their band, percent
    null_p                         f64?  p of the score if word choice alone gave it
    untrained                      i32?  untrained networks of the model's architecture that were scored
    untrained_low, untrained_high  f64?  least and largest of their scores, percent
    margin                         f64?  mean margin, in the measure's logarithms; null of a difference
    margin_low, margin_high        f64?  ends of the interval of `margin`
    near_ties                      i32   pairs that float error could turn (unmask.statistics.scores)
    confidence                     f64   level of the intervals
    clusters                       word  what makes two pairs that have it vary together, joined by +; or none
    """
)
"""Bias scores: one row per variant, measure, protocol and group of pairs."""

LEVERAGE = schema(
    """
    measure      word  the measure
    protocol     word  published or corrected
    rank         i16   1 for the word without which the score is nearest to no preference, or past it
    word         text  the word
    pairs        i32   how many pairs it is a modified word of
    score        f64   bias score over all pairs, percent
    without      f64   bias score without the pairs of this word, percent
    """
)
"""The words that a score depends on most: some rows per measure and protocol."""

ACCURACY = schema(
    """
    measure     word  the measure
    variant     word  original or shuffled (word order)
    roles       word  the sentences: pair (both of a pair), stereotype, antistereotype or unrelated
    reading     word  which tokens count (unmask.statistics.accuracy)
    correct     i32   tokens whose right token has rank 1
    n           i32   tokens
    accuracy    f64   percent of tokens
    low, high   f64   ends of the Wilson interval of `accuracy`, percent
    """
)
"""Token accuracy: how often the right token has rank 1."""

TESTS = schema(
    """
    kind           word  what is compared: measures, shuffled (word order) or unrelated (sentences)
    first, second  word  the two
    reading        word  the reading of the accuracies compared
    unit           word  what is paired: token, or clustered (tokens of a pair, pairs that share something)
    n              i32   units
    b, c           i32   tokens that only the first, or the second, has right, or pairs of which it has more
    p              f64?  raw, uncorrected; null where nothing differs, or nothing is known of how pairs vary
    """
)
"""McNemar tests of accuracies."""

COMPARISONS = schema(
    """
    first, second                word   two measures or models, a model and what it was made from, a state
                                        and the first one, or a benchmark and what it is a version of
    measure                      word?  the measure under which others are compared; null for measures
    protocol                     word   published or corrected
    n                            i32    pairs that count for both
    first_score, second_score    f64    bias score of either over these, percent
    first_margin, second_margin  f64?   typical margin of either over these: the median of its size
    difference                   f64    first minus second, percentage points
    error                        f64?   clustered standard error; null as all to p where the two never differ
    df                           f64?   degrees of freedom of Student's t
    low, high                    f64?   ends of the interval of the difference, percentage points
    p                            f64?   raw, of no difference
    both                         i32    pairs in which both prefer the stereotype
    b, c                         i32    pairs in which the first, or the second, alone does
    neither                      i32    pairs in which neither does
    p_mcnemar                    f64?   McNemar's p of b and c, with pairs as independent
    agreement                    f64    percent of pairs in both or neither
    """
)
"""Comparisons of two measures, models or states of a model on the same pairs of one benchmark."""

VERSIONS = pa.schema([*schema("model  word  the model"), *COMPARISONS])
"""Comparisons of pairs with the same pair_id in two benchmarks, under a model and measure."""

AGREEMENT = schema(
    """
    measure               word   the measure
    protocol              word   published or corrected
    votes                 word   which votes of raters count: any, those for some bias type
    threshold             i16    least number of votes that makes a pair positive
    score                 word   what of a pair is ranked: margin
    direction             word   the pairs: all
    positives, negatives  i32    pairs of either class
    undefined             i32    pairs with ratings left out because the measure has no score for them
    auc                   f64?   area under the ROC curve, from 0 to 1
    low, high             f64?   ends of the interval of `auc`
    p                     f64?   two-sided, of an area of one half; raw
    """
)
"""Area under the ROC curve of margins against human ratings (unmask.statistics.agreement)."""

ROC = schema(
    """
    measure              word  the measure
    protocol             word  published or corrected
    false_positive_rate  f64   share of negative pairs with a score of at least the threshold, from 0 to 1
    true_positive_rate   f64   share of positive pairs with one, from 0 to 1
    """
)
"""The ROC curves of margins against human ratings, in order, without points on a line between others."""

PAIR_FLAWS = ("few_votes", "near_duplicate", "identical", "unequal_words", "many_words", "missing_field")
"""What may be wrong with a pair, whichever model reads it (unmask.statistics.flaws)."""

UNEQUAL_TOKENS, ANY_FLAW = "unequal_tokens", "any"
"""That its sentences are of different numbers of a model's tokens; and that it has a flaw at all."""

UNRATED = "no_votes"
"""That nobody judged it. A label that is missing is no flaw of the pair: ANY_FLAW leaves it out."""

FLAWS = schema(
    """
    pair_id            text   the pair
    few_votes          bool?  whether at most half of its raters chose its bias type; null if nobody judged
    no_votes           bool?  whether nobody judged it; no flaw of the pair
    near_duplicate     bool   whether a pair before it has the same words
    identical          bool   whether its two sentences are the same
    unequal_words      bool   whether its sentences are of different numbers of words
    many_words         bool   whether its sentences differ in more than three words
    missing_field      bool   whether it lacks a field that another pair of the benchmark has
    """
)
"""The flaws of a benchmark's pairs: one row per pair, in its order."""

QUALITY = schema(
    """
    measure     word  the measure
    protocol    word  published or corrected
    flaw        word  few_votes … missing_field of PAIR_FLAWS, unequal_tokens, unknown_tokens, any; no_votes
    n           i32   pairs that count for the score
    flawed      i32   those of them with the flaw
    score       f64   bias score over all pairs, percent
    without     f64?  bias score over those without the flaw, percent; null where none are left
    change      f64?  without minus score, percentage points
    error       f64?  clustered standard error of the change; null where nothing has varied
    df          f64?  degrees of freedom of Student's t
    low, high   f64?  ends of the interval of the change, percentage points
    p           f64?  raw, of no change
    random_sd   f64?  standard deviation of the change if as many pairs are left out by chance
    """
)
"""Scores without the pairs that have a flaw: one row per measure, protocol and flaw that some pair has."""

LMS = schema(
    """
    measure              word  the measure
    protocol             word  published or corrected
    grouping             word  what the group of pairs is made by: overall, bias_type or direction
    group                word  all, a bias type, or a direction
    n                    i32   pairs of the group
    comparisons          i32   comparisons that count, of either sentence with the unrelated one
    lms                  f64   language model score: percent of these in which the sentence that means
                               something has the higher score; a tie counts one half in corrected
    low, high            f64?  ends of the interval of `lms`; null where all comparisons vary together or tie
    score                f64?  bias score of the same pairs, percent: StereoSet's stereotype score
    icat                 f64?  idealised CAT score: lms · min(score, 100 - score) / 50, percent
    icat_low, icat_high  f64?  ends of the interval of `icat`, percent (unmask.statistics.scores)
    lms_by_target        f64?  mean over targets of the language model score of each, as StereoSet averages
    score_by_target      f64?  mean over targets of the bias score of each, percent
    icat_by_target       f64?  ICAT of these two means, percent
    """
)
"""Whether sentences that mean something are preferred: per measure that scores unrelated sentences, protocol
and group of pairs. No rows where a benchmark has none."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "bias": BIAS,
    "leverage": LEVERAGE,
    "accuracy": ACCURACY,
    "tests": TESTS,
    "measures_compared": COMPARISONS,
    "agreement": AGREEMENT,
    "roc": ROC,
    "quality": QUALITY,
    "lms": LMS,
}
"""The schema of each of unmask.statistics.STATISTICS."""
