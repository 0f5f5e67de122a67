"""Vectors of texts with pictures: VisualBERT against one text at a time, read by transformers as it is."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, VisualBertModel

from library import (
    GROUNDED,
    InputError,
    embed_with_images,
    load_encoder,
    open_region_features,
    pick_device,
)
from tiny_seeing import tiny_seeing

STIMULI = [
    ("the man", "man", "a.png"),
    ("the man", "man", "b/c.jpg"),
    ("this is a good nurse .", "nurse", "b/c.jpg"),
    ("this is a good doctor .", "doctor", "wide.png"),
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


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = np.random.default_rng(0)
    arrays = {f"{image}/features": draw.normal(size=(n, WIDTH)).astype("f4") for image, n in REGIONS.items()}
    return savez(tmp_path_factory.mktemp("features") / "regions.npz", **arrays)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_seeing(tmp_path_factory.mktemp("model"))


def embed(directory: Path, features: Path, stimuli: Any = STIMULI, tokens: int | None = None) -> Any:
    encoder = load_encoder(directory, "vision-and-language", pick_device("cpu", tokens), 128)
    texts, words, images = zip(*stimuli, strict=True)
    spans = [
        None if word is None else (text.index(word), text.index(word) + len(word))
        for text, word in zip(texts, words, strict=True)
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


def test_every_pooling_is_its_definition(model: Path, features: Path) -> None:
    found = embed(model, features)
    for pooling, vectors in found.items():
        assert vectors.shape == (len(STIMULI), 32) and vectors.dtype == np.float32
        for vector, stimulus in zip(vectors, STIMULI, strict=True):
            expected = literal(model, features, *stimulus, pooling)
            np.testing.assert_allclose(vector, expected, atol=2e-5, err_msg=f"{pooling}: {stimulus}")
    # the word is read with its text and its picture, and "xylophones" is several tokens
    word, first = found["word"], found["word-first"]
    for one, other in ((word[0], word[1]), (word[2], word[5]), (word[4], first[4])):
        assert np.abs(one - other).max() > 0.01


def test_regions_that_bypass_the_transformer_are_refused(tmp_path: Path, features: Path) -> None:
    with pytest.raises(InputError, match="cannot run VisualBERT with bypass_transformer"):
        embed(tiny_seeing(tmp_path, bypass_transformer=True), features)


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
    arrays = {} if values is None else {"b/features": values}
    file = open_region_features(savez(tmp_path / "f.npz", **{"a/features": FEATURES}, **arrays), WIDTH)
    assert file["a"].shape == (2, WIDTH)
    with pytest.raises(InputError, match=rf"f\.npz: b.*{line}"):
        file["b"]


def test_files_that_are_no_features(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("text")
    for name, line in {"none.npz": "no such file", "text.npz": "not a readable .npz file"}.items():
        with pytest.raises(InputError, match=f"{name}: {line}"):
            open_region_features(tmp_path / name, WIDTH)
