"""Bad input gives one clear line, before any work where it can be known; nothing is lost."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from small_study import Done, Workflow
from tiny_models import tiny_model, tiny_tokenizer


def the_error(done: Done) -> str:
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: ")]
    assert done.returncode != 0
    assert lines, done.stdout + done.stderr
    assert len(set(lines)) == 1, lines
    return lines[0]


def test_an_unknown_key_stops_before_any_work(fresh: Workflow) -> None:
    fresh.config["mesures"] = []
    assert the_error(fresh.snakemake()).startswith("error: config key (top): unknown key mesures (known: ")
    assert not (fresh.folder / "results").exists()


def test_an_unknown_format_stops_before_any_work(fresh: Workflow) -> None:
    fresh.config["benchmarks"]["crows"]["format"] = "crow-pairs"
    assert "benchmarks.crows.format: 'crow-pairs' is not one of" in the_error(fresh.snakemake())


def test_a_missing_file_stops_before_any_work(fresh: Workflow) -> None:
    fresh.config["benchmarks"]["crows"]["path"] = "nowhere.csv"
    assert the_error(fresh.snakemake()) == "error: config key benchmarks.crows.path: nowhere.csv is missing"


def test_a_wrong_checksum_stops_before_any_work(fresh: Workflow) -> None:
    fresh.config["benchmarks"]["crows"]["sha256"] = "0" * 64
    assert "config key benchmarks.crows.sha256: crows.csv has " in the_error(fresh.snakemake())
    assert not (fresh.folder / "results").exists()


def test_a_name_given_twice_stops_before_any_work(fresh: Workflow) -> None:
    text = yaml.safe_dump(fresh.config)
    twice = text.replace("benchmarks:\n", "benchmarks:\n  stereo: {format: stereoset, path: stereo.json}\n")
    (fresh.folder / "twice.yaml").write_text(twice)
    error = the_error(fresh.command("--configfile", "twice.yaml"))
    assert "twice.yaml: the name stereo stands twice, on lines 2 and " in error


def test_an_unknown_study_is_answered_with_the_known_ones(fresh: Workflow) -> None:
    error = the_error(fresh.command("--config", "study=papr"))
    assert error.startswith(
        "error: config key study: there is no configs/papr.yaml (known: demo, local, paper"
    )


def test_choosing_a_study_brings_none_of_the_default_ones_models(fresh: Workflow) -> None:
    done = fresh.command("-n", "--config", "study=paper")
    assert done.returncode == 0
    assert "bert-base-cased" in done.stdout + done.stderr
    assert "tiny-bert" not in done.stdout + done.stderr


def test_a_model_without_a_mask_token_stops_its_own_jobs_alone(fresh: Workflow) -> None:
    directory = tiny_model("bert", fresh.folder / "no-mask")
    tokenizer = tiny_tokenizer("bert")
    tokenizer.mask_token = None
    tokenizer.save_pretrained(directory)
    fresh.config["models"] = {
        "no-mask": {"source": "path", "path": "no-mask"},
        "bert": fresh.config["models"]["bert"],
    }
    fresh.config["measures"] = ["AUL"]
    error = the_error(fresh.snakemake())
    assert "no-mask" in error and "mask token" in error
    results = fresh.folder / "results/small"
    assert (results / "scores/bert/crows/original.parquet").exists()
    assert not (results / "evidence/no-mask").exists()


def test_a_bad_row_is_named(fresh: Workflow) -> None:
    path = fresh.folder / "crows.csv"
    path.write_text(path.read_text().replace(",antistereo,", ",stereotypical,", 1))
    error = the_error(fresh.snakemake())
    assert "crows.csv" in error and "row" in error and "stereotypical" in error
    assert not (fresh.folder / "results/small/benchmarks/crows.parquet").exists()


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_where_it_was(fresh: Workflow) -> None:
    fresh.config["measures"] = ["AUL"]
    (fresh.folder / "study.yaml").write_text(yaml.safe_dump(fresh.config))
    with subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "study.yaml"],
        cwd=fresh.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        scored = fresh.folder / "results/small/evidence"
        deadline = time.monotonic() + 120
        while not list(scored.rglob("*.parquet")) and time.monotonic() < deadline:
            time.sleep(0.05)
        subprocess.run(["pkill", "-KILL", "-s", str(running.pid)], check=True)
        running.wait()
    assert running.returncode == -signal.SIGKILL
    finished = {path: path.stat().st_mtime_ns for path in scored.rglob("[!.]*.parquet")}
    assert finished
    unlocked = fresh.snakemake("--unlock")
    assert unlocked.returncode == 0, unlocked.stderr
    fresh.run()
    assert Path(fresh.folder, "results/small/report/index.html").exists()
    kept = sum(path.stat().st_mtime_ns == time_before for path, time_before in finished.items())
    # whatever was whole when the run died is kept; a job may have been in its last moments
    assert kept >= len(finished) - 1
    assert fresh.planned() == set()
