"""Word vectors: files of every kind against numpy's own reading, lost words, and faults."""

import io
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from association_files import CHANGES, FACTS, FUZZ, changed, sent_bias, sentences, stimuli, written
from real_data import real_data
from unmask.associations.stimuli import read_stimuli
from unmask.associations.vectors import Vectors, embed, read_vectors
from unmask.errors import InputError

NUMBERS = {"he": [0.5, -1.25, 3.0], "she": [1e-3, 2.0, -7.5], "New York": [1.0, 0.0, 0.0]}


def text(numbers: Mapping[str, list[float]], header: bool = False, end: str = "\n") -> bytes:
    lines = [" ".join([word, *map(repr, row)]) for word, row in numbers.items()]
    head = [f"{len(numbers)} {len(next(iter(numbers.values())))}"] if header else []
    return (end.join([*head, *lines]) + end).encode()


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: np.asarray(array) for name, array in arrays.items()})
    return buffer.getvalue()


def parquet(columns: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), buffer)
    return buffer.getvalue()


ROWS = list(NUMBERS.values())
WORDS = list(NUMBERS)
GOOD = {
    "glove.txt": text(NUMBERS),
    "word2vec.txt": text(NUMBERS, header=True),
    "spaces.vec": text(NUMBERS, header=True, end=" \n"),
    "windows.txt": b"\xef\xbb\xbf" + text(NUMBERS, end="\r\n"),
    "tabs.TXT": text(NUMBERS).replace(b"New York", b"New!York").replace(b" ", b"\t").replace(b"!", b" "),
    "whole.txt": text(NUMBERS).rstrip(),
    "words.npz": npz(**NUMBERS),
    "matrix.npz": npz(words=WORDS, vectors=np.array(ROWS)),
    "half.npz": npz(**{word: np.array(row, np.float64) for word, row in NUMBERS.items()}),
    "lists.parquet": parquet({"word": WORDS, "v": ROWS}),
    "fixed.parquet": parquet({"v": pa.array(ROWS, pa.list_(pa.float32(), 3)), "word": WORDS}),
    "numbers.parquet": parquet(
        {"word": pa.array(WORDS).dictionary_encode()} | {f"d{n}": [row[n] for row in ROWS] for n in range(3)}
    ),
}


def written_vectors(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", GOOD)
def test_good_files(name: str, tmp_path: Path) -> None:
    path = written_vectors(tmp_path, name, GOOD[name])
    found = read_vectors(path, ["she", "New York", "it", "he", "she"])
    assert found.words == ("she", "New York", "he") and found.where == str(path) and not found.spelt
    assert found.values.dtype == np.float32
    np.testing.assert_array_equal(found.values, np.array([ROWS[1], ROWS[2], ROWS[0]], np.float32))
    none = read_vectors(path, ["it"])
    assert none.words == () and none.values.shape == (0, 0)


@pytest.mark.parametrize("name", ["v.txt", "v.npz", "v.parquet"])
def test_a_word_as_it_is_goes_before_lower_case(name: str, tmp_path: Path) -> None:
    numbers = {"us": [1.0, 2.0], "US": [3.0, 4.0], "nasa": [5.0, 6.0]}
    content = {
        "v.txt": text(numbers),
        "v.npz": npz(**numbers),
        "v.parquet": parquet({"word": list(numbers), "v": list(numbers.values())}),
    }[name]
    found = read_vectors(written_vectors(tmp_path, name, content), ["US", "NASA", "us", "Us"])
    assert found.words == ("US", "NASA", "us", "Us")
    assert found.values.tolist() == [[3, 4], [5, 6], [1, 2], [1, 2]]
    assert found.spelt == {"NASA": "nasa", "Us": "us"}


def test_a_word_that_is_there_in_capitals_alone_is_lost(tmp_path: Path) -> None:
    assert read_vectors(written_vectors(tmp_path, "v.txt", b"Nasa 1 2\n"), ["nasa", "NASA"]).words == ()


@pytest.mark.parametrize("name", ["glove_math_32.txt", "w2v_weat_347.txt"])
def test_real_vectors_are_those_of_numpy(name: str) -> None:
    path = real_data("vectors", name)
    lines = path.read_text(encoding="utf-8").splitlines()
    count, width = map(int, lines[0].split())
    words = [line.split(" ")[0] for line in lines[1:]]
    parsed = np.loadtxt(path, skiprows=1, usecols=range(1, width + 1), dtype=np.float64, comments=None)
    found = read_vectors(path, words)
    assert found.words == tuple(words) and len(words) == count
    np.testing.assert_array_equal(found.values, parsed.astype(np.float32))


@pytest.mark.parametrize("name", ["glove_math_32.txt", "w2v_weat_347.txt"])
def test_real_vectors_without_their_first_line(name: str, tmp_path: Path) -> None:
    path = real_data("vectors", name)
    content = path.read_bytes()
    bare = written_vectors(tmp_path, name, content[content.index(b"\n") + 1 :])
    words = [line.split(" ")[0] for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    np.testing.assert_array_equal(read_vectors(bare, words).values, read_vectors(path, words).values)


def test_glove_has_the_words_of_weat7() -> None:
    files = {"tests": [real_data("seat", "weat7.jsonl")], "facts": [FACTS]}
    rows, _ = read_stimuli(files, {"format": "sent-bias"}, "seat", "x")
    found = embed(rows, real_data("vectors", "glove_math_32.txt"))
    assert found.values.shape == (32, 300) and not found.left_out and not found.remarks


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=6).filter(
            lambda word: not word.isspace()
        ),
        st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3).filter(
            lambda row: max(map(abs, row)) > 1e-30
        ),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
@FUZZ
def test_any_numbers_are_those_of_numpy(
    tmp_path: Path, numbers: dict[str, list[float]], header: bool
) -> None:
    path = written_vectors(tmp_path, "v.txt", text(numbers, header))
    found = read_vectors(path, numbers)
    assert found.words == tuple(numbers)
    np.testing.assert_array_equal(found.values, np.array(list(numbers.values())).astype(np.float32))


def test_text_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    with path.open("wb") as file:
        for number in range(5_000):
            file.write(b"w%d " % number + b"0.125 " * 99 + b"0.5\n")
    assert path.stat().st_size > 3_000_000
    tracemalloc.start()
    found = read_vectors(path, ["w5", "w4999"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.values.shape == (2, 100) and peak < 500_000


def test_parquet_is_read_in_batches(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(9_000)]
    vectors = [[float(number + 1), 1.0] for number in range(9_000)]
    path = written_vectors(tmp_path, "v.parquet", parquet({"word": words, "v": vectors}))
    found = read_vectors(path, ["w8999", "w0", "w4096"])
    assert found.values.tolist() == [[9000, 1], [1, 1], [4097, 1]]
    vectors[5_000][1] = float("nan")
    path.write_bytes(parquet({"word": words, "v": vectors}))
    with pytest.raises(InputError, match="row 5000: 'w5000': number 2, nan"):
        read_vectors(path, ["w5000"])


def test_rows_of_other_words_need_not_be_utf8(tmp_path: Path) -> None:
    path = written_vectors(
        tmp_path, "v.txt", b"\xff\xfe 1 2\nhe 1 2\nat name 3 4\nto nan 3 4\n\xff\xfe 3 4\n"
    )
    assert read_vectors(path, ["he"]).values.tolist() == [[1, 2]]
    assert read_vectors(path, ["at name", "to nan"]).values.tolist() == [[3, 4], [3, 4]]


BIG = np.array([1.0, 1e300, 0.0])
FAULTS: dict[str, tuple[str, bytes, str]] = {
    "narrow": ("v.txt", b"he 1 2 3\nshe 1 2\n", "line 2: 2 numbers after the word, not 3"),
    "narrow, not wanted": ("v.txt", b"he 1 2 3\nx 1 2\n", "line 2: 2 numbers after the word, not 3"),
    "wide": ("v.txt", b"he 1 2 3\nshe 1 2 3 4\n", "line 2: more than 3 numbers after the word"),
    "first line": ("v.txt", b"2 3\nhe 1 2\nshe 1 2\n", "line 2: 2 numbers after the word, not 3"),
    "word alone": ("v.txt", b"he\n", "line 1: 0 numbers after the word, not 1"),
    "cut": ("v.txt", b"3 2\nhe 1 2\nshe 1 2\n", "2 vectors, but its first line says 3; is it whole?"),
    "no number": ("v.txt", b"x 1 2\nhe 1 b\n", "line 2: 'he': 'b' is no number"),
    "underscore": ("v.txt", b"he 1 1_0\n", "line 1: 'he': '1_0' is no number"),
    "nan": ("v.txt", b"he 1 nan\n", "line 1: 'he': number 2, nan, is no finite number of 32 bits"),
    "infinite": ("v.txt", b"he -inf 1\n", "line 1: 'he': number 1, -inf, is no finite number of 32 bits"),
    "too large": ("v.txt", b"he 1 1e39\n", "line 1: 'he': number 2, 1e+39, is no finite number of 32 bits"),
    "zeros": ("v.txt", b"he 0 0.0\n", "line 1: 'he': all of its numbers are 0, so it has no direction"),
    "twice": ("v.txt", b"he 1 2\nx 1 2\nhe 1 2\n", "line 3: 'he' is there twice (first: line 1)"),
    "empty": ("v.txt", b"", "no vectors in it"),
    "header alone": ("v.txt", b"0 3\n", "no vectors in it"),
    "blank": ("v.txt", b"\n \n", "no vectors in it"),
    "binary": ("v.txt", b"he 1 2\n\0\0", "line 2: a NUL byte in it"),
    "one line": ("v.txt", b"1 " * 600_000, "line 1: too long; is it text?"),
    "kind": ("v.bin", b"", "what kind of word vectors are these? Known are .txt, .vec, .npz, .parquet"),
    "no zip": ("v.npz", b"he 1 2", "not a readable .npz file ("),
    "cut zip": ("v.npz", npz(he=[1.0])[:-10], "not a readable .npz file ("),
    "shapes": ("v.npz", npz(he=[1.0, 2.0], she=[1.0]), "array: 'she': 1 numbers, others have 2"),
    "a matrix": ("v.npz", npz(he=[[1.0]]), "array: 'he': float64 of shape (1, 1), not a row of numbers"),
    "texts": ("v.npz", npz(he=["a"]), "array: 'he': <U1 of shape (1,), not a row of numbers"),
    "complex": ("v.npz", npz(he=[1j]), "array: 'he': complex128 of shape (1,), not a row of numbers"),
    "none": ("v.npz", npz(he=[]), "array: 'he': float64 of shape (0,), not a row of numbers"),
    "large": ("v.npz", npz(he=BIG), "array: 'he': number 2, 1e+300, is no finite number of 32 bits"),
    "words": ("v.npz", npz(words=[1.0], vectors=[[1.0]]), "words: float64 of shape (1,), not a row of texts"),
    "lengths": ("v.npz", npz(words=["a", "b"], vectors=[[1.0]]), "vectors: shape (1, 1), but there are 2"),
    "matrix nan": (
        "v.npz",
        npz(words=["a", "he"], vectors=[[1.0], [np.nan]]),
        "row 1: 'he': number 1, nan, is no finite",
    ),
    "matrix twice": (
        "v.npz",
        npz(words=["he", "he"], vectors=[[1.0], [1.0]]),
        "row 1: 'he' is there twice (first: row 0)",
    ),
    "no table": ("v.parquet", b"PAR1", "not a readable Parquet file ("),
    "no word": ("v.parquet", parquet({"v": [[1.0]]}), "no column 'word' (columns: v)"),
    "word of numbers": (
        "v.parquet",
        parquet({"word": [1], "v": [[1.0]]}),
        "column 'word' holds int64, not text",
    ),
    "nothing beside": ("v.parquet", parquet({"word": ["he"]}), "beside 'word', neither one column of lists"),
    "lists of texts": (
        "v.parquet",
        parquet({"word": ["he"], "v": [["a"]]}),
        "beside 'word', neither one column of lists of numbers nor columns of numbers (v (list<",
    ),
    "text and number": (
        "v.parquet",
        parquet({"word": ["he"], "v": [1.0], "x": ["a"]}),
        "beside 'word', neith",
    ),
    "null": ("v.parquet", parquet({"word": ["he"], "v": [[1.0, None]]}), "row 0: 'he': number 2 is null"),
    "null list": ("v.parquet", parquet({"word": ["he", "a"], "v": [None, [1.0]]}), "row 0: 'he': float64 of"),
    "null number": (
        "v.parquet",
        parquet({"word": ["a", "he"], "v": [1.0, None], "w": [1.0, 2.0]}),
        "row 1: 'he': number 1 is null",
    ),
    "widths": (
        "v.parquet",
        parquet({"word": ["he", "she"], "v": [[1.0], [1.0, 2.0]]}),
        "row 1: 'she': 2 numbers, others have 1",
    ),
    "rows": (
        "v.parquet",
        parquet({"word": ["he", "he"], "v": [[1.0], [1.0]]}),
        "row 1: 'he' is there twice (first: row 0)",
    ),
    "not finite": (
        "v.parquet",
        parquet({"word": ["he"], "v": [[np.inf]]}),
        "row 0: 'he': number 1, inf, is no finite number of 32 bits",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str, tmp_path: Path) -> None:
    name, content, said = FAULTS[fault]
    path = written_vectors(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_vectors(path, ["he", "she"])
    line = str(caught.value)
    assert line.startswith(f"{path}: {said}") and line.isprintable()


@pytest.mark.parametrize("name", ["v.txt", "v.npz", "v.parquet"])
def test_no_file_and_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"v\.\w+: no such file"):
        read_vectors(tmp_path / name, ["he"])
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=r"v\.\w+: .*(directory|not a)"):
        read_vectors(tmp_path / name, ["he"])


def test_nothing_pickled_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, he=np.array([{"a": 1}], dtype=object))
    path = written_vectors(tmp_path, "v.npz", buffer.getvalue())
    with pytest.raises(InputError, match="he: not readable"):
        read_vectors(path, ["he"])


def test_arrays_of_one_name(tmp_path: Path) -> None:
    array = io.BytesIO()
    np.save(array, np.ones(2))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("he.npy", array.getvalue())
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("he.npy", array.getvalue())
    path = written_vectors(tmp_path, "v.npz", buffer.getvalue())
    with pytest.raises(InputError, match="he: is there twice"):
        read_vectors(path, ["he"])


@pytest.mark.parametrize("name", GOOD)
@FUZZ
@given(changes=CHANGES, drawn=st.binary(max_size=40))
def test_vectors_with_bytes_changed(
    name: str, changes: list[tuple[float, int, bytes]], drawn: bytes, tmp_path: Path
) -> None:
    for content in (changed(GOOD[name], changes), drawn):
        path = written_vectors(tmp_path, name, content)
        try:
            found = read_vectors(path, WORDS)
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable()
        else:
            assert isinstance(found, Vectors) and len(found.values) == len(found.words)
            assert np.isfinite(found.values).all()


# the vectors of a suite

SETS = {"targ1": ["son", "man"], "targ2": ["her", "she"], "attr1": ["office"], "attr2": ["home"]}
OF_SETS = {word: [float(n), 1.0] for n, words in enumerate(SETS.values()) for word in words}


def rows_of(embedded: Any) -> dict[int, list[float]]:
    values: npt.NDArray[np.float32] = embedded.values
    return dict(zip(embedded.stimuli.tolist(), values.tolist(), strict=True))


def test_vectors_of_a_suite(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**SETS), sent__mine=sentences(SETS)))
    path = written_vectors(tmp_path, "v.txt", text(OF_SETS))
    found = embed(rows, path)
    assert found.stimuli.dtype == np.int32 and found.values.dtype == np.float32
    assert found.stimuli.tolist() == list(range(12)) and not found.left_out and not found.remarks
    of_stimulus = rows_of(found)
    for number, word in zip(rows["stimulus"], rows["word"], strict=True):
        assert of_stimulus[number] == OF_SETS[word]


def test_lost_words_are_an_error(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**SETS)))
    numbers = {word: row for word, row in OF_SETS.items() if word not in ("man", "she")}
    path = written_vectors(tmp_path, "v.txt", text(numbers))
    with pytest.raises(InputError) as caught:
        embed(rows, path)
    assert str(caught.value) == (
        f"{path}: test mine: no vector for 'man' (nor for 1 other words); `missing: drop` leaves words out"
    )


def test_lost_words_are_left_out(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**SETS), sent__mine=sentences(SETS)))
    numbers = {word: row for word, row in OF_SETS.items() if word not in ("man", "she")}
    path = written_vectors(tmp_path, "v.txt", text(numbers))
    found = embed(rows, path, "drop")
    lost = rows.loc[rows["word"].isin(["man", "she"]), ["stimulus", "word"]]
    assert found.left_out == {
        number: f"no vector for {word!r}" for number, word in lost.itertuples(index=False)
    }
    assert len(found.left_out) == 4
    assert set(found.stimuli.tolist()) == set(rows["stimulus"]) - set(found.left_out)
    assert found.remarks == (
        "mine: 2 words have no vector and are left out: man, she",
        "sent-mine: 2 words have no vector and are left out: man, she",
    )
    of_stimulus = rows_of(found)
    for number, word in zip(rows["stimulus"], rows["word"], strict=True):
        assert number in found.left_out or of_stimulus[number] == OF_SETS[word]


def test_a_set_that_becomes_empty(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**SETS)))
    numbers = {word: row for word, row in OF_SETS.items() if word != "office"}
    path = written_vectors(tmp_path, "v.txt", text(numbers))
    with pytest.raises(InputError) as caught:
        embed(rows, path, "drop")
    assert str(caught.value) == f"{path}: test mine: A: none of its words has a vector (first: 'office')"


def test_words_in_lower_case_alone_are_told(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**{**SETS, "targ1": ["Son", "MAN"]})))
    found = embed(rows, written_vectors(tmp_path, "v.txt", text(OF_SETS)))
    assert found.remarks == ("2 words are there in lower case alone: son, man",)
    assert rows_of(found)[0] == OF_SETS["son"]


def test_missing_is_one_of_two(tmp_path: Path) -> None:
    rows, _ = stimuli(written(tmp_path, mine=sent_bias(**SETS)))
    with pytest.raises(InputError, match=r"^missing: 'x' is none of error, drop$"):
        embed(rows, tmp_path / "v.txt", "x")
