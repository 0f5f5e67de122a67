"""What flaws of pairs are called in the report."""

from collections.abc import Mapping

from unmask.statistics.schema import ANY_FLAW, UNEQUAL_TOKENS

TITLES: Mapping[str, str] = {
    "few_votes": "few votes",
    "no_votes": "not rated",
    "near_duplicate": "near-duplicate",
    "identical": "identical sentences",
    "unequal_words": "unequal in words",
    "many_words": "many words differ",
    "missing_field": "field missing",
    UNEQUAL_TOKENS: "unequal in tokens",
    ANY_FLAW: "any of these",
}
"""By name, in the order in which they are shown."""
