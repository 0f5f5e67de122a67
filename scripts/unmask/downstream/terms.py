"""The words of downstream tasks that tables and rules share. Nothing is imported here, as planning reads
them."""

OCCUPATIONS, SIMILARITY, ENTAILMENT = "occupations", "similarity", "entailment"
KINDS = (OCCUPATIONS, SIMILARITY, ENTAILMENT)
"""What a model is fine-tuned for: to tell a person's occupation, how alike two sentences are, whether one
follows."""

TRAIN, DEV, TEST, BIAS = "train", "dev", "test", "bias"

ENTAILS, NEUTRAL, CONTRADICTS = "entailment", "neutral", "contradiction"
ENTAILMENT_LABELS = (ENTAILS, NEUTRAL, CONTRADICTS)
"""The labels of entailment in the order of their numbers, as GLUE has them."""

FEMALE, MALE = "female", "male"

FIXED, SEARCH, CURVE = "fixed", "search", "curve"
"""How models are fine-tuned."""

BEFORE, AFTER = "before", "after"
