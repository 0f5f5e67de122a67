"""What flaws of pairs, and pairs without ratings, are called in the report."""

from collections.abc import Mapping

from unmask.statistics.quality import UNKNOWN_TOKENS
from unmask.statistics.schema import ANY_FLAW, UNEQUAL_TOKENS, UNRATED

TITLES: Mapping[str, str] = {
    "few_votes": "few votes",
    "near_duplicate": "near-duplicate",
    "identical": "identical sentences",
    "unequal_words": "unequal in words",
    "many_words": "many words differ",
    "missing_field": "field missing",
    UNEQUAL_TOKENS: "unequal in tokens",
    UNKNOWN_TOKENS: "unknown tokens",
    ANY_FLAW: "any of these",
    UNRATED: "not rated",
}
"""By name, in the order in which they are shown."""
