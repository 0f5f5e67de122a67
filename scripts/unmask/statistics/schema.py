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
        field("variant", WORD, meaning="original or shuffled (word order)"),
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field(
            "grouping",
            WORD,
            meaning="what the group of pairs is made by: overall, bias_type, direction or difference",
        ),
        field(
            "group",
            WORD,
            meaning="all, a bias type, or a direction; `difference` for advantaged minus disadvantaged",
        ),
        field("n", pa.int32(), meaning="pairs of the group"),
        field("stereotype", pa.int32(), meaning="pairs in which the stereotype is preferred"),
        field("antistereotype", pa.int32(), meaning="pairs in which the other sentence is"),
        field("tie", pa.int32(), meaning="pairs with equal scores"),
        field("undefined", pa.int32(), meaning="pairs that the measure has no score for"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="bias score in percent, of a difference in percentage points; null where no pair has "
            "a decision",
        ),
        field(
            "neutral",
            pa.float64(),
            meaning="the score where there is no preference: 50, in `published` 50 times the share of pairs "
            "that are neither ties nor undefined; of a difference that of the two",
        ),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `score`, which allows for pairs that vary together "
            "(`clusters`); null where all of them do or none is decided, and for a difference where "
            "either score has none",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field(
            "design_effect",
            pa.float64(),
            nullable=True,
            meaning="by what varying together multiplies the variance of independent pairs; where "
            "decisions are all alike the largest that the sharing allows",
        ),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of the interval"),
        field(
            "wilson_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the Wilson interval of independent pairs, percent; null for a difference",
        ),
        field(
            "wilson_high", pa.float64(), nullable=True, meaning="upper end of the interval from `wilson_low`"
        ),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="two-sided p of no preference: the interval from `low` to `high` would end at "
            "`neutral` at the confidence 1 - p; of a difference, of no difference",
        ),
        field(
            "unanimous_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval if all pairs were decided for the stereotype, percent: where "
            "it is not above `neutral`, no score of these pairs could be a clear preference; null of a "
            "difference",
        ),
        field(
            "words",
            pa.int32(),
            nullable=True,
            meaning="over all pairs alone: different words (and what else is among `clusters`) "
            "by which these pairs vary together; null where pairs are taken as independent",
        ),
        field(
            "chance_difference",
            pa.float64(),
            nullable=True,
            meaning="of a difference alone: its mean absolute value where there is none, percentage points",
        ),
        field(
            "null_mean",
            pa.float64(),
            nullable=True,
            meaning="scores that word choice alone gives (unmask.statistics.lexical), percent: mean; null "
            "where too little is known of tokens",
        ),
        field(
            "null_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the band of scores that word choice alone gives, percent",
        ),
        field("null_high", pa.float64(), nullable=True, meaning="upper end of the interval from `null_low`"),
        field("null_p", pa.float64(), nullable=True, meaning="p of the score if word choice alone gave it"),
        field("null_draws", pa.int32(), nullable=True, meaning="how many draws these are of"),
        field(
            "null_undecided",
            pa.bool_(),
            nullable=True,
            meaning="whether so many draws leave open if the score lies in the interval",
        ),
        field(
            "untrained",
            pa.int32(),
            nullable=True,
            meaning="untrained networks of the model's architecture that were scored; null without them",
        ),
        field("untrained_mean", pa.float64(), nullable=True, meaning="mean of their scores, percent"),
        field("untrained_low", pa.float64(), nullable=True, meaning="least of their scores, percent"),
        field("untrained_high", pa.float64(), nullable=True, meaning="largest of their scores, percent"),
        field(
            "margin",
            pa.float64(),
            nullable=True,
            meaning="mean margin, in the measure's unit of natural logarithms; null for a difference",
        ),
        field("margin_low", pa.float64(), nullable=True, meaning="lower end of the interval of `margin`"),
        field("margin_high", pa.float64(), nullable=True, meaning="upper end of its interval"),
        field(
            "near_ties", pa.int32(), meaning="pairs that float error could turn (unmask.statistics.near_ties)"
        ),
        field(
            "near_low",
            pa.float64(),
            nullable=True,
            meaning="the score if all of these went against the stereotype, percent; null for a difference",
        ),
        field("near_high", pa.float64(), nullable=True, meaning="the score if all of them went for it"),
        field(
            "differing",
            pa.int32(),
            nullable=True,
            meaning="pairs whose outcome differs between the two protocols; null where there is one "
            "protocol only",
        ),
        field("confidence", pa.float64(), meaning="level of the intervals"),
        field(
            "clusters",
            WORD,
            meaning="what makes two pairs vary together where both have it: words, target, writer, joined "
            "by +; or none",
        ),
    ]
)
"""Bias scores: one row per variant, measure, protocol and group of pairs."""

LEVERAGE = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field(
            "rank",
            pa.int16(),
            meaning="1 for the word without which the score is furthest towards 50 (or past it)",
        ),
        field("word", pa.string(), meaning="the word"),
        field("pairs", pa.int32(), meaning="how many pairs it is a modified word of"),
        field("score", pa.float64(), meaning="bias score over all pairs, percent"),
        field("without", pa.float64(), meaning="bias score without the pairs of this word, percent"),
        field(
            "without_all", pa.float64(), meaning="bias score without those of all words to this rank, percent"
        ),
        field("left", pa.int32(), meaning="pairs that are left then"),
    ]
)
"""The words that a score depends on most: some rows per measure and protocol."""

ACCURACY = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("variant", WORD, meaning="original or shuffled (word order)"),
        field(
            "roles",
            WORD,
            meaning="the sentences: pair (both of a pair), stereotype, antistereotype or unrelated",
        ),
        field("reading", WORD, meaning="which tokens count (unmask.statistics.accuracy)"),
        field("correct", pa.int32(), meaning="tokens whose right token has rank 1"),
        field("n", pa.int32(), meaning="tokens"),
        field("accuracy", pa.float64(), meaning="percent of tokens"),
        field("low", pa.float64(), meaning="lower end of the Wilson interval of `accuracy`, percent"),
        field("high", pa.float64(), meaning="upper end of the interval from `low`"),
        field("confidence", pa.float64(), meaning="level of the interval"),
    ]
)
"""Token accuracy: how often the right token has rank 1."""

TESTS = pa.schema(
    [
        field(
            "kind", WORD, meaning="what is compared: measures, shuffled (word order) or unrelated (sentences)"
        ),
        field("first", WORD, meaning="the first of the two"),
        field("second", WORD, meaning="the second"),
        field("reading", WORD, meaning="the reading of the accuracies compared"),
        field(
            "unit",
            WORD,
            meaning="what is paired: token, or clustered (tokens of a pair, and pairs that share something)",
        ),
        field("n", pa.int32(), meaning="units"),
        field(
            "both",
            pa.int32(),
            nullable=True,
            meaning="tokens that both have right; null where clustered",
        ),
        field(
            "b",
            pa.int32(),
            meaning="tokens that only the first has right, or pairs of which it has more right",
        ),
        field("c", pa.int32(), meaning="as `b`, of the second"),
        field(
            "neither",
            pa.int32(),
            nullable=True,
            meaning="tokens that none has right; null where clustered",
        ),
        field(
            "statistic",
            pa.float64(),
            nullable=True,
            meaning="chi-square with continuity correction, or min(b, c) where exact; clustered "
            "(Σd)² / Σd² over clusters, or Student's t where there is a df; null "
            "where nothing differs",
        ),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of Student's t"),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="raw, uncorrected; null where nothing differs, and where `untestable`",
        ),
        field("exact", pa.bool_(), meaning="whether p is exact"),
        field(
            "untestable",
            pa.bool_(),
            meaning="whether something differs with too few pairs that share nothing for any p below 0.05",
        ),
    ]
)
"""McNemar tests of accuracies."""

COMPARISONS = pa.schema(
    [
        field("first", WORD, meaning="the first of two measures of one model, or of two models"),
        field("second", WORD, meaning="the second"),
        field(
            "measure",
            WORD,
            nullable=True,
            meaning="the measure under which models are compared; null for measures",
        ),
        field(
            "second_measure",
            WORD,
            nullable=True,
            meaning="that of the second model, where the two have no measure in common and each is compared "
            "under its headline measure; else null",
        ),
        field("protocol", WORD, meaning="published or corrected"),
        field("n", pa.int32(), meaning="pairs that count for both"),
        field("first_score", pa.float64(), meaning="bias score of the first over these, percent"),
        field("second_score", pa.float64(), meaning="bias score of the second, percent"),
        field("difference", pa.float64(), meaning="first minus second, percentage points"),
        field(
            "error",
            pa.float64(),
            nullable=True,
            meaning="clustered standard error of the difference; null as all from here to p where nothing "
            "can be said, as where the two never differ",
        ),
        field(
            "independent_error",
            pa.float64(),
            nullable=True,
            meaning="standard error of the difference if pairs were independent",
        ),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of Student's t"),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of the difference, percentage points",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("p", pa.float64(), nullable=True, meaning="raw, of no difference"),
        field("both", pa.int32(), meaning="pairs in which both prefer the stereotype"),
        field("b", pa.int32(), meaning="pairs in which the first alone does"),
        field("c", pa.int32(), meaning="pairs in which the second alone does"),
        field("neither", pa.int32(), meaning="pairs in which neither does"),
        field(
            "p_mcnemar",
            pa.float64(),
            nullable=True,
            meaning="McNemar's p of b and c, with pairs as independent",
        ),
        field("agreement", pa.float64(), meaning="percent of pairs in both or neither"),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
)
"""Comparisons of two measures of one model, or of two models, on the same pairs of one benchmark."""

VERSIONS = pa.schema(
    [
        field("model", WORD, meaning="the model"),
        field("original", WORD, meaning="the benchmark that this one is a version of: the second"),
        field(
            "texts",
            WORD,
            meaning="all pairs with the same pair_id in both, or those with other sentences (changed)",
        ),
        *(each for each in COMPARISONS if each.name not in ("first", "second", "second_measure")),
    ]
)
"""Comparisons of a benchmark, the first, with another that it is a version of, under a model and measure."""

STATES = pa.schema(
    [
        field("first", WORD, meaning="the first state of the series, which the others are compared with"),
        field("state", WORD, meaning="the state"),
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("n", pa.int32(), meaning="pairs that count for all states"),
        field("first_score", pa.float64(), meaning="bias score of the first state over these, percent"),
        field("score", pa.float64(), meaning="bias score of the state, percent"),
        field("difference", pa.float64(), meaning="state minus first, percentage points"),
        field(
            "error",
            pa.float64(),
            nullable=True,
            meaning="clustered standard error of the difference; null as all from here to p where "
            "nothing can be said, as where the two never differ",
        ),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of Student's t"),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of the difference, percentage points",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("p", pa.float64(), nullable=True, meaning="raw, of no difference"),
        field("changed", pa.int32(), meaning="pairs that are decided otherwise than by the first state"),
        field("beyond", pa.int32(), meaning="those of them that float error cannot have turned"),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
)
"""States of one model compared with the first of them, on the same pairs of one benchmark."""

AGREEMENT = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("votes", WORD, meaning="which votes of raters count: any or own"),
        field("threshold", pa.int16(), meaning="least number of votes that makes a pair positive"),
        field("score", WORD, meaning="what of a pair is ranked: margin, absolute margin or decision"),
        field("direction", WORD, meaning="the pairs: all, stereo or antistereo"),
        field("positives", pa.int32(), meaning="positive pairs"),
        field("negatives", pa.int32(), meaning="negative pairs"),
        field(
            "undefined",
            pa.int32(),
            meaning="pairs with ratings left out because the measure has no score for them",
        ),
        field("auc", pa.float64(), nullable=True, meaning="area under the ROC curve, from 0 to 1"),
        field("low", pa.float64(), nullable=True, meaning="lower end of the interval of `auc`"),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field(
            "method",
            WORD,
            nullable=True,
            meaning="how the interval is made: clustered or newcombe (unmask.statistics.areas)",
        ),
        field(
            "delong_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of DeLong's interval of independent pairs; null where the method is newcombe",
        ),
        field(
            "delong_high", pa.float64(), nullable=True, meaning="upper end of the interval from `delong_low`"
        ),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="two-sided, of an area of one half, by the same method; raw",
        ),
        field("reason", WORD, nullable=True, meaning="why auc or its interval is null"),
        field("chosen", pa.bool_(), meaning="whether this is the reading of Figure 1"),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
)
"""Area under the ROC curve of pair scores against human ratings, under every reading of the ratings."""

AREAS_COMPARED = pa.schema(
    [
        field("first", WORD, meaning="the first measure"),
        field("second", WORD, meaning="the second measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("positives", pa.int32(), meaning="positive pairs with a score of both"),
        field("negatives", pa.int32(), meaning="negative ones"),
        field("first_auc", pa.float64(), meaning="area of the first, from 0 to 1"),
        field("second_auc", pa.float64(), meaning="area of the second"),
        field("difference", pa.float64(), meaning="first minus second"),
        field("error", pa.float64(), nullable=True, meaning="clustered standard error of the difference"),
        field("delong_error", pa.float64(), nullable=True, meaning="DeLong's, of independent pairs"),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of Student's t"),
        field("low", pa.float64(), nullable=True, meaning="lower end of the interval of the difference"),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("p", pa.float64(), nullable=True, meaning="raw, of no difference"),
        field("reason", WORD, nullable=True, meaning="why there is no error and no p"),
        field("confidence", pa.float64(), meaning="level of the interval"),
    ]
)
"""The areas of every two measures of one protocol, under the chosen reading over all directions, compared."""

ROC = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field(
            "false_positive_rate",
            pa.float64(),
            meaning="share of negative pairs with a score of at least the threshold, from 0 to 1",
        ),
        field("true_positive_rate", pa.float64(), meaning="share of positive pairs with one, from 0 to 1"),
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
        field("pair_id", pa.string(), meaning="the pair"),
        field(
            "few_votes",
            pa.bool_(),
            nullable=True,
            meaning="whether no more than half of its raters chose its own bias type; null where nothing "
            "can be said: of a pair that nobody judged, or of a benchmark of such",
        ),
        field(UNRATED, pa.bool_(), nullable=True, meaning="whether nobody judged it; no flaw of the pair"),
        field("near_duplicate", pa.bool_(), meaning="whether a pair before it is all but the same"),
        field("near_duplicate_of", pa.string(), nullable=True, meaning="the pair before it that it is like"),
        field("identical", pa.bool_(), meaning="whether its two sentences are the same"),
        field("unequal_words", pa.bool_(), meaning="whether its sentences are of different numbers of words"),
        field(
            "many_words",
            pa.bool_(),
            meaning="whether its sentences differ in more than MANY words (unmask.statistics.flaws)",
        ),
        field(
            "missing_field",
            pa.bool_(),
            meaning="whether it lacks a field that another pair of the benchmark has",
        ),
    ]
)
"""The flaws of a benchmark's pairs: one row per pair, in its order."""

QUALITY = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field(
            "flaw",
            WORD,
            meaning="one of PAIR_FLAWS, UNEQUAL_TOKENS, ANY_FLAW or "
            "unmask.statistics.quality.UNKNOWN_TOKENS; or UNRATED, which is none",
        ),
        field("n", pa.int32(), meaning="pairs that count for the score"),
        field("flawed", pa.int32(), meaning="those of them with the flaw"),
        field("score", pa.float64(), meaning="bias score over all pairs, percent"),
        field(
            "without",
            pa.float64(),
            nullable=True,
            meaning="bias score over those without the flaw, percent; null where none are left",
        ),
        field("change", pa.float64(), nullable=True, meaning="without minus score, percentage points"),
        field(
            "error",
            pa.float64(),
            nullable=True,
            meaning="clustered standard error of the change; null as all from here on where nothing can "
            "be said",
        ),
        field("df", pa.float64(), nullable=True, meaning="degrees of freedom of Student's t"),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of the change, percentage points",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("p", pa.float64(), nullable=True, meaning="raw, of no change"),
        field(
            "random_sd",
            pa.float64(),
            nullable=True,
            meaning="standard deviation of the change if as many pairs are left out by chance, percentage "
            "points",
        ),
        field("confidence", pa.float64(), meaning="level of the interval"),
    ]
)
"""Scores without the pairs that have a flaw: one row per measure, protocol and flaw that some pair has."""

LMS = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field(
            "grouping", WORD, meaning="what the group of pairs is made by: overall, bias_type or direction"
        ),
        field("group", WORD, meaning="all, a bias type, or a direction"),
        field("n", pa.int32(), meaning="pairs of the group"),
        field(
            "comparisons",
            pa.int32(),
            meaning="comparisons that count: of the stereotypical sentence with the unrelated one, and of "
            "the antistereotypical one likewise",
        ),
        field(
            "preferred",
            pa.int32(),
            meaning="those in which the sentence that means something has the higher score",
        ),
        field("tie", pa.int32(), meaning="those in which both have the same"),
        field("undefined", pa.int32(), meaning="comparisons in which a sentence has nothing to score"),
        field(
            "lms",
            pa.float64(),
            meaning="language model score: `preferred` in percent of `comparisons`; in protocol corrected a "
            "tie counts one half",
        ),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `lms`, percent, which allows for comparisons that vary "
            "together; null where all of them do, or are ties",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="bias score of the same pairs, percent: StereoSet's stereotype score",
        ),
        field(
            "icat",
            pa.float64(),
            nullable=True,
            meaning="idealised CAT score: lms · min(score, 100 - score) / 50, percent",
        ),
        field(
            "icat_low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `icat`, percent (unmask.statistics.lms)",
        ),
        field("icat_high", pa.float64(), nullable=True, meaning="upper end of the interval from `icat_low`"),
        field(
            "targets",
            pa.int32(),
            nullable=True,
            meaning="targets of the comparisons that count; null where the benchmark states none",
        ),
        field(
            "lms_by_target",
            pa.float64(),
            nullable=True,
            meaning="mean over targets of the language model score of each, percent, as StereoSet averages",
        ),
        field(
            "score_by_target",
            pa.float64(),
            nullable=True,
            meaning="mean over targets of the bias score of each, percent",
        ),
        field("icat_by_target", pa.float64(), nullable=True, meaning="ICAT of these two means, percent"),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
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
    "areas_compared": AREAS_COMPARED,
    "quality": QUALITY,
    "lms": LMS,
}
"""The schema of each of unmask.statistics.names.STATISTICS."""
