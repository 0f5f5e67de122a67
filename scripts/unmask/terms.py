"""The words of the field that tables, rules and configuration share.

Nothing is imported here: planning a study reads these words, and should not wait for table libraries.
"""

STEREOTYPE, ANTISTEREOTYPE, UNRELATED = "stereotype", "antistereotype", "unrelated"
ROLES = (STEREOTYPE, ANTISTEREOTYPE, UNRELATED)
"""What a sentence is in its pair."""

SIDES = (STEREOTYPE, ANTISTEREOTYPE)
"""The two sentences that a pair compares."""

STEREO, ANTISTEREO = "stereo", "antistereo"
DIRECTIONS = (STEREO, ANTISTEREO)
"""Whose stereotype a pair holds: `stereo` of a disadvantaged group, `antistereo` of an advantaged one."""

ORIGINAL, SHUFFLED = "original", "shuffled"
"""The variants of sentences: words in their order, or shuffled."""

NONE, ONE_SHARED, ONE_MODIFIED, MODIFIED, ALL = "none", "one-shared", "one-modified", "modified", "all"
"""The maskings: what is hidden from a model. unmask.evidence.sentences says what each does."""

IN_TURN = (ONE_SHARED, ONE_MODIFIED)
"""Those that read a sentence about as often as it has tokens."""

LEFT, START = "left", "start"
CAUSAL_MASKINGS = (LEFT, START)
"""Those of causal language models, from which all that follows is hidden."""

ALL_TOKENS, CONTENT_TOKENS = "all-tokens", "content-tokens"
SHARED_TOKENS, MODIFIED_TOKENS, CANDIDATES = "shared-tokens", "modified-tokens", "candidates"
"""What token accuracy counts. unmask.statistics.accuracy says of each what it is."""

PUBLISHED, CORRECTED = "published", "corrected"
PROTOCOLS = (PUBLISHED, CORRECTED)

SUM, MEAN = "sum", "mean"
"""How log-probabilities of tokens become the score of a sentence."""

TIE, UNDEFINED = "tie", "undefined"
OUTCOMES = (STEREOTYPE, ANTISTEREOTYPE, TIE, UNDEFINED)
"""What a measure says of a pair; `undefined` where one side has nothing to score."""

LICENCE = "licence"
"""The key of what entries of the provenance state of the licence of data (unmask.report.page)."""

NOT_STATED = "not stated"
"""In place of a licence that a study does not name."""
