"""`make verify` on the finished small study: nothing to say, or one line for each thing that changed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from library import PAIRS, read_metadata, read_table, write_table
from small_study import Done, Workflow, errors

SMALL = "results/small"


def verify(workflow: Workflow) -> Done:
    command = [sys.executable, "-m", "unmask.command.main", "verify", SMALL]
    environment = {"PYTHONPATH": str(workflow.folder / "scripts")}
    return subprocess.run(command, cwd=workflow.folder, env=environment, capture_output=True, text=True)


def test_a_finished_study_is_as_it_was_made(finished: Workflow) -> None:
    done = verify(finished)
    assert (done.returncode, errors(done)) == (0, []), done.stdout + done.stderr
    assert "results are as they were made" in done.stdout and "were removed" not in done.stdout
    folder = finished.folder / SMALL
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    named = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    assert {"report/index.html", "tables/bias.csv", "statistics/bert/crows/bias.parquet"} <= named


def test_every_table_says_what_it_was_made_from(finished: Workflow) -> None:
    tables = [path for path in (finished.folder / SMALL).rglob("*.parquet") if not path.name.startswith(".")]
    assert tables
    for path in tables:
        facts = read_metadata(path)
        assert facts["made_from"] and facts["code"] and facts["versions"]["python"], path
        if "evidence" in path.parts:
            assert {"device", "dtype", "weights", "tokenizer", "model_source", "shuffle_seed"} <= set(facts)
    report = finished.read("report", "index.html")
    evidence = read_metadata(finished.folder / SMALL / "evidence/bert/crows/original/none.parquet")
    for stated in (evidence["code"], evidence["weights"], evidence["versions"]["torch"], evidence["device"]):
        assert stated in report


def alter(path: Path) -> None:
    """Another last byte, in place and with the old dates, as a careless tool leaves it."""
    stat, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-1] + (b"y" if content.endswith(b"x") else b"x"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_every_class_of_file_that_changes_is_named(copied: Workflow) -> None:
    names = [
        "settings.json",
        "report/index.html",
        "report/summary.txt",
        "report/sections/provenance.json",
        "tables/bias.csv",
        "benchmarks/crows.parquet",
        "scores/bert/crows/original.parquet",
        "statistics/bert/crows/bias.parquet",
        "models/bert/files/model.safetensors",
        "evidence/bert/crows/original/none.parquet",
        "evidence/roberta/crows/digests.json",
    ]
    for name in names:
        alter(copied.folder / SMALL / name)
    alter(copied.folder / "stereo.json")
    done = verify(copied)
    assert done.returncode == 1
    lines = errors(done)
    assert all(any(name in line for line in lines) for name in names), lines
    assert f"error: {SMALL}/tables/bias.csv: has changed since it was made" in lines
    (altered,) = [line for line in lines if "evidence/bert/crows/original/none.parquet" in line]
    assert altered.startswith(f"error: {SMALL}/evidence/bert/crows/digests.json: ")
    source = (
        f"error: {SMALL}/benchmarks/stereo.parquet: stereo.json is no longer the file that it was made from"
    )
    assert source in lines
    assert not any(line.startswith(f"error: {SMALL}/scores/roberta/stereo") for line in lines)


def test_missing_and_unreadable_files(copied: Workflow) -> None:
    folder = copied.folder / SMALL
    (copied.folder / "stereo.json").unlink()
    table = folder / "group.parquet"
    write_table(table, read_table(folder / "benchmarks/crows.parquet", PAIRS), PAIRS, {})
    (folder / "figures/bias.svg").unlink()
    (folder / "scores/bert/crows/original.parquet").write_bytes(b"PAR1")
    shutil.rmtree(folder / "evidence/roberta")
    done = verify(copied)
    assert {
        f"error: {SMALL}/figures/bias.svg: is missing",
        f"error: {SMALL}/benchmarks/stereo.parquet: stereo.json, which it was made from, is not here",
        f"error: {SMALL}/group.parquet: does not say what it was made from",
    } < set(errors(done))
    broken = f"error: {SMALL}/scores/bert/crows/original.parquet: cannot be read ("
    assert any(line.startswith(broken) for line in errors(done))
    # evidence may be removed: that is no problem, and it is said
    assert "inputs were removed, as may be: " in done.stdout and "/evidence/roberta/crows/" in done.stdout
    assert not any("evidence/roberta" in line for line in errors(done))


def test_results_may_be_a_link(copied: Workflow, tmp_path: Path) -> None:
    """Inputs are beside the link, not beside what it leads to."""
    elsewhere = tmp_path / "scratch/unmask"
    elsewhere.parent.mkdir()
    (copied.folder / "results").rename(elsewhere)
    (copied.folder / "results").symlink_to(elsewhere)
    done = verify(copied)
    assert (done.returncode, errors(done)) == (0, []), done.stdout
    counted = re.search(r"(\d+) inputs are those", done.stdout)
    assert counted and int(counted[1]) > 50
    (copied.folder / "crows.csv").write_text("other\n")
    assert verify(copied).returncode == 1


def test_an_unfinished_study_is_one_line(fresh: Workflow) -> None:
    for line in (
        f"there is no folder {SMALL}, and no study of that name",
        f"{SMALL}/SHA256SUMS: no such file; has this study been run to its end?",
    ):
        done = verify(fresh)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {line}\n")
        (fresh.folder / SMALL).mkdir(parents=True, exist_ok=True)
