"""Embeddings of a suite: each stimulus once, read back as written, and resumed to the same bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import read_embeddings, read_metadata, write_embeddings
from literal_associations import suite, words

WIDTH = 5
POOLINGS = ("cls", "mean")
STIMULI = suite(
    *words("one", X=["a", "b", "c"], Y=["d", "e"], A=["f"], B=["g", "h"]),
    *words("two", X=["d", "e"], Y=["a", "i"], A=["g"], B=["f", "k"]),
)


def reader(texts: list[str], shards: int = 1000) -> Callable[[pd.DataFrame], dict[str, Any]]:
    """Vectors that hang on the text alone; it dies after so many shards."""
    left = [shards]

    def read(stimuli: pd.DataFrame) -> dict[str, Any]:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        texts.extend(stimuli["text"])
        vectors = [np.random.default_rng(ord(text)).normal(size=(2, WIDTH)) for text in stimuli["text"]]
        return dict(zip(POOLINGS, np.stack(vectors, axis=1).astype(np.float32), strict=True))

    return read


def test_each_stimulus_is_read_once_and_a_killed_job_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unmask.associations.embeddings.SHARD", 3)
    whole, path = tmp_path / "one" / "embeddings.parquet", tmp_path / "two" / "embeddings.parquet"
    texts, rest = list[str](), list[str]()
    write_embeddings(whole, STIMULI, WIDTH, POOLINGS, reader(texts), {"encoder": "e"})
    assert texts == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k"]
    facts = read_metadata(whole)
    assert (facts["width"], facts["poolings"], facts["encoder"]) == (WIDTH, ["cls", "mean"], "e")
    distinct = STIMULI.drop_duplicates("stimulus").sort_values("stimulus")
    for pooling, expected in reader([])(distinct).items():
        np.testing.assert_array_equal(read_embeddings(whole)[pooling], expected)
    with pytest.raises(KeyboardInterrupt):
        write_embeddings(path, STIMULI, WIDTH, POOLINGS, reader([], 3), {"encoder": "e"})
    assert not path.exists()
    write_embeddings(path, STIMULI, WIDTH, POOLINGS, reader(rest), {"encoder": "e"})
    assert rest == ["k"] and path.read_bytes() == whole.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["embeddings.parquet"]
