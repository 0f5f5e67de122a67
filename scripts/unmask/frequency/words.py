"""What a word is. All of the frequency study goes by this one rule.

A word is a run of letters and digits of any script, with the combining marks on them. A single
apostrophe, straight or curly, inside such a run belongs to the word and is written straight: don't,
rock'n'roll. Hyphens, underscores and all other characters separate words: well-known is two. Words are
lower-cased and in normal form C, so that one word is written in one way. Where a script has no spaces
between words, each of its characters is a word (unmask.unsegmented).
"""

import re
import unicodedata

from unmask.unsegmented import CHARACTER, MARKS, UNSEGMENTED

_LETTER = rf"[^\W_{UNSEGMENTED}]"
_RUN = rf"{_LETTER}+(?:[{MARKS}]+{_LETTER}*)*"
WORD = re.compile(rf"{CHARACTER}|{_RUN}(?:['’]{_RUN})*")
"""The rule as a regular expression, before lower-casing."""


def words_of(text: str) -> list[str]:
    """The words of a text, in order; empty where it has none."""
    return in_lower_case(WORD.findall(text))


def in_lower_case(words: list[str]) -> list[str]:
    """Words in the one way that they are written: lower case, normal form C, straight apostrophes.

    Each is lower-cased for itself: what a capital sigma becomes depends on the letters around it.
    """
    if not words:
        return []
    text = "\n".join(words).lower().replace("’", "'")
    return unicodedata.normalize("NFC", text).split("\n")
