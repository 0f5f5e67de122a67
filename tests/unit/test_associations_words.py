"""The word that a text is there for: rules, the released sentences read literally, a user's words."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from association_files import FACTS, KEYS, sent_bias, sentences, stimuli, written
from library import InputError, WordFacts, find, spans_of
from real_data import real_data

PLURALS = {"men": "man", "women": "woman", "children": "child"}


FOUND: list[tuple[str, list[str], str]] = [
    ("This is [her].", ["her", "hers", "she"], "her"),
    ("This is [hers].", ["her", "hers", "she"], "hers"),
    ("[Hers] is there.", ["she", "her", "hers"], "hers"),
    (
        "That is a [South African American].",
        ["African American", "South African American"],
        "South African American",
    ),
    ("They are [boxes].", ["box"], "box"),
    ("They are [families].", ["family"], "family"),
    ("It is a [parent].", ["parents"], "parents"),
    ("It is a [family].", ["families"], "families"),
    ("The [women] are here.", ["man", "woman"], "woman"),
    ("[White women] are people.", ["white woman", "white female"], "white woman"),
    ("Those are [women of color].", ["woman of color"], "woman of color"),
    ("A [child] is a thing.", ["children"], "children"),
    ("[Kate]'s book", ["Ann", "Kate"], "Kate"),
    # the last occurrence, in whatever form; at one place the longer
    ("math, [Math] and maths", ["math"], "math"),
    ("a [a a]", ["a a"], "a a"),
    ("These boxes are [boxs]", ["box"], "box"),
    ("a [foxes]", ["fox"], "fox"),
    # signs are no patterns
    ("[a.c] (b) abc", ["a.c", "(b)"], "a.c"),
    ("say [(b)]", ["(b)"], "(b)"),
    # what does not stand whole
    ("abc", ["a.c"], ""),
    ("This is Johnny.", ["John"], ""),
    ("manly", ["man"], ""),
    ("x2", ["x"], ""),
    ("", ["x"], ""),
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


@given(st.text(min_size=1, max_size=8))
def test_a_text_is_a_word_of_its_own(text: str) -> None:
    assert find(text, [text], PLURALS) == (text, (0, len(text)))


# the released sentences

SIBLINGS = {
    f"heilman_double_bind_{what}_{part}": f"heilman_double_bind_{what}_one_word"
    for what in ("competent", "likable")
    for part in ("1", "1-", "1+3-", "one_sentence")
}


def tokens(text: str) -> list[str]:
    """The runs of letters and digits of a text, in lower case."""
    found = [""]
    for character in text.lower():
        if character.isalnum():
            found[-1] += character
        elif found[-1]:
            found.append("")
    return [each for each in found if each]


def stands(word: list[str], text: list[str]) -> bool:
    return any(text[start : start + len(word)] == word for start in range(len(text) - len(word) + 1))


def literal(text: str, words: Sequence[str]) -> str | None:
    """The word of a text as the rule is written down, token by token."""
    of_text = tokens(text)
    for kind in ("exact", "s", "irregular"):
        found = []
        for word in words:
            of_word = tokens(word)
            *start, last = of_word
            forms = [of_word]
            if kind == "s":
                forms = [[*start, last + "s"], [*start, last + "es"]]
                forms += [[*start, last[:-1] + "ies"]] if last[-1] == "y" else []
                forms += [[*start, last[:-1]]] if last[-1] == "s" else []
                forms += [[*start, last[:-2]]] if last[-2:] == "es" else []
                forms += [[*start, last[:-3] + "y"]] if last[-3:] == "ies" else []
            if kind == "irregular":
                pairs = [*PLURALS.items(), *((one, many) for many, one in PLURALS.items())]
                forms = [[b if each == a else each for each in of_word] for a, b in pairs if a in of_word]
            if any(stands(form, of_text) for form in forms):
                found.append(word)
        if found:
            return max(found, key=len)
    return None


def words_of(name: str, tests: Mapping[str, Any], key: str) -> list[str] | None:
    """The words of a set of a released test of sentences; None of a test of words."""
    sibling = SIBLINGS.get(name, name.removeprefix("sent-"))
    if sibling in tests and sibling != name:
        return [str(word) for word in tests[sibling][key]["examples"]]
    if name.startswith("sent-religion"):
        return list(WordFacts.from_file(FACTS).tests[name][KEYS[key]])
    return None


@pytest.fixture(scope="module")
def released() -> pd.DataFrame:
    paths = sorted(real_data("seat").glob("*.jsonl"))
    return stimuli(paths)[0]


def test_words_of_the_released_sentences(released: pd.DataFrame) -> None:
    tests = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in real_data("seat").glob("*.jsonl")
    }
    of_sentences = 0
    for (name, set_), rows in released.groupby(["test", "set"]):
        key = next(key for key, each in KEYS.items() if each == set_)
        words = words_of(str(name), tests, key)
        of_sentences += words is not None
        expected = [text if words is None else literal(text, words) for text in rows["text"]]
        assert rows["word"].tolist() == expected, (name, set_)
    # 23 tests of sentences by their names, and 8 others
    assert of_sentences == 4 * (23 + 8)


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


def refused(paths: list[Path], words: Path | None = None) -> str:
    with pytest.raises(InputError) as caught:
        stimuli(paths, words=words)
    line = str(caught.value)
    assert line.isprintable()
    return line.replace(f"{words or paths[0]}: ", "", 1)


@pytest.mark.parametrize(
    ("texts", "words", "said"),
    [
        (WORDS, None, "no words of its sentences: no test 'mine' is beside it; name a file with `words`"),
        ({**WORDS, "targ2": ["her", "she"]}, WORDS, "none of its words stands in 'This is she.'"),
        (
            {**WORDS, "targ1": ["her"], "targ2": ["now her"]},
            {**WORDS, "targ1": ["her"], "targ2": ["her"]},
            "texts of both targ1 (X) and targ2 (Y) are there for 'her'",
        ),
    ],
)
def test_sentences_whose_words_are_not_known(texts: Any, words: Any, said: str, tmp_path: Path) -> None:
    given_words = written(tmp_path, words=words)[0] if words else None
    assert said in refused(written(tmp_path, sent__mine=sentences(texts)), words=given_words)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({**WORDS, "X": ["a"]}, "targ1 or X: both are there; words are of targ1, targ2, attr1, attr2"),
        ({"targ1": ["a"]}, "targ2 or Y: neither is there"),
        ({**WORDS, "attr1": []}, "attr1: is empty"),
        ({**WORDS, "attr1": {"category": "x"}}, "attr1: no examples in it (it has category)"),
        ({**WORDS, "attr1": ["a", 1]}, "attr1.2: is not a text but 1"),
        ({**WORDS, "attr1": [""]}, "attr1.1: is empty"),
        ({**WORDS, "attr1": ["a\nb"]}, "attr1.1: 'a\\nb' has a control character"),
        ([], "is not a mapping but a list"),
        ("{", "not JSON ("),
    ],
)
def test_faults_of_words(value: Any, said: str, tmp_path: Path) -> None:
    (given_words,) = written(tmp_path, words=value)
    assert refused(written(tmp_path, mine=sentences(WORDS)), words=given_words).startswith(said)
