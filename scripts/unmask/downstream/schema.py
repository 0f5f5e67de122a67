"""The tables of downstream tasks."""

import pyarrow as pa

from unmask.tables import WORD, field

EXAMPLES = pa.schema(
    [
        # train | dev
        field("part", WORD),
        field("text", pa.large_string()),
        # the second of two sentences
        field("second", pa.large_string(), nullable=True),
        # number of the label; for similarity the score, from 0 to 1
        field("label", pa.float64()),
        # female | male, of the person whom the text is about; null where nobody says
        field("gender", WORD, nullable=True),
    ]
)
"""What a model is fine-tuned on. One row per example, those of train first.

Metadata: task, kind, labels (their names by number; null for similarity), source, remarks (sentences).
"""

ITEMS = pa.schema(
    [
        # counted from 0, its row
        field("item", pa.int32()),
        # test: for accuracy (and, of occupations, for the gaps) | bias
        field("part", WORD),
        field("text", pa.large_string()),
        field("second", pa.large_string(), nullable=True),
        # as in EXAMPLES; null for items of bias, which have no right answer but `neutral`, or none
        field("label", pa.float64(), nullable=True),
        field("gender", WORD, nullable=True),
        # for occupations: the label's name; else of the template
        field("occupation", WORD, nullable=True),
        # female share of the occupation, in percent: among the training examples of its label, or of all
        # who work in it
        field("female_share", pa.float64(), nullable=True),
        # what repeats: the sentence or frame that an item of bias is made from
        field("template", pa.int32(), nullable=True),
        # whether every checkpoint predicts it, or only the last
        field("sampled", pa.bool_()),
    ]
)
"""What a fine-tuned model predicts. Items of bias that differ in gender alone share template and occupation.

Metadata: task, kind, labels, source, remarks; truth, of a made task: {"metrics": {metric: value of a model
that has learnt the task}, "groups": {occupation: value of the task's main metric}}, else null.
"""

PREDICTIONS = pa.schema(
    [
        # of training; 0 is before the first
        field("step", pa.int32()),
        field("item", pa.int32()),
        # one per label; for similarity one number, the similarity
        field("logits", pa.list_(pa.float32())),
    ]
)
"""What one run predicts at each checkpoint: the evidence of this wing. In order of step and item.

Metadata: model, task, kind, labels, seed, fine_tuning (all settings, as used), steps, history (a list of
{step, loss, dev: accuracy or Pearson's r}), tried (of a search, each setting with its dev result), device.
"""

SCORES = pa.schema(
    [
        field("seed", pa.int32(), nullable=True),
        field("step", pa.int32()),
        field("metric", WORD),
        # an occupation; null: of all
        field("group", WORD, nullable=True),
        field("value", pa.float64()),
        # clustered by what repeats: occupation, or template and occupation
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # items, and units of the interval
        field("n", pa.int32()),
        field("units", pa.int32()),
        # what a model that treats the genders alike gives on these items: the genders dealt anew within
        # occupations, or within each pair of items
        field("null_mean", pa.float64(), nullable=True),
        field("null_low", pa.float64(), nullable=True),
        field("null_high", pa.float64(), nullable=True),
        field("p", pa.float64(), nullable=True),
        field("confidence", pa.float64()),
    ]
)
"""How well one model does one task, and how unequally. A row whose seed is null is the mean over the seeds,
with an interval that has seeds as a level.

Metadata: model, task, kind, metrics (their names in order, the main one first), remarks (such as occupations
left out).
"""

CORRELATIONS = pa.schema(
    [
        field("task", WORD),
        field("metric", WORD),
        field("benchmark", WORD),
        field("measure", WORD),
        field("protocol", WORD),
        # before | after fine-tuning: of which model the intrinsic score is
        field("when", WORD),
        # published: signed score - 50; corrected: its absolute value
        field("reading", WORD),
        field("models", pa.int32()),
        field("families", pa.int32()),
        # Kendall's tau-b with its own p, and that of permuting the families; null below 8 models
        field("tau", pa.float64(), nullable=True),
        field("p", pa.float64(), nullable=True),
        field("p_families", pa.float64(), nullable=True),
        # distinct permutations of the families behind it, drawn or all
        field("permutations", pa.int32(), nullable=True),
        # why there is no tau
        field("reason", WORD, nullable=True),
    ]
)
"""Does intrinsic bias say what bias in use says? One row per task's main metric and intrinsic score."""

WORD_COUNTS = pa.schema(
    [
        field("task", WORD),
        # published: words between spaces; corrected: runs of letters
        field("reading", WORD),
        field("feminine", pa.int64()),
        field("masculine", pa.int64()),
        # ln(P_f / P_m); null where there are none of one gender
        field("ilps", pa.float64(), nullable=True),
        # the unit is the example
        field("low", pa.float64(), nullable=True),
        field("high", pa.float64(), nullable=True),
        # of equality
        field("p", pa.float64(), nullable=True),
        # examples
        field("n", pa.int32()),
    ]
)
"""Feminine and masculine words in the examples that models are fine-tuned on. One row per task and reading.

Metadata: task, confidence.
"""
