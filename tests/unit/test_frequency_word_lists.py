"""Word lists that come with the workflow: what they hold."""

from pathlib import Path

import pytest

from library import GROUPS, InputError, read_left_out, read_listed, read_listing, words_of

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
    assert all(words_of(word) == [word] for word in found)
    # words that name a group stay in
    assert not {"he", "she", "his", "her", "him", "men", "women", "old", "poor", "gay", "whites"} & found


def test_a_list_of_ones_own_is_read_as_texts_are(tmp_path: Path) -> None:
    lists = tmp_path / "left_out.yaml"
    lists.write_text("mine: {source: me, words: [Straight O’Neil, 'on', 5]}\n")
    assert read_left_out(lists) == {"straight", "o'neil", "on", "5"}
    # for YAML this is true
    lists.write_text("mine: {source: me, words: [il, on]}\n")
    with pytest.raises(InputError, match=r"left_out\.yaml: words: true is no text; a word such as on, "):
        read_left_out(lists)


def test_the_words_of_the_papers_table2_have_the_mean_ranks_printed_there() -> None:
    printed = read_listing(TABLE2)["mean_ranks"]
    words = read_listed(TABLE2)
    order = {line.split()[0]: line.split()[1:] for line in ORDER.strip().splitlines()}
    assert list(order) == list(printed) == words["bias_type"].drop_duplicates().tolist()
    assert len(words) == 72 and not words.duplicated(["bias_type", "word"]).any()
    for bias_type, in_order in order.items():
        own = words[words["bias_type"] == bias_type]
        assert sorted(own["word"]) == sorted(in_order)
        for group in GROUPS:
            places = [1 + in_order.index(word) for word in own.loc[own["group"] == group, "word"]]
            assert len(places) == 4
            assert sum(places) / 4 == printed[bias_type][group], (bias_type, group)
