"""Word lists kept by hand: what they hold, and what is refused."""

from pathlib import Path

import pytest

from unmask.errors import InputError
from unmask.frequency.word_lists import read_left_out, read_listed

LEFT_OUT = Path(__file__).parents[2] / "resources" / "frequency" / "left_out_words.yaml"


def test_the_list_of_words_to_leave_out() -> None:
    found = read_left_out(LEFT_OUT)
    assert {"white", "black", "the", "not", "don't", "with", "of"} <= found
    # words that name a group stay in
    assert not {"he", "she", "his", "her", "him", "men", "women", "old", "poor", "gay", "whites"} & found


def test_words_listed_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text("source: x\nwords:\n  age: {advantaged: [young], disadvantaged: [old, elderly]}\n")
    assert read_listed(path).to_numpy().tolist() == [
        ["age", "advantaged", "young"],
        ["age", "disadvantaged", "old"],
        ["age", "disadvantaged", "elderly"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("words: {}", "does not say the source"),
        ("source: x", "words: not a mapping"),
        ("source: x\nwords: {age: {young: [a]}}", "words.age.young: a group is one of"),
        ("source: x\nwords: {age: [old]}", "words.age: not a mapping"),
        ("source: x\nwords: {age: {advantaged: [a, a]}}", "'a' stands twice"),
        ("source: x\nwords: {age: {advantaged: [a], disadvantaged: [a]}}", "'a' stands twice"),
        ("source: x\nwords: {age: {advantaged: [Young]}}", "'Young' is not one word in lower case"),
        ("source: x\nwords: {age: {advantaged: [two words]}}", "'two words' is not one word"),
        ("source: x\nwords: {age: {advantaged: [no]}}", "False is not one word"),
        ("- a", "not a mapping"),
        ("{", "not valid YAML"),
    ],
)
def test_bad_listed_words_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_listed(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {words: [x]}", "the list a has no source"),
        ("a: {source: s}", "the list a has no words"),
        ("a: {source: s, words: [the A]}", "'A' is not one word in lower case"),
        ("a: {source: s, words: [well-known]}", "'well-known' is not one word"),
    ],
)
def test_bad_words_to_leave_out_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_left_out(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_left_out(tmp_path / "none.yaml")
