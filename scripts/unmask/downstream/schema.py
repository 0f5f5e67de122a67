"""The tables of downstream tasks."""

from unmask.tables import schema

EXAMPLES = schema(
    """
    part    word        train or dev
    text    long_text   the text, or the first of two sentences
    second  long_text?  the second of two sentences
    label   f64         number of the label; for similarity the score, from 0 to 1
    gender  word?       female or male, of the person whom the text is about; null where nobody says
    """
)
"""What a model is fine-tuned on. One row per example, those of train first.

Metadata: task, format, kind, labels (their names by number; null for similarity), source, remarks
(sentences), published_rows (of train, in the paper's counts; null: all).
"""

ITEMS = schema(
    """
    item          i32         number of the item, its row, from 0
    part          word        test (for accuracy and, of occupations, for the gaps) or bias
    text          long_text   the text, or the first of two sentences
    second        long_text?  the second of two sentences
    label         f64?        as in EXAMPLES; null for items of bias
    gender        word?       female or male; null where nobody says
    occupation    word?       for occupations the label's name; else that of the template
    female_share  f64?        percentage of women among its training examples, or those who work in it
    template      i32?        what repeats: the sentence or frame that an item of bias is made from
    sampled       bool        whether every checkpoint predicts it, or only the last
    ideal         f64[]?      of a synthetic task: logits of a model that has learnt it, or similarity
    """
)
"""What a fine-tuned model predicts. Items of bias that differ in gender alone share template and occupation.

Metadata: task, kind, labels, source, remarks.
"""

PREDICTIONS = schema(
    """
    step    i32    step of training; 0 is before the first
    item    i32    the item
    logits  f32[]  one per label; for similarity one number, the similarity
    """
)
"""What one run predicts at each checkpoint: the evidence of this family. In order of step and item.

Metadata: model, task, kind, labels, seed, fine_tuning (all settings), steps, history (a list of {step, loss,
dev: accuracy or Pearson's r}), tried (of a search, each setting with its dev result), device.
"""

SCORES = schema(
    """
    seed        i32?   seed of the run; null: mean over the seeds
    step        i32    step of training; 0 is before the first
    metric      word   the metric
    group       word?  an occupation; null: all of them
    value       f64    value of the metric, in its unit (docs/debiasing.md#downstream-tasks)
    low         f64?   lower end of the interval of `value`, clustered by occupation (and template)
    high        f64?   upper end of the interval from `low`
    n           i32    items
    units       i32    units of the interval
    null_mean   f64?   mean of the value where genders are permuted in occupations, or templates swapped
    null_low    f64?   lower end of the interval of `null_mean`
    null_high   f64?   upper end of the interval from `null_low`
    p           f64?   p of the value under a model that treats the genders alike
    confidence  f64    level of the intervals
    truth       f64?   of a synthetic task: the value of a model that has learnt it
    """
)
"""How well one model does one task, and how unequally. A row whose seed is null is the mean over the seeds,
with an interval that has seeds as a level.

Metadata: model, task, kind, remarks (those of the task), runs (their facts).
"""

CORRELATIONS = schema(
    """
    task          word   the task
    metric        word   main metric of the task
    benchmark     word   the benchmark of the intrinsic score
    pairs         word   pairs that the intrinsic score is over: all, or those of this bias type
    n             i32    N, pairs that the intrinsic score counts: the fewest of any model
    measure       word   measure of the intrinsic score
    protocol      word   published (signed score - 50) or corrected (its size), of the measure's same protocol
    when          word   of which model the intrinsic score is: before or after fine-tuning
    models        i32    models that are correlated
    tau           f64?   Kendall's tau-b; null below 8 models
    p             f64?   p of tau by its own distribution
    p_families    f64?   p of tau by permuting the families
    permutations  i32?   distinct permutations of the families behind it, drawn or all
    reason        word?  why there is no tau, or no p of families
    """
)
"""Does intrinsic bias predict extrinsic bias? One row per task's main metric and intrinsic score."""

WORD_COUNTS = schema(
    """
    protocol   word  published (words between spaces) or corrected (runs of letters)
    feminine   i64   feminine words
    masculine  i64   masculine words
    ilps       f64?  ln(P_f / P_m); null where there are none of one gender
    low        f64?  lower end of the interval of `ilps`; the unit is the example
    high       f64?  upper end of the interval from `low`
    n          i32   examples
    """
)
"""Feminine and masculine words in the examples that models are fine-tuned on. One row a protocol.

Metadata: task, confidence.
"""
