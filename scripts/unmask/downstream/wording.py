"""Words of bias items: articles, and sentences cut into words."""

import re

LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters."""

_AN = re.compile(r"[aeio]|u(?!ni|s[aeiu]|ti)|h(?:eir|onest|onou?r|our)", re.IGNORECASE)
_A = re.compile(r"one\b|once\b|eu|ew", re.IGNORECASE)


def words_in(text: str) -> list[str]:
    """The runs of letters of a text, in lower case."""
    return LETTERS.findall(text.lower())


def article(noun: str) -> str:
    """`a` or `an`, by how English says the noun's first sound: an engineer, a usher's user, an honest man."""
    return "an" if _AN.match(noun) and not _A.match(noun) else "a"
