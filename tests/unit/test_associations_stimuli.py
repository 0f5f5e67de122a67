"""From tests to the table of stimuli: what is embedded once, and where it stands."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from association_files import sent_bias, sentences, stimuli, written
from unmask.associations.association_test import AssociationTest, Item
from unmask.associations.stimuli import Worded, stimuli_of
from unmask.associations.terms import SETS


def test_stimuli_are_numbered_in_order_of_first_use(tmp_path: Path) -> None:
    rows, _ = stimuli(
        written(
            tmp_path, a=sent_bias(), b=sent_bias(targ1=["Al", "Paul"], attr1=["career", "office", "desk"])
        )
    )
    assert rows["test"].tolist() == ["a"] * 9 + ["b"] * 10
    of_b = rows[rows["test"] == "b"].set_index("text")["stimulus"]
    of_a = rows[rows["test"] == "a"].set_index("text")["stimulus"]
    assert of_a.tolist() == list(range(9))
    assert of_b["Al"] == 9 and of_b["desk"] == 10
    assert all(of_b[text] == of_a[text] for text in of_b.index if text in of_a.index)


def test_a_text_of_two_words_is_two_stimuli(tmp_path: Path) -> None:
    # the vector of a word in its text is another for each
    word = {"targ1": ["black cat"], "targ2": ["dog"], "attr1": ["good"], "attr2": ["bad"]}
    paths = written(
        tmp_path,
        one=sent_bias(**word),
        sent__one=sentences(word),
        two=sent_bias(**{**word, "targ1": ["cat"]}),
        sent__two=sentences(word),
    )
    rows, _ = stimuli(paths)
    of_text = rows[rows["text"] == "This is black cat."]
    assert of_text["word"].tolist() == ["black cat", "cat"] and of_text["stimulus"].nunique() == 2
    of_dog = rows[rows["text"] == "This is dog."]
    assert len(of_dog) == 2 and of_dog["stimulus"].nunique() == 1


ITEMS = st.lists(
    st.builds(
        Item,
        st.sampled_from(SETS),
        st.sampled_from("abc"),
        st.none(),
        st.sampled_from([None, "1.jpg", "2.jpg"]),
    ),
    min_size=1,
    max_size=8,
)


@given(st.lists(ITEMS, min_size=1, max_size=3), st.lists(st.sampled_from("vw"), min_size=24, max_size=24))
def test_each_stimulus_is_one_text_word_and_picture(tests: list[list[Item]], words: list[str]) -> None:
    worded = []
    for number, items in enumerate(tests):
        test = AssociationTest(f"t{number}", "file", {}, {}, tuple(items))
        worded.append(Worded(test, tuple(words[: len(items)]), ()))
    rows = stimuli_of(worded)
    assert rows["text"].tolist() == [item.text for items in tests for item in items]
    parts = [
        (item.text, word, item.image)
        for items, each in zip(tests, worded, strict=True)
        for item, word in zip(items, each.words, strict=True)
    ]
    order = list(dict.fromkeys(parts))
    assert rows["stimulus"].tolist() == [order.index(part) for part in parts]
