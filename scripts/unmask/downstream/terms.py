"""The words of downstream tasks that tables and rules share. Nothing is imported here, as planning reads
them."""

OCCUPATIONS, SIMILARITY, ENTAILMENT = "occupations", "similarity", "entailment"
KINDS = (OCCUPATIONS, SIMILARITY, ENTAILMENT)
"""What a model is fine-tuned for: to tell a person's occupation, how alike two sentences are, whether one
follows."""

TRAIN, DEV, TEST, BIAS = "train", "dev", "test", "bias"

NEUTRAL = "neutral"
ENTAILMENT_LABELS = ("entailment", NEUTRAL, "contradiction")
"""The labels of entailment in the order of their numbers, as GLUE has them."""

FEMALE, MALE = GENDERS = ("female", "male")

SEARCH, CURVE = "search", "curve"
"""How models are fine-tuned, if not by fixed settings."""

BEFORE, AFTER = "before", "after"

ALL_PAIRS = "all"
"""What a bias score is over where no bias type is asked for: N is the number of all test instances."""

GAP, CHANGE = "gap", "change"
"""Metrics that every kind of task has: the difference between the genders in one occupation, and how much
more the main metric is than that of the model that a model was made from."""

MAIN = {OCCUPATIONS: "tpr_gap", SIMILARITY: "delta", ENTAILMENT: "fn_gap"}
"""The metric that is a kind's bias."""

LEAST_SEEN = 3
"""Models in whose order something can be seen."""
