"""Embeddings of a suite: each stimulus once, read back as written, and resumed to the same bytes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import EMBEDDINGS, read_embeddings, read_metadata, read_table, write_embeddings
from literal_associations import suite, words

WIDTH = 5
POOLINGS = ("cls", "mean")
STIMULI = suite(
    *words("one", X=["a", "b", "c"], Y=["d", "e"], A=["f"], B=["g", "h"]),
    *words("two", X=["d", "e"], Y=["a", "i"], A=["g"], B=["f", "k"]),
)
COUNT = int(STIMULI["stimulus"].max()) + 1


def vectors_of(stimuli: pd.DataFrame) -> dict[str, np.ndarray]:
    """Hang on the text alone."""
    vectors = [np.random.default_rng(ord(text)).normal(size=(2, WIDTH)) for text in stimuli["text"]]
    stacked = np.stack(vectors).astype(np.float32)
    return {"cls": stacked[:, 0], "mean": stacked[:, 1]}


class Reading:
    """Counts what it reads, and dies after so many shards."""

    def __init__(self, shards: int = 1000) -> None:
        self.left, self.texts = shards, list[str]()

    def __call__(self, stimuli: pd.DataFrame) -> Mapping[str, Any]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.texts += stimuli["text"].tolist()
        return vectors_of(stimuli)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.associations.embeddings.SHARD", 3)


def write(path: Path, reading: Reading, stimuli: pd.DataFrame = STIMULI, **facts: Any) -> None:
    write_embeddings(path, stimuli, WIDTH, POOLINGS, reading, {"encoder": "e", **facts})


def test_each_stimulus_is_read_once_and_comes_back(tmp_path: Path) -> None:
    path, reading = tmp_path / "embeddings.parquet", Reading()
    write(path, reading)
    assert reading.texts == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k"]
    rows = read_table(path, EMBEDDINGS)
    assert rows["stimulus"].tolist() == sorted([*range(COUNT), *range(COUNT)])
    assert rows["pooling"].tolist() == ["cls", "mean"] * COUNT
    facts = read_metadata(path)
    assert (facts["width"], facts["poolings"], facts["encoder"]) == (WIDTH, ["cls", "mean"], "e")
    vectors = read_embeddings(path)
    expected = vectors_of(STIMULI.drop_duplicates("stimulus").sort_values("stimulus"))
    for pooling in POOLINGS:
        np.testing.assert_array_equal(vectors[pooling], expected[pooling])


def test_killed_and_resumed_it_is_the_same_bytes(tmp_path: Path) -> None:
    whole, path = tmp_path / "one" / "embeddings.parquet", tmp_path / "two" / "embeddings.parquet"
    write(whole, Reading())
    with pytest.raises(KeyboardInterrupt):
        write(path, Reading(3))
    assert not path.exists()
    last = Reading()
    write(path, last)
    assert last.texts == ["k"]
    assert path.read_bytes() == whole.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["embeddings.parquet"]
