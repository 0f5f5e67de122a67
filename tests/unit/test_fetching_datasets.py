"""Fetching files of a corpus from a stand-in for the hub: only those asked for, checked, one-line errors."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from library import InputError, count_words, fetch_shard, read_blocks
from loopback import Hub, Repository, ask
from naive import naive_counts, rows_of
from small_corpora import DATASET, SHARDS


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with Hub(org__corpus=Repository(DATASET, large=tuple(SHARDS))) as hub:
        ask(hub.url, monkeypatch)
        yield hub


def fetch(
    tmp_path: Path, shard: str | int, *, repo: str = "org/corpus", subset: str | None = "en"
) -> dict[str, object]:
    return fetch_shard(repo, "main", subset, shard, tmp_path / "shard.parquet")


def test_one_shard_is_fetched_and_counted(hub: Hub, tmp_path: Path) -> None:
    facts = fetch(tmp_path, 1)
    name = "en/train-00001-of-00003.parquet"
    commit = hub.repositories["org/corpus"].commit
    assert facts == {"repo": "org/corpus", "revision": "main", "commit": commit, "file": name, "files": 3}
    assert hub.downloads() == [name]
    path = tmp_path / "shard.parquet"
    assert path.read_bytes() == SHARDS[name]
    counts = count_words(read_blocks(path, {"format": "hub-parquet", "column": "text"}), str(path))
    assert rows_of(counts) == naive_counts(["Text 1", "The naïve end"])


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize("shard", ["de/train.parquet", 0])
def test_a_shard_by_its_path_or_without_a_subset(tmp_path: Path, shard: str | int) -> None:
    assert fetch(tmp_path, shard, subset=None)["file"] == "de/train.parquet"
    assert (tmp_path / "shard.parquet").read_bytes() == DATASET["de/train.parquet"]


@pytest.mark.usefixtures("hub")
def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"org/corpus at revision main, en: there are 3 shards, no number 3"):
        fetch(tmp_path, 3)
    with pytest.raises(InputError, match=r"main, fr: there are no Parquet files; check the subset"):
        fetch(tmp_path, 0, subset="fr")
    with pytest.raises(InputError, match=r"there is no file en/x.parquet"):
        fetch(tmp_path, "en/x.parquet")
    with pytest.raises(InputError, match=r"corpus org/none at revision main: no such repository"):
        fetch(tmp_path, 0, repo="org/none")
    assert not (tmp_path / "shard.parquet").exists()


def test_a_name_that_leads_out_of_the_cache_is_not_followed(hub: Hub, tmp_path: Path) -> None:
    hub.repositories["org/corpus"].files = {"../../../../x.parquet": b"PAR1"}
    with pytest.raises(InputError, match=r"^corpus org/corpus at revision main: \.\./.*x\.parquet: "):
        fetch(tmp_path, 0, subset=None)
    assert set(os.listdir(tmp_path)) == {"cache"}
