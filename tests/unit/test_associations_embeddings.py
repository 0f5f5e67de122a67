"""Vectors of a suite: of a text file, of texts with pictures, and the table that has them by stimulus."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, VisualBertModel

from association_files import suite, words
from changed_bytes import CHANGES, changed
from library import (
    GROUNDED,
    InputError,
    embed_with_images,
    embed_words,
    load_encoder,
    open_region_features,
    pick_device,
    read_embeddings,
    read_metadata,
    read_vectors,
    write_embeddings,
)
from real_data import real_data
from tiny_models import tiny_seeing


def test_each_stimulus_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.associations.embeddings.SHARD", 3)
    stimuli = suite(
        *words("one", X=["a", "b", "c"], Y=["d", "e"], A=["f"], B=["g", "h"]),
        *words("two", X=["d", "e"], Y=["a", "i"], A=["g"], B=["f", "k"]),
    )
    path, texts = tmp_path / "embeddings.parquet", list[str]()

    def read(some: pd.DataFrame) -> dict[str, Any]:
        """Vectors that hang on the text alone."""
        texts.extend(some["text"])
        vectors = np.array([np.random.default_rng(ord(text)).normal(size=(2, 5)) for text in some["text"]])
        return {"cls": vectors[:, 0].astype("f4"), "mean": vectors[:, 1].astype("f4")}

    write_embeddings(path, stimuli, 5, ("cls", "mean"), read, {"encoder": "e"})
    assert texts == [*"abcdefghik"]
    facts = read_metadata(path)
    assert (facts["width"], facts["poolings"], facts["encoder"]) == (5, ["cls", "mean"], "e")
    for pooling, expected in read(pd.DataFrame({"text": [*"abcdefghik"]})).items():
        np.testing.assert_array_equal(read_embeddings(path)[pooling], expected)


# a text file

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
    "word2vec": text(NUMBERS, header=True, end=" \n"),
    "windows": b"\xef\xbb\xbf" + text(NUMBERS, end="\r\n"),
    "tabs": text(NUMBERS).replace(b"New York", b"New!York").replace(b" ", b"\t").replace(b"!", b" ").rstrip(),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_files(name: str, tmp_path: Path) -> None:
    vectors = read_vectors(written(tmp_path, GOOD[name]), ["she", "New York", "it", "he", "she"])
    assert vectors.keys() == NUMBERS.keys()
    for word, vector in vectors.items():
        np.testing.assert_array_equal(vector, np.array(NUMBERS[word], np.float32))


@pytest.mark.parametrize("name", ["glove_math_32.txt", "w2v_weat_347.txt"])
def test_real_vectors_are_those_of_numpy(name: str) -> None:
    path = real_data("vectors", name)
    lines = path.read_text(encoding="utf-8").splitlines()
    count, width = map(int, lines[0].split())
    parsed = np.loadtxt(path, skiprows=1, usecols=range(1, width + 1), comments=None).astype(np.float32)
    names = [line.split(" ")[0] for line in lines[1:]]
    vectors = read_vectors(path, names)
    assert list(vectors) == names and len(names) == count
    np.testing.assert_array_equal(list(vectors.values()), parsed)


@pytest.mark.parametrize("name", ["glove", "word2vec"])
@given(changes=CHANGES, drawn=st.binary(max_size=40))
def test_vectors_with_bytes_changed(
    name: str, changes: list[tuple[float, int, bytes]], drawn: bytes, tmp_path: Path
) -> None:
    for content in (changed(GOOD[name], changes), drawn):
        path = written(tmp_path, content)
        try:
            vectors = read_vectors(path, NUMBERS)
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable()
        else:
            assert all(np.isfinite(vector).all() for vector in vectors.values())


def test_a_word_as_it_is_goes_before_lower_case(tmp_path: Path) -> None:
    numbers = {"us": [1.0, 2.0], "US": [3.0, 4.0], "nasa": [5.0, 6.0], "he": [7.0, 8.0], "she": [9.0, 0.0]}
    # as another text of the same word has it
    stimuli = suite(*words("one", X=["US", "Us"], Y=["NASA", "us"], A=["he"]), *words("two", B=["she"]))
    vectors, lower = embed_words(stimuli, written(tmp_path, text(numbers)))
    assert vectors.tolist() == [[3, 4], [1, 2], [5, 6], [1, 2], [7, 8], [9, 0]]
    assert lower == ["us", "nasa"]


# texts with pictures: VisualBERT

STIMULI = [
    ("the man", "man", "a.png"),
    ("the man", "man", "b/c.jpg"),
    ("this is a good nurse .", "nurse", "b/c.jpg"),
    ("the xylophones are here", "xylophones", "wide.png"),
    ("this is a good nurse .", "good", "b/c.jpg"),
    ("a table and a thing", None, "grey.png"),
]
REGIONS = {"a.png": 3, "b/c.jpg": 3, "wide.png": 5, "grey.png": 1, "no.png": 3}
WIDTH = 12
FEATURES = np.ones((2, WIDTH))


def savez(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def embed(directory: Path, features: Path) -> Any:
    encoder = load_encoder(directory, "vision-and-language", pick_device("cpu"), 128)
    texts, of_texts, images = zip(*STIMULI, strict=True)
    spans = [
        None if word is None else (text.index(word), text.index(word) + len(word))
        for text, word in zip(texts, of_texts, strict=True)
    ]
    return embed_with_images(encoder, texts, spans, images, open_region_features(features, WIDTH), GROUNDED)


def literal(directory: Path, features: Path, text: str, word: str | None, image: str, pooling: str) -> Any:
    """One text with one picture, through the class as its documentation has it."""
    tokenizer: Any = AutoTokenizer.from_pretrained(directory)
    inputs = {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    with np.load(features) as file:
        regions = torch.from_numpy(file[f"{image}/features"])[None]
    network: Any = VisualBertModel.from_pretrained(directory)
    with torch.no_grad():
        hidden = network(**inputs, visual_embeds=regions).last_hidden_state[0]
    if pooling == "joint":
        return hidden[0].numpy()
    if word is None:
        return math.nan
    # [CLS] and the words before it
    start = 1 + len(tokenizer.tokenize(text[: text.index(word)]))
    tokens = hidden[start : start + len(tokenizer.tokenize(word))].numpy()
    return tokens[0] if pooling == "word-first" else sum(tokens) / len(tokens)


def test_every_pooling_is_its_definition(tmp_path: Path) -> None:
    draw, model = np.random.default_rng(0), tiny_seeing(tmp_path / "model")
    arrays = {f"{image}/features": draw.normal(size=(n, WIDTH)).astype("f4") for image, n in REGIONS.items()}
    features = savez(tmp_path / "regions.npz", **arrays)
    for pooling, vectors in embed(model, features).items():
        assert vectors.shape == (len(STIMULI), 32) and vectors.dtype == np.float32
        for vector, stimulus in zip(vectors, STIMULI, strict=True):
            expected = literal(model, features, *stimulus, pooling)
            np.testing.assert_allclose(vector, expected, atol=2e-5, err_msg=f"{pooling}: {stimulus}")


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (FEATURES[:, :5], "regions of 5 features, the model takes 12"),
        (FEATURES[0], r"float64 of shape \(12,\), not a row for each region"),
        (FEATURES.astype(str), "not a row for each region"),
        (FEATURES * 1e300, "has a number that is not finite in 32 bits"),
        (np.array([{}, 1], dtype=object), "not readable"),
        (None, "is not there"),
    ],
)
def test_features_that_cannot_be(values: Any, line: str, tmp_path: Path) -> None:
    arrays = {"a": FEATURES} if values is None else {"b/features": values}
    file = open_region_features(savez(tmp_path / "f.npz", **arrays), WIDTH)
    with pytest.raises(InputError, match=rf"f\.npz: b.*{line}"):
        file["b"]


def test_files_that_are_no_features(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("text")
    for name, line in {"none.npz": "no such file", "text.npz": "not a readable .npz file"}.items():
        with pytest.raises(InputError, match=f"{name}: {line}"):
            open_region_features(tmp_path / name, WIDTH)
