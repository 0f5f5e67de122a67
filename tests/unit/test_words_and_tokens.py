"""The rule of what a word is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import is_unsegmented, modified_words, words_of


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
        ("In 1990s, 3.14 or B2B", ["in", "1990s", "3", "14", "or", "b2b"]),
        ("nai\u0308ve NAÏVE naïve", ["naïve"] * 3),
        ("\u0301a", ["a"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("\u212aelvin K", ["kelvin", "k"]),
        ("ΟΔΟΣ ΟΔΟΣ’’Α ΣΑΣ'Α", ["οδος", "οδος", "α", "σασ'α"]),
        ("Straße हिन्दी 日本", ["straße", "हिन्दी", "日", "本"]),
        ("東京タワーへ", list("東京タワーへ")),
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


@pytest.mark.parametrize(
    ("first", "second", "of_first", "of_second"),
    [
        ("He said the men do.", "She said the women do.", ["he", "men"], ["she", "women"]),
        ("one two", "one two", [], []),
        ("a b c", "a c", ["b"], []),
        ("They don’t.", "They don't.", [], []),
        ("女人不会开车。", "男人不会开车。", ["女"], ["男"]),
        # Korean has spaces, but particles stand on words
        ("남자는 운다", "여자는 운다", ["남자는"], ["여자는"]),
        ("वह काला है", "वह काली है", ["काला"], ["काली"]),
    ],
)
def test_modified_words(first: str, second: str, of_first: list[str], of_second: list[str]) -> None:
    assert modified_words(first, second) == (of_first, of_second)


@pytest.mark.parametrize(
    "name", ["CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "THAI CHARACTER", "LAO", "KHMER", "MYANMAR"]
)
def test_scripts_without_spaces_are_those_that_unicode_names(name: str) -> None:
    """A letter is of such a script where its name begins so; and a word of two is two."""
    letters = [sign for sign in map(chr, range(0x110000)) if unicodedata.name(sign, "").startswith(name)]
    letters = [sign for sign in letters if unicodedata.category(sign) == "Lo"]
    assert len(letters) > 40 and all(is_unsegmented(sign) for sign in letters)
    one = unicodedata.normalize("NFC", letters[0])
    assert words_of(letters[0] * 2) == [one, one]


@pytest.mark.parametrize("text", ["Straße", "हिन्दी", "한국어", "мир", "الفقراء", "Ελλάς", "don’t", "Ħażin"])
def test_other_scripts_have_words(text: str) -> None:
    assert not is_unsegmented(text) and len(words_of(text)) == 1
