"""Corpora for debiasing: how they are read, and how their genders are swapped in both protocols."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import (
    InputError,
    WordPairs,
    corpora_reading,
    lines_of,
    read_corpus,
    read_word_pairs,
    swap_corpus,
    swapper,
)
from library import debiasing_read_words as read_words

RESOURCES = Path(__file__).parents[2] / "resources"
LIST = read_word_pairs(RESOURCES / "gendered_words.csv")
NO_NOUN_PHRASE = read_words(RESOURCES / "debiasing/no_noun_phrase.txt")


def swapped(line: str, protocol: str, words: WordPairs = LIST) -> list[str]:
    return swapper(words, NO_NOUN_PHRASE, protocol)(line)


def literal(line: str, words: WordPairs) -> list[str]:
    """What the specification says of protocol published, step by step, all pairs against all words."""
    present = line.split()
    compared = [word.lower() for word in present]
    lines = [line]
    for feminine, masculine in words:
        for place, word in enumerate(compared):
            if word == feminine:
                present[place] = masculine
    for feminine, masculine in words:
        is_gendered = False
        for place, word in enumerate(compared):
            if word == masculine:
                present[place] = feminine
                is_gendered = True
        if is_gendered:
            lines.append(" ".join(present))
    return lines


VOCABULARY = [*dict.fromkeys(word for pair in LIST for word in pair)]
ORDINARY = "the hat He, HIS She of Sir BRIDES he his her him him, lady sir".split()  # noqa: SIM905
FEW = st.permutations([("her", "his"), ("she", "he"), ("her", "him"), ("a", "b"), ("a", "c"), ("d", "b")])


@given(
    st.just(LIST) | FEW,
    st.integers(1, 6),
    st.lists(st.sampled_from([*ORDINARY, *VOCABULARY, *"abcdxy"]), max_size=9),
)
def test_published_is_what_all_pairs_against_all_words_give(
    pairs: Sequence[tuple[str, str]], length: int, line: list[str]
) -> None:
    """In lists of any order; white space becomes one space."""
    words = LIST if pairs is LIST else tuple(pairs[:length])
    assert swapped(" \t".join(line), "published", words) == literal(" ".join(line), words)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("She lost her hat.", "He lost his hat."),
        ("“HE saw her,” she said; it was hers.", "“SHE saw him,” he said; it was his."),
        ("A friend of his is washing his “own” car", "A friend of hers is washing her “own” car"),
        ("We told her that her brother left her", "We told him that his sister left him"),
        ("He's a mother-in-law", "She's a father-in-law"),
        ("Mr. Smith, ma'am; Mrs. Ma", "Mrs. Smith, sir; Mr. Pa"),
        ("Yes, Ma’am.", "Yes, Sir."),
        # a word of two
        ("The ballet dancer", "The ballerina"),
        ("The ballerina", "The ballet dancer"),
        # the first partner of several; words inside of words are none
        ("The lady and her manservants, theman", "The lord and his maidservants, theman"),
        ("  He   ran\t.", "  She   ran\t."),
        # what begins a noun phrase
        ("her “old hat", "his “old hat"),
        ("her, too", "him, too"),
        ("her didn’t", "him didn’t"),
        ("her", "him"),
    ],
)
def test_corrected_swaps_both_ways_and_keeps_the_rest(line: str, expected: str) -> None:
    assert swapped(line, "corrected") == [line, expected]


MUTUAL = (("she", "he"), ("mother", "father"), ("girls", "boys"), ("ma'am", "sir"), ("mrs.", "mr."))


@given(
    st.lists(
        st.sampled_from([*(word for pair in MUTUAL for word in pair), "x", "the", "-", ", ", "“"]).flatmap(
            lambda word: st.sampled_from([word, word.upper(), word.capitalize()])
        )
    )
)
def test_corrected_twice_is_the_line_again(line: list[str]) -> None:
    text = " ".join(line)
    lines = swapped(text, "corrected", MUTUAL)
    assert lines == list(dict.fromkeys([text, *lines]))
    assert swapped(lines[-1], "corrected", MUTUAL) == lines[::-1]


def swapped_corpus(
    folder: Path, lines: str, protocol: str, held_out: int
) -> tuple[list[str], dict[str, Any]]:
    (folder / "text.txt").write_text(lines)
    paths = folder / "text.txt", folder / "swapped.txt"
    facts = swap_corpus(*paths, LIST, NO_NOUN_PHRASE, protocol, held_out)
    return paths[1].read_text().splitlines(), facts


def test_a_corpus_is_swapped_behind_what_is_held_out(tmp_path: Path) -> None:
    corpus = "He ran .\nNo one ran .\nShe saw him\nHe saw a boy\n"
    lines, facts = swapped_corpus(tmp_path, corpus, "published", 1)
    # in the order of the list: boy stands behind he
    expected = ["He ran .", "No one ran .", "She saw him", "he saw her"]
    assert lines == [*expected, "He saw a boy", "she saw a boy", "she saw a girl"]
    assert [facts[key] for key in ("lines", "held_out", "swapped", "appended")] == [4, 1, 2, 3]
    lines, facts = swapped_corpus(tmp_path, corpus, "corrected", 0)
    assert lines[-2:] == ["He saw a boy", "She saw a girl"] and facts["appended"] == 3


@pytest.mark.parametrize(
    ("text", "protocol", "held_out", "message"),
    [
        ("He ran\n", "corrected", 1, "has 1 lines, and held_out keeps the first 1"),
        ("He ran\nit ran\n", "corrected", 1, "no line that is trained on has a word to be swapped"),
        ("She ran\n", "published", 0, "no line that is trained on has a word to be swapped"),
    ],
)
def test_a_corpus_with_nothing_to_swap_is_refused(
    tmp_path: Path, text: str, protocol: str, held_out: int, message: str
) -> None:
    with pytest.raises(InputError, match=rf"text\.txt: {message}"):
        swapped_corpus(tmp_path, text, protocol, held_out)
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_what_ends_a_line_inside_a_document_becomes_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Ältere Zeile\n\n  \nthree\u2028four\x85five\r\nlast, of no end"
    (tmp_path / "a.txt").write_bytes(text.encode())
    # documents longer than a block, too
    monkeypatch.setattr(corpora_reading, "BLOCK", 7)
    facts = read_corpus([tmp_path / "a.txt"], {"format": "text"}, tmp_path / "out.txt")
    assert list(lines_of(tmp_path / "out.txt")) == ["Ältere Zeile", "three four five", "last, of no end"]
    assert facts == {"lines": 3}


def test_words_of_lists(tmp_path: Path) -> None:
    published = read_words(RESOURCES / "debiasing" / "stereotypes.yaml")
    assert "nurse" in published and len(published) == len(set(published)) > 150
    assert all(word.isalpha() and word.islower() for word in published)
    path = tmp_path / "words.txt"
    path.write_text("nurse\npilot\nnurse\n")
    assert read_words(path) == ("nurse", "pilot")
    path.write_text("feminine,masculine\nелена,иван\n她,他\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 1 \(line 3\): feminine: '她' is of a script without spaces"):
        read_word_pairs(path)
