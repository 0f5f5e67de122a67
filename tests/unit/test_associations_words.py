"""The word that a text is there for: rules, the test of words beside it, a user's words."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from association_files import KEYS, sent_bias, sentences, stimuli, written
from library import InputError, find, spans_of

PLURALS = {"men": "man", "women": "woman", "children": "child"}


FOUND: list[tuple[str, list[str], str]] = [
    ("This is [her].", ["her", "hers", "she"], "her"),
    ("This is [hers].", ["her", "hers", "she"], "hers"),
    (
        "That is a [South African American].",
        ["African American", "South African American"],
        "South African American",
    ),
    ("They are [boxes].", ["box"], "box"),
    ("It is a [parent].", ["parents"], "parents"),
    ("[White women] are people.", ["white woman", "white female"], "white woman"),
    ("Those are [women of color].", ["woman of color"], "woman of color"),
    ("[Kate]'s book", ["Ann", "Kate"], "Kate"),
    # the last occurrence, in whatever form; at one place the longer
    ("math, [Math] and maths", ["math"], "math"),
    ("a [a a]", ["a a"], "a a"),
    ("These boxes are [boxs]", ["box"], "box"),
    # signs are no patterns
    ("[a.c] (b) abc", ["a.c", "(b)"], "a.c"),
    # what does not stand whole
    ("abc", ["a.c"], ""),
    ("This is Johnny.", ["John"], ""),
    ("caf\u00e9", ["caf"], ""),
]
"""Texts, in brackets where their word stands; words that it may be, and which it is, if any."""


@pytest.mark.parametrize(("marked", "words", "word"), FOUND)
def test_a_word(marked: str, words: list[str], word: str) -> None:
    text = marked.replace("[", "").replace("]", "")
    stimuli_of = pd.DataFrame({"text": [text], "word": [word or words[0]]})
    if not word:
        assert find(text, words, PLURALS) is None
        with pytest.raises(InputError, match="does not stand in it"):
            spans_of(stimuli_of, PLURALS)
        return
    span = marked.index("["), marked.index("]") - 1
    assert find(text, words, PLURALS) == (word, span)
    assert spans_of(stimuli_of, PLURALS) == [span]


# siblings and a user's words

WORDS = {"targ1": ["son", "man"], "targ2": ["her", "hers"], "attr1": ["office"], "attr2": ["children"]}


def test_a_sibling_is_read_though_it_is_not_wanted(tmp_path: Path) -> None:
    paths = written(
        tmp_path,
        mine=sent_bias(**WORDS),
        sent__mine=sentences(
            {"targ1": ["sons", "men"], "targ2": ["hers", "her"], "attr1": ["Office"], "attr2": ["child"]}
        ),
    )
    rows, tests = stimuli(paths, only=["sent-mine"])
    assert [test["name"] for test in tests] == ["sent-mine"]
    assert rows["word"].tolist() == ["son", "man", "hers", "her", "office", "children"]


@pytest.mark.parametrize(
    "value", [sent_bias(**WORDS), WORDS, {KEYS[key]: words for key, words in WORDS.items()}]
)
def test_words_that_a_user_gives(value: Any, tmp_path: Path) -> None:
    (given_words,) = written(tmp_path, words=value)
    texts = {"targ1": ["sons"], "targ2": ["her"], "attr1": ["office"], "attr2": ["children"]}
    rows, _ = stimuli(written(tmp_path, mine=sentences(texts)), words=given_words)
    assert rows["word"].tolist() == ["son", "her", "office", "children"]
    assert rows["text"].tolist()[0] == "This is sons."
