"""The tables of downstream tasks."""

import pyarrow as pa

from unmask.tables import WORD, field

EXAMPLES = pa.schema(
    [
        field("part", WORD, meaning="train or dev"),
        field("text", pa.large_string(), meaning="the text, or the first of two sentences"),
        field("second", pa.large_string(), nullable=True, meaning="the second of two sentences"),
        field("label", pa.float64(), meaning="number of the label; for similarity the score, from 0 to 1"),
        field(
            "gender",
            WORD,
            nullable=True,
            meaning="female or male, of the person whom the text is about; null where nobody says",
        ),
    ]
)
"""What a model is fine-tuned on. One row per example, those of train first.

Metadata: task, format, kind, labels (their names by number; null for similarity), source, remarks
(sentences), published_rows (of train, in the paper's counts; null: all).
"""

ITEMS = pa.schema(
    [
        field("item", pa.int32(), meaning="number of the item, its row, from 0"),
        field("part", WORD, meaning="test (for accuracy and, of occupations, for the gaps) or bias"),
        field("text", pa.large_string(), meaning="the text, or the first of two sentences"),
        field("second", pa.large_string(), nullable=True, meaning="the second of two sentences"),
        field(
            "label",
            pa.float64(),
            nullable=True,
            meaning="as in EXAMPLES; null for items of bias, which have no right answer but `neutral`, or "
            "none",
        ),
        field("gender", WORD, nullable=True, meaning="female or male; null where nobody says"),
        field(
            "occupation",
            WORD,
            nullable=True,
            meaning="for occupations the label's name; else that of the template",
        ),
        field(
            "female_share",
            pa.float64(),
            nullable=True,
            meaning="female share of the occupation in percent: among the training examples of its label, "
            "or of all who work in it",
        ),
        field(
            "template",
            pa.int32(),
            nullable=True,
            meaning="what repeats: the sentence or frame that an item of bias is made from",
        ),
        field("sampled", pa.bool_(), meaning="whether every checkpoint predicts it, or only the last"),
        field(
            "ideal",
            pa.list_(pa.float64()),
            nullable=True,
            meaning="of a synthetic task: the logits of a model that has learnt it, or the similarity",
        ),
    ]
)
"""What a fine-tuned model predicts. Items of bias that differ in gender alone share template and occupation.

Metadata: task, kind, labels, source, remarks.
"""

PREDICTIONS = pa.schema(
    [
        field("step", pa.int32(), meaning="step of training; 0 is before the first"),
        field("item", pa.int32(), meaning="the item"),
        field(
            "logits",
            pa.list_(pa.float32()),
            meaning="one per label; for similarity one number, the similarity",
        ),
    ]
)
"""What one run predicts at each checkpoint: the evidence of this wing. In order of step and item.

Metadata: model, task, kind, labels, seed, fine_tuning (all settings, as used), steps, history (a list of
{step, loss, dev: accuracy or Pearson's r}), tried (of a search, each setting with its dev result), device.
"""

SCORES = pa.schema(
    [
        field("seed", pa.int32(), nullable=True, meaning="seed of the run; null: mean over the seeds"),
        field("step", pa.int32(), meaning="step of training; 0 is before the first"),
        field("metric", WORD, meaning="the metric"),
        field("group", WORD, nullable=True, meaning="an occupation; null: all of them"),
        field("value", pa.float64(), meaning="value of the metric, in its unit (docs/downstream.md)"),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `value`, clustered by what repeats: occupation, or "
            "template and occupation",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("n", pa.int32(), meaning="items"),
        field("units", pa.int32(), meaning="units of the interval"),
        field(
            "null_mean",
            pa.float64(),
            nullable=True,
            meaning="what a model that treats the genders alike gives on these items (the genders "
            "permuted within occupations, or within each pair of items): mean",
        ),
        field("null_low", pa.float64(), nullable=True, meaning="lower end of the interval of `null_mean`"),
        field("null_high", pa.float64(), nullable=True, meaning="upper end of the interval from `null_low`"),
        field(
            "p",
            pa.float64(),
            nullable=True,
            meaning="p of the value under a model that treats the genders alike",
        ),
        field("confidence", pa.float64(), meaning="level of the intervals"),
    ]
)
"""How well one model does one task, and how unequally. A row whose seed is null is the mean over the seeds,
with an interval that has seeds as a level.

Metadata: model, task, kind, remarks (such as occupations left out), runs (their facts); truth, of a synthetic
task: {"metrics": {metric: value of a model that has learnt it}, "groups": {occupation: its gap}}, else null.
"""

CORRELATIONS = pa.schema(
    [
        field("task", WORD, meaning="the task"),
        field("metric", WORD, meaning="main metric of the task"),
        field("benchmark", WORD, meaning="the benchmark of the intrinsic score"),
        field(
            "pairs",
            WORD,
            meaning="pairs that the intrinsic score is over: all, or the bias type whose pairs alone count",
        ),
        field("n", pa.int32(), meaning="N, pairs that the intrinsic score counts: the fewest of any model"),
        field("measure", WORD, meaning="measure of the intrinsic score"),
        field("protocol", WORD, meaning="published or corrected: that of the measure"),
        field("when", WORD, meaning="of which model the intrinsic score is: before or after fine-tuning"),
        field("reading", WORD, meaning="published (signed score - 50) or corrected (its absolute value)"),
        field("models", pa.int32(), meaning="models that are correlated"),
        field("families", pa.int32(), meaning="families of models of one origin"),
        field("tau", pa.float64(), nullable=True, meaning="Kendall's tau-b; null below 8 models"),
        field("p", pa.float64(), nullable=True, meaning="p of tau by its own distribution"),
        field("p_families", pa.float64(), nullable=True, meaning="p of tau by permuting the families"),
        field(
            "permutations",
            pa.int32(),
            nullable=True,
            meaning="distinct permutations of the families behind it, drawn or all",
        ),
        field("reason", WORD, nullable=True, meaning="why there is no tau"),
    ]
)
"""Does intrinsic bias say what bias in use says? One row per task's main metric and intrinsic score."""

WORD_COUNTS = pa.schema(
    [
        field("task", WORD, meaning="the task"),
        field("reading", WORD, meaning="published (words between spaces) or corrected (runs of letters)"),
        field("feminine", pa.int64(), meaning="feminine words"),
        field("masculine", pa.int64(), meaning="masculine words"),
        field(
            "ilps",
            pa.float64(),
            nullable=True,
            meaning="ln(P_f / P_m); null where there are none of one gender",
        ),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `ilps`; the unit is the example",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        field("p", pa.float64(), nullable=True, meaning="of equality"),
        field("n", pa.int32(), meaning="examples"),
    ]
)
"""Feminine and masculine words in the examples that models are fine-tuned on. One row per task and reading.

Metadata: task, confidence.
"""
