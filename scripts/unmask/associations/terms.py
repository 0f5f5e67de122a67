"""The words of association tests that tables, rules and configuration share. Nothing is imported here."""

X, Y, A, B = "X", "Y", "A", "B"
SETS = (X, Y, A, B)
"""Two sets of targets and two of attributes."""

VECTORS = "vectors"
"""The pooling of word vectors, which have no tokens."""

JOINT, WORD = "joint", "word"
GROUNDED = (JOINT, WORD, "word-first")
"""The vector that an encoder that sees has of a text with a picture, and that of the word in this text."""

TEXT = "text"
UNITS = (TEXT, WORD)
"""What is compared and exchanged: a text, as in the literature, or a word, with the mean over its texts."""

WEAT = "weat"
E1, E2, E3X, E3Y = "E1", "E2", "E3x", "E3y"
"""Experiments of a grounded test; WEAT is the only one of a test without pictures."""

GROUNDED_FORMAT = "grounded"
"""The format of suites whose texts have pictures."""
