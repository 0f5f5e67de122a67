"""Files of association tests: what is made of good ones, some of them released, and said of bad ones."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given

from association_files import (
    CHANGES,
    FUZZ,
    KEYS,
    changed,
    grounded,
    sent_bias,
    sentences,
    stimuli,
    written,
)
from library import InputError
from real_data import real_data

DISTINCT = 5433
"""Distinct texts of the 50 released tests."""


def sizes_of_the_released() -> dict[str, list[int]]:
    """Name of a test -> sizes of its four sets, as the table of the data's README has them."""
    found = {}
    for line in real_data("README.md").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\| seat/(\S+)\.jsonl \| \d+ \| (\d+)/(\d+)/(\d+)/(\d+) \|", line):
            found[match[1]] = [int(size) for size in match.groups()[1:]]
    return found


def test_the_released_tests() -> None:
    paths = sorted(real_data("seat").glob("*.jsonl"))
    rows, tests = stimuli(paths)
    expected = sizes_of_the_released()
    assert len(expected) == 50
    found = {
        str(name): [int((those["set"] == set_).sum()) for set_ in KEYS.values()]
        for name, those in rows.groupby("test")
    }
    assert found == expected
    assert rows["text"].nunique() == DISTINCT
    # no text is there for two words, so that each is embedded once
    assert rows["stimulus"].nunique() == DISTINCT
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


def test_each_stimulus_is_one_text_word_and_picture(tmp_path: Path) -> None:
    # whose vector in a text is another for each word
    word = {"targ1": ["black cat"], "targ2": ["dog"], "attr1": ["good"], "attr2": ["bad"]}
    paths = written(tmp_path, one=sent_bias(**word), sent__one=sentences(word))
    paths += written(tmp_path, two=sent_bias(**word | {"targ1": ["cat"]}), sent__two=sentences(word))
    rows, _ = stimuli(paths)
    of_cat, of_dog = (rows[rows["text"] == f"This is {animal}."] for animal in ("black cat", "dog"))
    assert of_cat["word"].tolist() == ["black cat", "cat"] and of_cat["stimulus"].nunique() == 2
    assert len(of_dog) == 2 and of_dog["stimulus"].nunique() == 1


# pictures


def test_a_grounded_test(tmp_path: Path) -> None:
    rows, tests = stimuli(written(tmp_path, mine=grounded()), format="grounded")
    assert list(zip(rows["cell"], rows["text"], rows["image"], strict=True)) == [
        ("X", "John", "images_John.jpg"),
        ("X", "Paul", "images_Paul.jpg"),
        ("Y", "Amy", "images_Amy.jpg"),
        ("Y", "Joan", "images_Joan.jpg"),
        ("A_X", "office", "Men_Images_office.jpg"),
        ("A_Y", "office", "Women_Images_office.jpg"),
        ("B_X", "home", "Men_Images_home.jpg"),
        ("B_Y", "home", "Women_Images_home.jpg"),
    ]
    assert rows["set"].tolist() == list("XXYYAABB")
    assert rows["word"].tolist() == rows["text"].tolist()
    assert tests[0]["categories"] == {"X": "Men", "Y": "Women", "A": "Work", "B": "House"}
    assert tests[0]["remarks"] == []


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
    more = rows.iloc[8:]
    assert list(zip(more["set"], more["cell"], more["text"], more["image"], strict=True)) == [
        ("X", "X_A", "John", "John at work.jpg"),
        ("X", "X_B", "Paul", "Paul at home.jpg"),
        ("Y", "Y_A", "Amy", "Amy at work.jpg"),
        ("Y", "Y_A", "Amy", "both.jpg"),
        ("Y", "Y_A", "Joan", "both.jpg"),
        ("Y", "Y_B", "Joan", "Joan at home.jpg"),
        ("A", "A", "office", "office.jpg"),
        ("B", "B", "home", "home.jpg"),
    ]
    assert len(tests[0]["pictures"]) == 12
    # any of them may be there without the others
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
    "unseen": ('{"a": [1]}', "corrected", ["a Paul"], [LEFT_OUT]),
    "merged": ('{"a": [0], "b": [1], "a": [1]}', "corrected", ["a John", "a Paul", "b Paul"], [TOGETHER]),
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
@FUZZ
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
