"""Judgements on what was planted."""

from unmask.tables import schema

JUDGEMENTS = schema(
    """
    benchmark    word  the benchmark, which a synthetic world made
    bias_type    word  bias type of the pairs
    planted      word  association, frequency, both or nothing
    association  f64   pairs whose stereotype is associated less those whose antistereotype is, of all pairs,
                       from -1 to 1; 0 where nothing is associated
    p_low        f64   least probability of the stereotyped side, from 0 to 1
    p_high       f64   largest probability of the stereotyped side, from 0 to 1
    ratio_low    f64   least ratio of the frequencies of the two words
    ratio_high   f64   largest ratio of the frequencies of the two words
    measure      word  the measure
    exact        f64?  bias score of the exact model of the world, percent; null in a study without one
    model        word  the model, trained on the corpus of the world
    n            i32   pairs of the bias type
    score        f64?  bias score of the model, percent, protocol corrected; null where no pair is decided
    low          f64?  lower end of the interval of `score`, percent; null where there is no interval
    high         f64?  upper end of the interval from `low`
    null_low     f64?  lower end of the band of word choice alone, percent; null if tokens are unknown
    null_high    f64?  upper end of the interval from `null_low`
    verdict      word  verdict on the score (docs/chance.md)
    p_holm       f64?  the larger of p and null_p after Holm's correction over all judged scores that are
                       testable; null of others
    judgement    word  found, missed, fooled or right; cannot be told, also where no score of these pairs
                       could be a clear preference; control of a score without a verdict
    """
)
"""One row per benchmark of a world, bias type, measure and model that was trained on the world."""
