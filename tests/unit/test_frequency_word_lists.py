"""Word lists kept by hand: what they hold, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from library import GROUPS, InputError, read_left_out, read_listed, read_listing

RESOURCES = Path(__file__).parents[2] / "resources"
LEFT_OUT = RESOURCES / "frequency" / "left_out_words.yaml"
TABLE2 = RESOURCES / "frequency" / "table2_words.yaml"

ORDER = """
race-color           american james african asian carl tyrone caucasian jamal
gender               he his her she men woman him women
sexual-orientation   woman wife husband gay lesbian homosexual bisexual heterosexual
religion             church christian jewish muslim muslims christians jew atheist
age                  old young middle boy aged adults elderly teenagers
nationality          american canada canadian chinese italian americans mexican immigrants
disability           normal smart healthy ill mentally gifted autistic retarded
physical-appearance  short beautiful tall thin ugly fat skinny overweight
socioeconomic        poor doctor rich poverty wealthy businessman homeless ghetto
"""
"""The words of the paper's Table 2 as its rows print them, most frequent first."""


def test_the_list_of_words_to_leave_out() -> None:
    found = read_left_out(LEFT_OUT)
    assert {"white", "black", "the", "not", "don't", "with", "of"} <= found
    # words that name a group stay in
    assert not {"he", "she", "his", "her", "him", "men", "women", "old", "poor", "gay", "whites"} & found


def test_the_words_of_the_papers_table2_have_the_mean_ranks_printed_there() -> None:
    printed = read_listing(TABLE2)["mean_ranks"]
    words = read_listed(TABLE2)
    order = {line.split()[0]: line.split()[1:] for line in ORDER.strip().splitlines()}
    assert list(order) == list(printed) == words["bias_type"].drop_duplicates().tolist()
    assert len(words) == 72
    for bias_type, in_order in order.items():
        own = words[words["bias_type"] == bias_type]
        assert sorted(own["word"]) == sorted(in_order)
        for group in GROUPS:
            places = [1 + in_order.index(word) for word in own.loc[own["group"] == group, "word"]]
            assert len(places) == 4
            assert sum(places) / 4 == printed[bias_type][group], (bias_type, group)


def test_words_listed_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    text = "source: x\nwords:\n  age: {advantaged: [young], disadvantaged: [old, elderly]}\n"
    path.write_text(text)
    rows = [("advantaged", "young"), ("disadvantaged", "old"), ("disadvantaged", "elderly")]
    assert read_listed(path).to_numpy().tolist() == [["age", *row] for row in rows]
    assert read_listing(path) == {"source": "x", "note": "", "mean_ranks": {}}
    path.write_text(text + "note: >-\n  one\n  two\nmean_ranks: {age: {disadvantaged: 2, advantaged: 1.5}}\n")
    ranks = {"age": {"advantaged": 1.5, "disadvantaged": 2.0}}
    assert read_listing(path) == {"source": "x", "note": "one two", "mean_ranks": ranks}


RANKS = "source: x\nwords: {age: {advantaged: [young]}}\nmean_ranks: "
AGE = "source: x\nwords: {age: "
WORDS = "source: s\nwords: {age: {advantaged: [young]}}\n"


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_listing, RANKS + "[age]", "mean_ranks: is not a mapping"),
        (read_listing, RANKS + "{race: {advantaged: 1, disadvantaged: 2}}", "mean_ranks.race: no words are"),
        (read_listing, RANKS + "{age: {advantaged: 1}}", "mean_ranks.age: not one mean rank for each of"),
        (read_listing, RANKS + "{age: {advantaged: 1, disadvantaged: true}}", "True is not a number"),
        (read_listed, "words: {}", "no source in it"),
        (read_listed, "source: x", "no words in it"),
        (read_listed, AGE + "{young: [a]}}", "words.age.young: a group is one of"),
        (read_listed, AGE + "[old]}", "words.age: is not a mapping"),
        (read_listed, AGE + "{advantaged: [a, a]}}", "'a' is there more than once"),
        (read_listed, AGE + "{advantaged: [a], disadvantaged: [a]}}", "'a' is there more"),
        (read_listed, AGE + "{advantaged: [Young]}}", "'Young' is not one word in lower"),
        (read_listed, AGE + "{advantaged: [two words]}}", "'two words' is not one word"),
        (read_listed, AGE + "{advantaged: [no]}}", "False is not one word"),
        (read_listed, "- a", "not a mapping"),
        (read_left_out, "a: {words: [x]}", "a: no source in it"),
        (read_left_out, "a: {source: s, words: [well-known]}", "'well-known' is not one word"),
        # of any reader
        (read_left_out, "a: {}\na: {}", "not valid YAML: the key 'a' is there twice, in lines 1 and 2"),
        (read_listed, f"{WORDS}1: x\n'1': y\n", "not valid YAML: the key '1' is there twice, in lines 3"),
        (read_listing, "[" * 3000, "not valid YAML: maximum recursion depth"),
        (read_listing, f"{WORDS}n: {'1' * 5000}", "not valid YAML: Exceeds the limit"),
        (read_listed, f"{WORDS}n: 2001-99-99", "not valid YAML: month must be in 1..12"),
        (read_left_out, "a: b\udcff", "line 1: not UTF-8 text"),
        (read_listed, "\0", "not valid YAML: unacceptable character #x0000"),
        (read_listing, "a: !!python/object/apply:os.getcwd []", "not valid YAML: could not determine a"),
    ],
)
def test_bad_lists_are_named(
    reader: Callable[[Path], object], text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=message) as error:
        reader(path)
    assert str(error.value).startswith(f"{path}: ") and str(error.value).isprintable()
