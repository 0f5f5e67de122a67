"""The words of association tests that tables, rules and configuration share. Nothing is imported here."""

X, Y, A, B = "X", "Y", "A", "B"
SETS = (X, Y, A, B)
"""Two sets of targets and two of attributes."""

CLS, MEAN, MEAN_CONTENT, BARE_FIRST = "cls", "mean", "mean-content", "bare-first"
WORD, WORD_FIRST, STATIC, VECTORS = "word", "word-first", "static", "vectors"
POOLINGS = (CLS, MEAN, MEAN_CONTENT, BARE_FIRST, WORD, WORD_FIRST, STATIC)
"""How one vector is made of the tokens of a text; `vectors` is that of word vectors, which have no tokens."""

ITEM, BY_WORD = "item", "word"
LEVELS = (ITEM, BY_WORD)
"""What a unit is: every text (as in the literature), or a word, with the mean over its texts."""

WEAT = "weat"
E1, E2, E3X, E3Y = "E1", "E2", "E3x", "E3y"
"""Experiments of a grounded test; WEAT is the only one of a test without pictures."""
