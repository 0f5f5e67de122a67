"""The words of association tests that tables, rules and configuration share. Nothing is imported here."""

X, Y, A, B = "X", "Y", "A", "B"
SETS = (X, Y, A, B)
"""Two sets of targets and two of attributes."""

CLS, MEAN, MEAN_CONTENT = "cls", "mean", "mean-content"
WORD, WORD_FIRST, VECTORS = "word", "word-first", "vectors"
POOLINGS = (CLS, MEAN, MEAN_CONTENT, WORD, WORD_FIRST)
"""How one vector is made of the tokens of a text; `vectors` is that of word vectors, which have no tokens."""

MASK = "[MASK]"
"""Stands in a text for the mask token of whatever tokenizer reads it."""

OF_WORDS = (WORD, WORD_FIRST)
"""Poolings that need to know where the word is, and a vector of each token."""

JOINT = "joint"
GROUNDED = (JOINT, *OF_WORDS)
"""The vector that an encoder that sees has of a text with a picture, and that of the word in this text."""

ITEM, BY_WORD = "item", "word"
LEVELS = (ITEM, BY_WORD)
"""What a unit is: every text (as in the literature), or a word, with the mean over its texts."""

WEAT = "weat"
E1, E2, E3X, E3Y = "E1", "E2", "E3x", "E3y"
"""Experiments of a grounded test; WEAT is the only one of a test without pictures."""

GROUNDED_FORMAT = "grounded"
"""The format of suites whose texts have pictures."""
