"""Scripts that are written without spaces between words: there a character stands for a word.

Text of these scripts is compared, counted and looked up by its characters, each with the combining marks on
it. No dictionary says where a word ends, so that no result depends on one.
"""

import re
import unicodedata

UNSEGMENTED = "".join(
    (
        "\u0e00-\u0eff",  # Thai, Lao
        "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",  # Myanmar
        "\u1780-\u17ff",  # Khmer
        "\u1950-\u19df\u1a20-\u1aaf\uaa80-\uaadf",  # Tai Le, New Tai Lue, Tai Tham, Tai Viet
        "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",  # Han
        "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f",  # Hiragana, Katakana
    )
)
"""The scripts, as ranges of a regular expression's set; digits and punctuation of theirs are among them."""

MARKS = "".join(c for c in map(chr, range(0x300, 0x20000)) if unicodedata.category(c).startswith("M"))
"""Combining marks, for a set likewise."""

CHARACTER = rf"(?=[^\W_])[{UNSEGMENTED}][{MARKS}]*"
"""A regular expression for one character of these scripts that is a letter or digit, with its marks."""

_ANY = re.compile(CHARACTER)


def is_unsegmented(text: str) -> bool:
    """Whether a text has a character of these scripts."""
    return not text.isascii() and _ANY.search(text) is not None
