"""Results in an object store, of jobs that share no files: a server in place of Amazon's holds it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from small_study import Done, random_model, write_crows_pairs
from workflow_copy import copy_workflow

PLUGINS = Path(__file__).parent / "plugins"
STUDY = ("--configfile", "study.yaml")
NEEDED = ("snakemake_storage_plugin_s3", "moto.server", "boto3")


class Store:
    """A bucket, and Snakemake with it."""

    def __init__(self, client: Any, environment: dict[str, str]) -> None:
        self.client, self.environment = client, environment

    def snakemake(self, folder: Path, *arguments: str) -> Done:
        """Snakemake in a folder, with the store; its jobs run elsewhere where they can."""
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            [
                *(sys.executable, "-m", "snakemake", "--executor", "elsewhere", "--jobs", "2"),
                *("--default-storage-provider", "s3", "--default-storage-prefix", "s3://bucket", *arguments),
            ],
            cwd=folder,
            env=clean | self.environment,
            capture_output=True,
            text=True,
            timeout=7200,
        )

    def fetch(self, folder: Path) -> Path:
        """What is in the store, in a folder."""
        listed = self.client.get_paginator("list_objects_v2").paginate(Bucket="bucket").build_full_result()
        for each in listed.get("Contents", []):
            path = folder / each["Key"]
            path.parent.mkdir(parents=True, exist_ok=True)
            self.client.download_file("bucket", each["Key"], str(path))
        return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store on this machine; skipped where the plugin or the server is not installed (extra `outside`)."""
    for module in NEEDED:
        pytest.importorskip(module, reason="needs the extra unmask[outside]")
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    url, key = f"http://{host}:{port}", "anything"
    client = boto3.client(
        "s3", endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=key, region_name="us-east-1"
    )
    client.create_bucket(Bucket="bucket")
    temporary = tmp_path / "elsewhere"
    temporary.mkdir()
    yield Store(
        client,
        {
            "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": url,
            "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": key,
            "SNAKEMAKE_STORAGE_S3_SECRET_KEY": key,
            "NO_PROXY": "*",
            "PYTHONPATH": str(PLUGINS),
            # what jobs are run with elsewhere
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "TMPDIR": str(temporary),
        },
    )
    server.stop()


def checkout(folder: Path) -> Path:
    """A clone with a study of two models, one made from the other: what git knows is sent along with jobs."""
    copy_workflow(folder)
    write_crows_pairs(folder / "crows.csv")
    study = {
        "study": "small",
        "models": {
            "bert": random_model("bert", folder),
            "noisy": {"source": "perturbed", "from": "bert", "scale": 0.1, "seed": 1},
        },
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "crows.csv"}},
        "measures": ["AUL"],
        "statistics": {"chance": {"draws": 100}},
        "explorer": None,
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study))
    return known_to_git(folder)


def known_to_git(folder: Path) -> Path:
    """The folder with its files added to a repository."""
    (folder / ".gitignore").write_text("__pycache__/\n.snakemake/\n/crows.csv\n")
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def run_plain(folder: Path, *arguments: str) -> None:
    """Run the workflow of a folder without a store."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(command, cwd=folder, env=clean, check=True, capture_output=True, timeout=3600)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_results_in_a_store_are_those_of_a_run_without_one(tmp_path: Path, store: Store) -> None:
    folder = checkout(tmp_path / "unmask")
    done = store.snakemake(folder, *STUDY)
    assert done.returncode == 0, done.stdout + done.stderr
    # the others read what a study is given, or captions, and so run where Snakemake does
    ran_elsewhere = {path.name.rpartition("-")[0] for path in (tmp_path / "elsewhere").iterdir()}
    assert {"perturb_model", "evidence", "measure_shuffled", "compare_models", "report"} <= ran_elsewhere
    # executors need numbers also where what these are by is in the store alone
    (asked, *_) = [
        json.loads(path.read_text()) for path in (tmp_path / "elsewhere").glob("evidence-*/asked.json")
    ]
    assert (asked["gpu"], asked["mem_mb"], asked["runtime"]) == ("1", "4000", "40")
    assert not {"make_random_model", "read_benchmark", "present_pairs"} & ran_elsewhere
    # no copy is left of what is in the store
    assert not (folder / "results/small/report/index.html").exists()
    again = store.snakemake(folder, "-n", *STUDY)
    assert "Nothing to be done" in again.stdout + again.stderr, again.stdout

    plain = checkout(tmp_path / "plain")
    run_plain(plain, *STUDY)
    fetched = store.fetch(tmp_path / "fetched") / "results/small"
    for name in ("SHA256SUMS", "settings.json", "register.json", "report/index.html"):
        assert (fetched / name).read_bytes() == (plain / "results/small" / name).read_bytes(), name
    manifest = json.loads((fetched / "models/noisy/manifest.json").read_text())
    assert manifest["directory"] == "results/small/models/noisy/files"

    # results without a store are no copies of what is in one, which Snakemake removes
    page = plain / "results/small/report/index.html"
    refused = store.snakemake(plain, *STUDY)
    assert refused.returncode == 1 and page.is_file()
    assert "error: results/small: there are results that were made without a store" in (
        refused.stdout + refused.stderr
    )


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_demonstration_in_a_store_is_that_of_a_run_without_one(tmp_path: Path, store: Store) -> None:
    done = store.snakemake(known_to_git(copy_workflow(tmp_path / "unmask")))
    assert done.returncode == 0, done.stdout + done.stderr
    ran_elsewhere = {path.name.rpartition("-")[0] for path in (tmp_path / "elsewhere").iterdir()}
    assert {"train_model", "corpus_counts", "report"} <= ran_elsewhere
    plain = copy_workflow(tmp_path / "plain")
    run_plain(plain)
    fetched = store.fetch(tmp_path / "fetched") / "results/demo"
    for name in ("SHA256SUMS", "report/index.html"):
        assert (fetched / name).read_bytes() == (plain / "results/demo" / name).read_bytes(), name
