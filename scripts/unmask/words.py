"""What a word is: one rule for counts of corpora, modified words, and words that pairs share.

A word is a run of letters and digits of any script, with the combining marks on them. A single apostrophe,
straight or curly, inside such a run belongs to the word and is written straight: don't, rock'n'roll.
Hyphens, underscores and all other characters separate words: well-known is two. Words are lower-cased (ß
stays) and in normal form C, so that one word is written in one way.

Some scripts have no spaces between words. There each character, with the marks on it, is a word. No
dictionary says where a word ends, so that no result depends on one.
"""

import re
import unicodedata
from difflib import SequenceMatcher

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
"""The scripts without spaces, as ranges of a regular expression's set; their digits and punctuation, too."""

MARKS = "".join(c for c in map(chr, range(0x300, 0x20000)) if unicodedata.category(c).startswith("M"))
"""Combining marks, for a set likewise."""

CHARACTER = rf"(?=[^\W_])[{UNSEGMENTED}][{MARKS}]*"
"""A regular expression for one character of these scripts that is a letter or digit, with its marks."""

_UNSEGMENTED_CHARACTER = re.compile(CHARACTER)
_LETTER = rf"[^\W_{UNSEGMENTED}]"
_RUN = rf"{_LETTER}+(?:[{MARKS}]+{_LETTER}*)*"
_WORD = re.compile(rf"{CHARACTER}|{_RUN}(?:['’]{_RUN})*")


def words_of(text: str) -> list[str]:
    """The words of a text, in order; empty where it has none.

    Each is lower-cased for itself: what a capital sigma becomes depends on the letters around it.
    """
    words = "\n".join(_WORD.findall(text)).lower().replace("’", "'")
    return unicodedata.normalize("NFC", words).split("\n") if words else []


def is_unsegmented(text: str) -> bool:
    """Whether a text has a character of a script without spaces."""
    return not text.isascii() and _UNSEGMENTED_CHARACTER.search(text) is not None


def modified_words(first: str, second: str) -> tuple[list[str], list[str]]:
    """The words of each of two sentences outside the longest matching blocks that both share, in order.

    The alignment is difflib's without its exception for long sequences, as for the tokens of a pair
    (unmask.evidence.sentences).
    """
    words = words_of(first), words_of(second)
    of_first: list[str] = []
    of_second: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        if kind != "equal":
            of_first += words[0][i:j]
            of_second += words[1][k:m]
    return of_first, of_second
