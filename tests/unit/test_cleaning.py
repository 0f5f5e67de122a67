"""`unmask clean` removes evidence of a finished study, as it has said, and its checksums hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from library import InputError, removable, remove

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
KEPT = ("models/a/manifest.json", "statistics/a/pairs/bias.parquet", "corpora/wiki/part.txt.facts.json")
REMOVED = (
    "corpora/wiki/part.txt",
    "associations/a/suite/embeddings.parquet",
    "downstream/task/a/seed-0.parquet",
    "evidence/a/pairs/digests.json",
    "evidence/a/pairs/original/.none.shards/000000.parquet",
    "evidence/a/pairs/original/none.parquet",
    "models/c/.files.partial/weights",
    "models/d/.files.training-0123456789abcdef/state.pt",
    "scores/a/pairs/.original.partial.parquet",
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A finished study, which lists some of its evidence among its checksums."""
    folder = tmp_path / "results" / "study"
    for name in (*KEPT, *REMOVED):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100_000)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    sums = subprocess.check_output(["sha256sum", KEPT[1], REMOVED[5]], cwd=folder)
    (folder / "SHA256SUMS").write_bytes(sums)
    return folder


def below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def clean(results: Path, *options: str) -> str:
    """What it prints, or the line of its refusal."""
    done = subprocess.run(
        [sys.executable, "-m", "unmask.command.main", "clean", str(results), *options],
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 * bool(done.stderr) and done.stderr.count("\n") <= 1
    return done.stdout + done.stderr


def test_evidence_is_removed_and_checksums_hold(results: Path) -> None:
    before = below(results)
    listed = clean(results)
    assert f"{results}/evidence: 0.3 MB\n" in listed
    assert listed.endswith("nothing is removed yet; --yes removes it\n") and below(results) == before
    done = clean(results, "--yes")
    assert before - below(results) == set(REMOVED)
    assert done.endswith(f"removed: {len(REMOVED)} files\n")
    assert not (results / "evidence").exists()
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=results, check=True)
    assert KEPT[1] in (results / "SHA256SUMS").read_text()
    assert removable(results) == []


def test_evidence_of_an_unfinished_study_stays(results: Path) -> None:
    newer = results / "evidence/b/pairs/original/none.parquet"
    newer.parent.mkdir(parents=True)
    newer.write_text("rows")
    (newer.parent / ".all.partial.parquet").touch()
    os.utime(results / "SHA256SUMS", (1_000_000_001, 1_000_000_001))
    before = below(results)
    error = f"error: {newer}: newer than SHA256SUMS; run the study to its end, or remove it\n"
    assert clean(results, "--yes") == error and below(results) - before <= {".lock"}
    newer.unlink()
    assert len(removable(results)) == len(REMOVED) + 1
    (results / "SHA256SUMS").unlink()
    with pytest.raises(InputError, match=rf"^{results}: no finished study \(no SHA256SUMS\); "):
        removable(results)


def test_results_in_which_a_run_is_at_work_are_left_alone(results: Path) -> None:
    before = below(results)
    with FileLock(results / ".lock"):
        assert clean(results, "--yes").startswith(f"error: another run is at work in {results}; ")
    assert before <= below(results)


def test_evidence_behind_a_link_is_removed_and_the_link_stays(results: Path, tmp_path: Path) -> None:
    evidence = results / "evidence"
    evidence.rename(tmp_path / "elsewhere")
    evidence.symlink_to(tmp_path / "elsewhere")
    remove(removable(results), results)
    assert evidence.is_symlink() and not list((tmp_path / "elsewhere").rglob("*.parquet"))
