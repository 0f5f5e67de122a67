"""Files of association tests, some of them released: their texts and pictures, and the words of these."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from association_files import KEYS, grounded, sent_bias, sentences, stimuli, written
from changed_bytes import CHANGES, changed
from library import InputError, find, spans_of
from real_data import real_data


def test_the_released_tests() -> None:
    paths = sorted(real_data("seat").glob("*.jsonl"))
    rows, tests = stimuli(paths)
    # the table of the data's README: name of a test and sizes of its four sets
    row = r"^\| seat/(\S+)\.jsonl \| \d+ \| (\d+)/(\d+)/(\d+)/(\d+) \|"
    stated = re.findall(row, real_data("README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(stated) == 50
    for name, *sizes in stated:
        of_test = rows.loc[rows["test"] == name, "set"]
        assert [int((of_test == set_).sum()) for set_ in KEYS.values()] == [*map(int, sizes)]
    # no text is there for two words, so that each is embedded once
    assert rows["text"].nunique() == rows["stimulus"].nunique() == 5433
    assert rows["image"].isna().all() and rows["cell"].isna().all()
    assert [test["name"] for test in tests] == [path.stem for path in paths]
    assert all(test["remarks"] == [] for test in tests)


def test_texts_are_as_they_are_each_once(tmp_path: Path) -> None:
    texts = [" caf\u00e9 ", "cafe", "<b>x</b> {y}", "../z"]
    rows, tests = stimuli(written(tmp_path, mine=sent_bias(targ1=[*texts, "cafe"], attr2=["home", "Amy"])))
    assert rows.loc[rows["set"] == "X", "text"].tolist() == texts
    assert rows.loc[rows["text"] == "Amy", "stimulus"].nunique() == 1
    assert tests[0]["remarks"] == [
        "X has 1 texts more than once ('cafe' first): each counts once",
        "Y and B have 'Amy' in common: its cosine with itself counts",
    ]


def test_only_some_tests(tmp_path: Path) -> None:
    paths = written(tmp_path, one=sent_bias(), two=sent_bias(), three="no test")
    rows, tests = stimuli(paths, only=["two", "one"])
    assert [test["name"] for test in tests] == ["one", "two"]
    # both tests are made of the same stimuli
    assert len(rows) == 18 and rows["stimulus"].max() == 8
    with pytest.raises(InputError, match="only: no file of the test 'four'"):
        stimuli(paths, only=["one", "four"])
    (tmp_path / "more").mkdir()
    with pytest.raises(InputError, match=r"the test 'one' is .*/one\.jsonl too; put one into another suite"):
        stimuli([*paths, *written(tmp_path / "more", one=sent_bias())])
    with pytest.raises(InputError, match="no file of a test is there"):
        stimuli([])


def test_each_stimulus_is_one_text_word_and_picture(tmp_path: Path) -> None:
    # whose vector in a text is another for each word
    word = {"targ1": ["black cat"], "targ2": ["dog"], "attr1": ["good"], "attr2": ["bad"]}
    paths = written(tmp_path, one=sent_bias(**word), sent__one=sentences(word))
    paths += written(tmp_path, two=sent_bias(**word | {"targ1": ["cat"]}), sent__two=sentences(word))
    rows, _ = stimuli(paths)
    of_cat, of_dog = (rows[rows["text"] == f"This is {animal}."] for animal in ("black cat", "dog"))
    assert of_cat["word"].tolist() == ["black cat", "cat"] and of_cat["stimulus"].nunique() == 2
    assert len(of_dog) == 2 and of_dog["stimulus"].nunique() == 1


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


# the words of tests of sentences

WORDS = {"targ1": ["son", "man"], "targ2": ["her", "hers"], "attr1": ["office"], "attr2": ["children"]}
TEXTS = {"targ1": ["sons", "men"], "targ2": ["hers", "her"], "attr1": ["Office"], "attr2": ["child"]}
EXPECTED = ["son", "man", "hers", "her", "office", "children"]


def test_a_sibling_is_read_though_it_is_not_wanted(tmp_path: Path) -> None:
    paths = written(tmp_path, mine=sent_bias(**WORDS), sent__mine=sentences(TEXTS))
    rows, tests = stimuli(paths, only=["sent-mine"])
    assert [test["name"] for test in tests] == ["sent-mine"] and rows["word"].tolist() == EXPECTED


@pytest.mark.parametrize(
    "value", [sent_bias(**WORDS), WORDS, {KEYS[key]: words for key, words in WORDS.items()}]
)
def test_words_of_a_users_file(value: Any, tmp_path: Path) -> None:
    (user_words,) = written(tmp_path, words=value)
    rows, _ = stimuli(written(tmp_path, mine=sentences(TEXTS)), words=user_words)
    assert rows["word"].tolist() == EXPECTED and rows["text"].tolist()[0] == "This is sons."


# pictures


def test_a_grounded_test_of_all_twelve_cells(tmp_path: Path) -> None:
    """Targets with attributes, and attributes alone, under keys that are made as the released ones are."""
    further = {
        "targ1__Work_Images": {"John at work.jpg": [0]},
        "targ1__House_Images": {"Paul at home.jpg": [1]},
        "targ2__Work_Images": {"Amy at work.jpg": ["0"], "both.jpg": [0, 1]},
        "targ2__House_Images": {"Joan at home.jpg": [1]},
        "attr1__images": {"office.jpg": [0]},
        "attr2__images": {"home.jpg": [0]},
    }
    rows, tests = stimuli(written(tmp_path, mine=grounded(**further)), format="grounded")
    assert list(zip(rows["set"], rows["cell"], rows["text"], rows["image"], strict=True)) == [
        ("X", "X", "John", "images_John.jpg"),
        ("X", "X", "Paul", "images_Paul.jpg"),
        ("Y", "Y", "Amy", "images_Amy.jpg"),
        ("Y", "Y", "Joan", "images_Joan.jpg"),
        ("A", "A_X", "office", "Men_Images_office.jpg"),
        ("A", "A_Y", "office", "Women_Images_office.jpg"),
        ("B", "B_X", "home", "Men_Images_home.jpg"),
        ("B", "B_Y", "home", "Women_Images_home.jpg"),
        ("X", "X_A", "John", "John at work.jpg"),
        ("X", "X_B", "Paul", "Paul at home.jpg"),
        ("Y", "Y_A", "Amy", "Amy at work.jpg"),
        ("Y", "Y_A", "Amy", "both.jpg"),
        ("Y", "Y_A", "Joan", "both.jpg"),
        ("Y", "Y_B", "Joan", "Joan at home.jpg"),
        ("A", "A", "office", "office.jpg"),
        ("B", "B", "home", "home.jpg"),
    ]
    assert rows["word"].tolist() == rows["text"].tolist()
    assert tests[0]["categories"] == {"X": "Men", "Y": "Women", "A": "Work", "B": "House"}
    # any of the further cells may be there without the others
    one, _ = stimuli(written(tmp_path, mine=grounded(attr1__images={"office.jpg": [0]})), format="grounded")
    assert one["cell"].tolist() == ["X", "X", "Y", "Y", "A_X", "A_Y", "B_X", "B_Y", "A"]


TOGETHER, LAST = (
    f"1 keys are repeated in the file ('a' first): {how}" for how in ("put together", "as the last says")
)
TWICE = "X: {} captions stand twice with one picture: each counts {}"
AS_TEXT = "X: 1 pictures have a text in place of a list of captions: read "
LEFT_OUT = "X: 1 captions have no picture and are left out ('John')"
PICTURES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "several": ('{"a": [0, 1], "b": ["1"], "c": []}', "corrected", ["a John", "a Paul", "b Paul"], []),
    "last": ('{"a": [0], "b": [1], "a": [1]}', "published", ["a Paul", "b Paul"], [LAST, LEFT_OUT]),
    "once": (
        '{"a": [0, 0], "b": [1], "a": [0, 1]}',
        "corrected",
        ["a John", "a Paul", "b Paul"],
        [TOGETHER, TWICE.format(2, "once")],
    ),
    "as often": (
        '{"a": [1], "b": [1], "a": [0, 0]}',
        "published",
        ["a John", "a John", "b Paul"],
        [LAST, TWICE.format(1, "as often")],
    ),
    # the released loader: `for c in "01": captions[str(c)]`
    "characters": (
        '{"a": "01"}',
        "published",
        ["a John", "a Paul"],
        [AS_TEXT + "character by character, as released"],
    ),
    "one id": ('{"a": "1"}', "corrected", ["a Paul"], [AS_TEXT + "as the id of one caption", LEFT_OUT]),
}
"""Pictures of X as a file has them, and how repeated keys are read; pictures with captions, and remarks."""


@pytest.mark.parametrize("case", PICTURES)
def test_pictures_and_their_captions(case: str, tmp_path: Path) -> None:
    pictures, how, captions, remarks = PICTURES[case]
    content = json.dumps(grounded(targ1__images="HERE")).replace('"HERE"', pictures)
    rows, tests = stimuli(written(tmp_path, mine=content), format="grounded", repeated_keys=how)
    of_x = rows[rows["cell"] == "X"]
    assert of_x[["image", "text"]].agg(" ".join, axis=1).tolist() == captions
    assert tests[0]["remarks"] == remarks
    assert tests[0]["pictures"] == rows.groupby("cell")["image"].nunique().to_dict()


def test_words_of_grounded_sentences(tmp_path: Path) -> None:
    captions = {"0": "These are sons.", "1": "Paul is here."}
    value = grounded(
        test_types=["sentence", "contextual"],
        targ1__captions=captions,
        contextual_words=["son", "sons", "Paul", "Amy", "Joan", "office", "home"],
    )
    rows, tests = stimuli(written(tmp_path, mine=value), format="grounded")
    assert rows["word"].tolist()[:2] == ["sons", "Paul"]
    assert "a plural is a word of its own" in tests[0]["remarks"][0]
    # the test of words beside it knows better
    words = grounded(targ1__captions={"0": "son", "1": "Paul"})
    rows, tests = stimuli(
        written(tmp_path, mine=words, sent__mine=value | {"test_name": "sent-mine"}), format="grounded"
    )
    assert rows.loc[rows["test"] == "sent-mine", "word"].tolist()[:2] == ["son", "Paul"]
    assert tests[1]["remarks"] == []


# fuzzers

VALID = {
    "sent-bias": json.dumps(sent_bias(targ1=["John", "caf\u00e9"]), ensure_ascii=False).encode(),
    "grounded": json.dumps(grounded()).encode(),
}


@pytest.mark.parametrize("format_", VALID)
@given(changes=CHANGES)
def test_a_test_with_bytes_changed(
    format_: str, changes: list[tuple[float, int, bytes]], tmp_path: Path
) -> None:
    (path,) = written(tmp_path, mine=changed(VALID[format_], changes))
    try:
        rows, _ = stimuli([path], format=format_)
    except InputError as error:
        assert str(error).startswith(f"{path}: ") and str(error).isprintable()
    else:
        assert set(rows["set"]) == set(KEYS.values())
