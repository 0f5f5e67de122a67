"""Embeddings of a suite: each stimulus once, read back as written."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from library import InputError, embeddings, read_embeddings, read_metadata, read_table, write_embeddings
from literal_associations import suite, words

WIDTH, POOLINGS = 5, ("cls", "mean")


def vectors_of(stimuli: pd.DataFrame) -> dict[str, np.ndarray]:
    """Of the text alone."""
    vectors = [np.random.default_rng(ord(text)).normal(size=(2, WIDTH)) for text in stimuli["text"]]
    return dict(zip(POOLINGS, np.stack(vectors).astype(np.float32).swapaxes(0, 1), strict=True))


def test_each_stimulus_is_read_once_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.associations.embeddings.SHARD", 3)
    stimuli = suite(
        *words("one", X=["a", "b", "c"], Y=["d", "e"], A=["f"], B=["g", "h"]),
        *words("two", X=["d", "e"], Y=["a", "i"], A=["g"], B=["f", "k"]),
    )
    path, texts = tmp_path / "embeddings.parquet", list[str]()

    def reading(shard: pd.DataFrame) -> dict[str, np.ndarray]:
        texts.extend(shard["text"])
        return vectors_of(shard)

    write_embeddings(path, stimuli, WIDTH, POOLINGS, reading, {"encoder": "e"})
    assert texts == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k"]
    rows = read_table(path, embeddings(WIDTH))
    assert rows["stimulus"].tolist() == sorted([*range(len(texts)), *range(len(texts))])
    assert rows["pooling"].tolist() == [*POOLINGS] * len(texts)
    facts = read_metadata(path)
    assert (facts["width"], facts["poolings"], facts["encoder"]) == (WIDTH, [*POOLINGS], "e")
    vectors = read_embeddings(path, WIDTH)
    expected = vectors_of(stimuli.drop_duplicates("stimulus").sort_values("stimulus"))
    for pooling in POOLINGS:
        np.testing.assert_array_equal(vectors[pooling], expected[pooling])
    with pytest.raises(InputError, match="columns"):
        read_embeddings(path, WIDTH + 1)
