"""Fetching files of a corpus from a stand-in for the hub: only those asked for, checked, one-line errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from loopback import Hub, Reply, Repository, unused_url
from naive import by_word, rows
from small_corpora import DATASET, SHARDS
from unmask.corpora.formats.hub_parquet import read_blocks
from unmask.errors import InputError
from unmask.fetching.backoff import Backoff, UnreachableError
from unmask.fetching.datasets import fetch_shard
from unmask.frequency.counting import count_words


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub(org__corpus=Repository(DATASET, large=tuple(SHARDS))) as hub:
        yield hub


@pytest.fixture(autouse=True)
def _no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))


def fetch(
    hub: Hub | str, tmp_path: Path, shard: str | int, *, repo: str = "org/corpus", subset: str | None = "en"
) -> dict[str, object]:
    return fetch_shard(
        repo,
        "main",
        subset,
        shard,
        tmp_path / "shard.parquet",
        endpoint=hub if isinstance(hub, str) else hub.url,
        cache=tmp_path / "cache",
        backoff=Backoff(attempts=3, sleep=lambda seconds: None),
    )


def test_one_shard_is_fetched_and_counted(hub: Hub, tmp_path: Path) -> None:
    facts = fetch(hub, tmp_path, 1)
    name = "en/train-00001-of-00003.parquet"
    commit = hub.repositories["org/corpus"].commit
    assert facts == {"repo": "org/corpus", "revision": "main", "commit": commit, "file": name, "files": 3}
    assert hub.downloads() == [name]
    path = tmp_path / "shard.parquet"
    assert path.read_bytes() == SHARDS[name]
    count_words(read_blocks(path, {"column": "text"}), str(path), tmp_path / "counts", {})
    assert rows(tmp_path / "counts") == by_word(["Text 1", "The naïve end"])


@pytest.mark.parametrize("shard", ["de/train.parquet", 0])
def test_a_shard_by_its_path_or_without_a_subset(hub: Hub, tmp_path: Path, shard: str | int) -> None:
    assert fetch(hub, tmp_path, shard, subset=None)["file"] == "de/train.parquet"
    assert (tmp_path / "shard.parquet").read_bytes() == DATASET["de/train.parquet"]


def test_what_is_not_there_is_named(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"org/corpus at revision main, en: there are 3 shards, no number 3"):
        fetch(hub, tmp_path, 3)
    with pytest.raises(InputError, match=r"main, fr: there are no Parquet files; check the subset"):
        fetch(hub, tmp_path, 0, subset="fr")
    with pytest.raises(InputError, match=r"there is no file en/x.parquet"):
        fetch(hub, tmp_path, "en/x.parquet")
    with pytest.raises(InputError, match=r"corpus org/none at revision main: no such repository"):
        fetch(hub, tmp_path, 0, repo="org/none")
    assert not (tmp_path / "shard.parquet").exists()


def test_temporary_faults_are_tried_again(hub: Hub, tmp_path: Path) -> None:
    hub.faults.extend([Reply(503), Reply(502)])
    fetch(hub, tmp_path, 0)
    assert (tmp_path / "shard.parquet").exists()


def test_a_corrupt_shard_is_refused(hub: Hub, tmp_path: Path) -> None:
    name = next(iter(SHARDS))
    hub.repositories["org/corpus"].served[name] = SHARDS[name][:-1] + b"?"
    with pytest.raises(UnreachableError, match=r"train-00000-of-00003\.parquet is corrupt"):
        fetch(hub, tmp_path, 0)
    assert not (tmp_path / "shard.parquet").exists()


def test_no_hub_is_one_line(tmp_path: Path) -> None:
    with unused_url() as url, pytest.raises(UnreachableError, match="org/corpus at revision main"):
        fetch(url, tmp_path, 0)
