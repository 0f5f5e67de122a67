"""Cleaning removes what it has said that it would, and nothing that is still needed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from library import ABANDONED, NEEDED, UNFINISHED, InputError, items, read_register, remove, write_register
from library import RESULTS_REGISTER_FILE as FILE
from library import results_cleaning_describe as describe

Done = subprocess.CompletedProcess[str]
EVIDENCE, DOWNLOADS = "evidence", "downloaded corpora, whose words are counted"
PATTERNS: list[dict[str, Any]] = [
    {
        "kind": EVIDENCE,
        "name": "{model} on {benchmark}",
        "files": "evidence/{model}/{benchmark}/{file,.+}",
        "needed_by": "statistics/{model}/{benchmark}/bias.parquet",
    },
    {
        "kind": DOWNLOADS,
        "name": "{corpus}",
        "files": r"corpora/{corpus}/{shard,.+(?<!\.facts\.json)}",
        "needed_by": "frequency/{corpus}.parquet",
        "again": True,
    },
]
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def clean(results: Path, *arguments: str) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "unmask.results.cleaning", str(results), *arguments],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def write(path: Path, size: int, age: float = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000_000 - age, 1_000_000_000 - age))
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A study of which model a is finished, b has newer evidence than statistics, and c was interrupted."""
    folder = tmp_path / "results" / "study"
    for model in "abc":
        write(folder / "models" / model / "manifest.json", 10)
        for variant in ("original", "shuffled"):
            write(folder / "evidence" / model / "pairs" / variant / "none.parquet", 1000, age=10)
    write(folder / "statistics/a/pairs/bias.parquet", 10)
    write(folder / "statistics/b/pairs/bias.parquet", 10)
    write(folder / "evidence/b/pairs/original/all.parquet", 500, age=-10)
    write(folder / "evidence/c/pairs/original/.all.shards/000000.parquet", 70)
    write(folder / "evidence/a/pairs/original/.none.shards/000000.parquet", 30)
    write(folder / "scores/a/pairs/.original.partial.parquet", 5)
    write(folder / "models/c/.files.partial/weights", 7)
    write(folder / "corpora/wiki/part.txt", 100)
    write(folder / "corpora/wiki/part.txt.facts.json", 2)
    write(folder / "corpora/books/part.txt", 100)
    write(folder / "frequency/wiki.parquet", 10)
    write_register(folder / FILE, PATTERNS)
    return folder


def below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_evidence_goes_where_its_statistics_are_made_and_stays_elsewhere(results: Path) -> None:
    found = [(item.kind, item.name, item.size) for item in items(results)]
    assert found == [
        (EVIDENCE, "a on pairs", 2000),
        (ABANDONED, "evidence/a/pairs/original/.none.shards", 30),
        (ABANDONED, "models/c/.files.partial", 7),
        (ABANDONED, "scores/a/pairs/.original.partial.parquet", 5),
        (NEEDED, "b on pairs", 2500),
        (NEEDED, "c on pairs", 2000),
        (UNFINISHED, "evidence/c/pairs/original/.all.shards", 70),
    ]


def test_just_what_was_listed_is_removed(results: Path) -> None:
    before = below(results)
    assert remove(items(results), results) == 2042
    assert before - below(results) == {
        "evidence/a/pairs/original/none.parquet",
        "evidence/a/pairs/shuffled/none.parquet",
        "evidence/a/pairs/original/.none.shards/000000.parquet",
        "scores/a/pairs/.original.partial.parquet",
        "models/c/.files.partial/weights",
    }
    # no empty folders stay behind
    assert not (results / "evidence/a").exists() and (results / "evidence/b").is_dir()
    assert remove(items(results), results) == 0


def test_counted_corpora_go_when_asked_for_and_their_facts_stay(results: Path) -> None:
    found = [item for item in items(results, downloads=True) if item.kind == DOWNLOADS]
    assert [(item.name, item.size) for item in found] == [("wiki", 100)]
    remove(found, results)
    assert below(results / "corpora") == {"wiki/part.txt.facts.json", "books/part.txt"}


def test_sizes_are_told_by_model_and_benchmark_with_a_total(results: Path) -> None:
    write(results / "evidence/a/pairs/original/all.parquet", 1_234_567, age=10)
    lines = list(describe(items(results)))
    assert lines[:2] == ["evidence:", "  a on pairs      1.2 MB"]
    assert lines[-1] == "to remove: 1.2 MB"


def test_the_command_removes_nothing_without_yes(results: Path) -> None:
    before = below(results)
    listed = clean(results)
    assert listed.returncode == 0 and "a on pairs" in listed.stdout
    assert listed.stdout.splitlines()[-1] == "nothing is removed yet; --yes removes it"
    assert below(results) == before
    removed = clean(results, "--downloads", "--yes")
    assert removed.stdout.splitlines()[-1] == "removed: 2.1 kB"
    assert "evidence/a/pairs/original/none.parquet" not in below(results)
    again = clean(results, "--downloads", "--yes")
    assert again.returncode == 0 and "to remove: 0.0 kB" in again.stdout and "removed:" not in again.stdout


def test_another_folder_and_a_run_at_work_are_refused_in_one_line(results: Path, tmp_path: Path) -> None:
    wrong = clean(tmp_path, "--yes")
    assert wrong.returncode == 1
    assert wrong.stderr == (
        f"error: {tmp_path}: there is no register.json in it; give results/STUDY of a study that was run\n"
    )
    assert not (tmp_path / ".lock").exists()
    before = below(results)
    with FileLock(results / ".lock"):
        refused = clean(results, "--yes")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: another run is at work") and refused.stderr.count("\n") == 1
    (results / ".lock").unlink()
    assert below(results) == before


def test_what_two_files_are_made_of_stays_until_both_are_there(results: Path) -> None:
    both = ["statistics/{model}/{benchmark}/bias.parquet", "explorer/{model}/{benchmark}/pairs.json"]
    write_register(results / FILE, [{**PATTERNS[0], "needed_by": both}])
    assert {item.kind for item in items(results) if item.name == "a on pairs"} == {NEEDED}
    write(results / "explorer/a/pairs/pairs.json", 1)
    assert {item.kind for item in items(results) if item.name == "a on pairs"} == {EVIDENCE}
    # older than the evidence
    write(results / "explorer/a/pairs/pairs.json", 1, age=20)
    assert {item.kind for item in items(results) if item.name == "a on pairs"} == {NEEDED}


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[1]", "{}", '[{"files": "a"}]',
        '[{"kind": "k", "name": "{b}", "files": "{a}", "needed_by": "x"}]',
        '[{"kind": "k", "name": "n", "files": "{a,(}", "needed_by": "x"}]',
        '[{"kind": "k", "name": "n", "files": "{a}{a}", "needed_by": "x"}]',
    ],
)  # fmt: skip
def test_a_register_that_is_none_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match=r"register\.json: .*delete it and run the study again"):
        read_register(tmp_path)
