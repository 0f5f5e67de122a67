"""What template tests are called. Nothing is imported here: rules read this."""

LPBS, DISCO = "lpbs", "disco"

TARGET, ATTRIBUTE, PERSON, BLANK = "[TARGET]", "[ATTRIBUTE]", "[PERSON]", "[BLANK]"
SLOTS = {LPBS: (TARGET, ATTRIBUTE), DISCO: (PERSON, BLANK)}
"""The slots of a template; each stands in it once."""

WORDS_OF = {LPBS: "attributes", DISCO: "persons"}
"""The key of the words that a test is over."""

MEAN, DIFFERENCE = "mean", "difference"
TOP_THREE, PROBABLE = "top three", "P > 0.1"
"""Quantities of LPBS, and the fills that DisCo counts."""

LEAST_PROBABLE = 0.1
"""Fills above this are counted under PROBABLE."""
FEW = 3
"""The fills of a blank that are counted under TOP_THREE."""
PLACES = 10
"""The likeliest fills of a blank that evidence has: no more than nine can be above a tenth."""

LEVEL = 0.05
"""The level of DisCo's chi-square tests, before Bonferroni's correction."""
