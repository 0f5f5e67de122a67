"""Word vectors of a text file: against numpy's own reading, lost words, and faults."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from association_files import CHANGES, FUZZ, changed
from library import InputError, embed_words, read_vectors
from literal_associations import suite, words
from real_data import real_data

NUMBERS = {"he": [0.5, -1.25, 3.0], "she": [1e-3, 2.0, -7.5], "New York": [1.0, 0.0, 0.0]}


def text(numbers: Mapping[str, list[float]], header: bool = False, end: str = "\n") -> bytes:
    lines = [" ".join([word, *map(repr, row)]) for word, row in numbers.items()]
    head = [f"{len(numbers)} {len(next(iter(numbers.values())))}"] if header else []
    return (end.join([*head, *lines]) + end).encode()


def written(folder: Path, content: bytes) -> Path:
    path = folder / "vectors.txt"
    path.write_bytes(content)
    return path


GOOD = {
    "glove": text(NUMBERS),
    "word2vec": text(NUMBERS, header=True),
    "spaces": text(NUMBERS, header=True, end=" \n"),
    "windows": b"\xef\xbb\xbf" + text(NUMBERS, end="\r\n"),
    "tabs": text(NUMBERS).replace(b"New York", b"New!York").replace(b" ", b"\t").replace(b"!", b" "),
    "whole": text(NUMBERS).rstrip(),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_files(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, GOOD[name])
    found = read_vectors(path, ["she", "New York", "it", "he", "she"])
    assert found.keys() == NUMBERS.keys()
    for word, vector in found.items():
        assert vector.dtype == np.float32
        np.testing.assert_array_equal(vector, np.array(NUMBERS[word], np.float32))
    assert read_vectors(path, ["it"]) == {}


@pytest.mark.parametrize("name", ["glove_math_32.txt", "w2v_weat_347.txt"])
def test_real_vectors_are_those_of_numpy(name: str, tmp_path: Path) -> None:
    path = real_data("vectors", name)
    lines = path.read_text(encoding="utf-8").splitlines()
    count, width = map(int, lines[0].split())
    parsed = np.loadtxt(path, skiprows=1, usecols=range(1, width + 1), comments=None).astype(np.float32)
    names = [line.split(" ")[0] for line in lines[1:]]
    without_head = written(tmp_path, "\n".join(lines[1:]).encode())
    for file in (path, without_head):
        found = read_vectors(file, names)
        assert list(found) == names and len(names) == count
        np.testing.assert_array_equal(list(found.values()), parsed)


@pytest.mark.parametrize("name", ["glove", "word2vec"])
@FUZZ
@given(changes=CHANGES, drawn=st.binary(max_size=40))
def test_vectors_with_bytes_changed(
    name: str, changes: list[tuple[float, int, bytes]], drawn: bytes, tmp_path: Path
) -> None:
    for content in (changed(GOOD[name], changes), drawn):
        path = written(tmp_path, content)
        try:
            found = read_vectors(path, NUMBERS)
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable()
        else:
            assert all(np.isfinite(vector).all() for vector in found.values())


def test_a_word_as_it_is_goes_before_lower_case(tmp_path: Path) -> None:
    numbers = {"us": [1.0, 2.0], "US": [3.0, 4.0], "nasa": [5.0, 6.0], "he": [7.0, 8.0], "she": [9.0, 0.0]}
    # as another text of the same word has it
    stimuli = suite(*words("one", X=["US", "Us"], Y=["NASA", "us"], A=["he"]), *words("two", B=["she"]))
    vectors, lower = embed_words(stimuli, written(tmp_path, text(numbers)))
    assert vectors.tolist() == [[3, 4], [1, 2], [5, 6], [1, 2], [7, 8], [9, 0]]
    assert lower == ["us", "nasa"]
