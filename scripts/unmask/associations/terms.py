"""The words of association tests that tables, rules and configuration share. Nothing is imported here."""

X, Y, A, B = "X", "Y", "A", "B"
SETS = (X, Y, A, B)
"""Two sets of targets and two of attributes."""

CLS, MEAN, MEAN_CONTENT, BARE_FIRST = "cls", "mean", "mean-content", "bare-first"
WORD, WORD_FIRST, STATIC, VECTORS = "word", "word-first", "static", "vectors"
POOLINGS = (CLS, MEAN, MEAN_CONTENT, BARE_FIRST, WORD, WORD_FIRST, STATIC)
"""How one vector is made of the tokens of a text; `vectors` is that of word vectors, which have no tokens."""

MASK = "[MASK]"
"""Stands in a text for the mask token of whatever tokenizer reads it."""

OF_WORDS = (WORD, WORD_FIRST)
"""Poolings that need to know where the word is, and a vector of each token."""

JOINT, TEXT_HIDDEN, IMAGE_HIDDEN = "joint", "text-hidden", "image-hidden"
GROUNDED = (JOINT, TEXT_HIDDEN, IMAGE_HIDDEN, *OF_WORDS)
"""The vector that an encoder that sees has of a text with a picture; the same with the word, or the picture,
hidden from it; and that of the word in this text."""

ITEM, BY_WORD = "item", "word"
LEVELS = (ITEM, BY_WORD)
"""What a unit is: every text (as in the literature), or a word, with the mean over its texts."""

WEAT = "weat"
E1, E2, E3X, E3Y = "E1", "E2", "E3x", "E3y"
"""Experiments of a grounded test; WEAT is the only one of a test without pictures."""

E4_TEXT, E4_IMAGE = "E4-text", "E4-image"
HIDDEN = {TEXT_HIDDEN: E4_TEXT, IMAGE_HIDDEN: E4_IMAGE}
"""Experiment 4 is E1 with something hidden."""

GROUNDED_FORMAT = "grounded"
"""The format of suites whose texts have pictures."""
