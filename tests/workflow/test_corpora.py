"""Corpora in the workflow: counted shard by shard, added up, and only what is new again."""

import gzip
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from library import read_metadata, sha256_of_file
from loopback import Hub, Repository
from naive import naive_counts, rows
from small_corpora import DATASET
from small_study import Done, Workflow, errors, random_model, write_crows_pairs
from workflow_copy import copy_workflow

TEXTS = {f"part{number:02}.txt": f"The naïve end of {number}\nDon’t “end” here" for number in range(18)}


@pytest.fixture
def corpora(tmp_path: Path) -> Workflow:
    """A study with a text corpus of many files, and nothing run."""
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "crows.csv")
    for name, text in TEXTS.items():
        write(folder / "texts" / name, text)
    return Workflow(
        folder,
        {
            "study": "small",
            "models": {"bert": random_model("bert", folder)},
            "benchmarks": {"crows": {"format": "crows-pairs", "path": "crows.csv"}},
            "corpora": {"books": {"format": "text", "path": "texts/*.txt*"}},
        },
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def count(workflow: Workflow, *corpora: str) -> Done:
    """Count corpora, and nothing else."""
    targets = [f"results/small/frequency/{corpus}.parquet" for corpus in corpora]
    return workflow.snakemake(*targets)


def jobs(done: Done) -> list[str]:
    """The messages of the jobs that ran."""
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(re.findall(r"^Job \d+: (.*)$", done.stdout + done.stderr, re.MULTILINE))


def table(workflow: Workflow, corpus: str) -> Path:
    return workflow.folder / "results/small/frequency" / f"{corpus}.parquet"


def lines(texts: dict[str, str]) -> list[str]:
    return [line for text in texts.values() for line in text.splitlines()]


@pytest.mark.thorough
def test_a_corpus_is_counted_and_then_only_what_is_new(corpora: Workflow) -> None:
    first = jobs(count(corpora, "books"))
    assert len([job for job in first if job.startswith("Counting")]) == 18
    assert rows(table(corpora, "books")) == naive_counts(lines(TEXTS))
    facts = read_metadata(table(corpora, "books"))
    shards = [f"results/small/frequency/books/shards/{name}.parquet" for name in TEXTS]
    assert facts["made_from"] == {path: sha256_of_file(corpora.folder / path) for path in shards}
    of_making = {"made_from", "code", "versions"}
    assert {key: value for key, value in facts.items() if key not in of_making} == {
        "corpus": "books",
        "tokens": 18 * 8,
        "shards": 18,
        "source": {"format": "text", "path": "texts/*.txt*"},
    }
    assert jobs(count(corpora, "books")) == []

    # one more file, not the last: its words alone are counted
    new = {"part00a.txt.gz": "One more end"}
    (corpora.folder / "texts/part00a.txt.gz").write_bytes(gzip.compress(new["part00a.txt.gz"].encode()))
    again = jobs(count(corpora, "books"))
    counting = [job for job in again if job.startswith("Counting")]
    assert counting == ["Counting the words of part00a.txt.gz of books"]
    assert rows(table(corpora, "books")) == naive_counts(lines(TEXTS | new))


@pytest.mark.thorough
def test_shards_come_from_the_hub_as_asked_for(corpora: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("HF_HOME", str(corpora.folder / "hf"))
    corpora.python = sys.executable
    entry: dict[str, Any] = {"format": "hub-parquet", "repo": "org/corpus", "subset": "en", "shards": 2}
    corpora.config["corpora"] = {"wiki": entry}
    with Hub(org__corpus=Repository(DATASET, large=tuple(DATASET))) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        count(corpora, "wiki")
        two = ["Text 0", "The naïve end", "Text 1", "The naïve end"]
        assert rows(table(corpora, "wiki")) == naive_counts(two)
        assert sorted(hub.downloads()) == [f"en/train-0000{number}-of-00003.parquet" for number in range(2)]
        commit = hub.repositories["org/corpus"].commit
        assert [each["commit"] for each in read_metadata(table(corpora, "wiki"))["fetched"]] == [commit] * 2
        entry["shards"] = 3
        third = jobs(count(corpora, "wiki"))
        assert third[:2] == ["Counting the words of 00002.parquet of wiki", "Fetching 00002.parquet of wiki"]
        assert rows(table(corpora, "wiki")) == naive_counts([*two, "Text 2", "The naïve end"])
        entry["shards"] = 4
        done = count(corpora, "wiki")
        (error,) = errors(done)
        assert error.startswith("error: corpus wiki: ")
        assert "there are 3 files .parquet in en/, no number 3" in error
