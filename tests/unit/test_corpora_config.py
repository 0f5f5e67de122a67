"""Corpora in a study's configuration: what is taken, what is refused in one line, and what defaults are."""

from pathlib import Path
from typing import Any

import pytest

from library import InputError, check_files, complete


def completed(**corpora: dict[str, Any]) -> dict[str, Any]:
    study: dict[str, Any] = {
        "study": "x",
        "worlds": {"w": {}},
        "benchmarks": {"b": {"format": "crows-pairs", "world": "w"}},
    }
    return complete({**study, "corpora": corpora} if corpora else study)


def test_a_study_needs_no_corpora() -> None:
    assert "corpora" not in completed()


@pytest.mark.parametrize(
    "entry",
    [
        {"format": "text", "path": "books/**/*.txt.gz"},
        {"format": "text", "url": "https://example.org/a.txt.zst", "sha256": "0" * 64},
        {"format": "text", "world": "w"},
        {"format": "hub-parquet", "repo": "a/b", "subset": "20231101.en", "shards": 41},
        {
            "format": "hub-parquet",
            "repo": "a/b",
            "revision": "abc",
            "column": "body",
            "shards": ["x/a.parquet"],
        },
    ],
)
def test_what_is_taken(entry: dict[str, Any]) -> None:
    defaults = {"revision": "main", "column": "text"} if entry["format"] == "hub-parquet" else {}
    assert completed(c=entry)["corpora"]["c"] == {"counted": True} | defaults | entry


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"format": "txt", "path": "a"}, "corpora.c.format: 'txt' is not one of"),
        ({"format": "text"}, "corpora.c: give exactly one of path, url, world"),
        ({"format": "text", "path": "a", "url": "file:///a"}, "corpora.c: give exactly one of path, url"),
        ({"format": "text", "world": "v"}, "corpora.c.world: 'v' is none of the study's worlds"),
        (
            {"format": "text", "path": "a", "column": "x"},
            "corpora.c: unknown key column (known: format, path",
        ),
        (
            {"format": "wikimedia-xml", "path": "a"},
            "corpora.c.format: wikimedia-xml is no longer there",
        ),
        ({"format": "hub-parquet", "repo": "a/b"}, "corpora.c.shards: is missing"),
        (
            {"format": "hub-parquet", "repo": "a/b", "shards": 0},
            "corpora.c.shards: 0 is not ≥ 1",
        ),
        (
            {"format": "hub-parquet", "repo": "a/b", "shards": ["a.csv"]},
            "corpora.c.shards.0: 'a.csv' does not",
        ),
    ],
)
def test_what_is_refused(entry: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as error:
        completed(c=entry)
    assert str(error.value).startswith(f"config key {line}")


def test_a_path_must_match_a_file(tmp_path: Path) -> None:
    config = completed(c={"format": "text", "path": f"{tmp_path}/*.txt"})
    with pytest.raises(InputError, match=r"config key corpora\.c\.path: no file matches .*\*\.txt"):
        check_files(config)
    (tmp_path / "a.txt").touch()
    check_files(config)
