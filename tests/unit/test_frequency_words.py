"""The rule of what a word is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.frequency.words import words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat sat.", ["the", "cat", "sat"]),
        ("", []),
        (" \t\n -- '' …", []),
        ("Don't, don’t; rock'n'roll", ["don't", "don't", "rock'n'roll"]),
        ("'tis the dogs' “‘quoted’”", ["tis", "the", "dogs", "quoted"]),
        ("a''b a'-b", ["a", "b", "a", "b"]),
        ("well-known twenty–one word—word", ["well", "known", "twenty", "one", "word", "word"]),
        ("snake_case __init__", ["snake", "case", "init"]),
        ("In 1990s, 3.14 or 1,000: B2B", ["in", "1990s", "3", "14", "or", "1", "000", "b2b"]),
        ("nai\u0308ve NAÏVE naïve", ["naïve"] * 3),
        ("\u0301a", ["a"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("\u212aelvin K", ["kelvin", "k"]),
        ("ΟΔΟΣ ΟΔΟΣ’’Α ΣΑΣ'Α", ["οδος", "οδος", "α", "σασ'α"]),
        ("Straße हिन्दी 日本", ["straße", "हिन्दी", "日", "本"]),
        ("ผู้หญิง 30岁 OK's。", ["ผู้", "ห", "ญิ", "ง", "30", "岁", "ok's"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_words_are_lower_case_normal_and_words_themselves(text: str) -> None:
    for word in words_of(text):
        assert word == unicodedata.normalize("NFC", word)
        assert words_of(word) == [word]


@given(st.text(), st.sampled_from(list(' \t\r\n.,;:!?"()[]{}<>/|\\-_&@#$%^*+=~`\x00\x1c')), st.text())
def test_nothing_looks_beyond_an_ascii_character_that_is_in_no_word(a: str, mark: str, b: str) -> None:
    assert words_of(a + mark + b) == words_of(a) + words_of(b)
