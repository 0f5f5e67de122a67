"""How many words captions have, the sentence that a section begins with, and other sentences."""

import re

from library import Section

CAPTION, FIRST_SENTENCE, SENTENCE = 40, 25, 25
"""The most words of each."""


def first_sentence(section: Section) -> str:
    """Up to the first full stop before a capital letter or a digit, or the end."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z0-9])", section.sentences[0])[0]


def check_first_sentence(section: Section) -> None:
    """It is short, and says something: it asks nothing, and has a number or that there is none."""
    sentence = first_sentence(section)
    assert len(sentence.split()) <= FIRST_SENTENCE, sentence
    assert sentence.endswith(".") and re.search(r"\d|\b(no|none|nothing|cannot)\b", sentence, re.I), sentence
