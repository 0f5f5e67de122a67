"""What a study downloads: nothing that is written shows the secrets of its urls, or the hub's token."""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopback import Hub, Reply, Repository, Request, Server
from own_code import with_own_code
from small_study import Workflow, random_model, write_crows_pairs
from tiny_models import tiny_model
from workflow_copy import copy_workflow

SECRET = "sesame"
FILES = {"/pairs.csv": b"", "/books.txt": b"Women drive. Men drive.\n" * 50}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Serves a benchmark and a corpus to who has the secrets."""
    write_crows_pairs(tmp_path / "pairs.csv")
    files = {**FILES, "/pairs.csv": (tmp_path / "pairs.csv").read_bytes()}
    allowed = "Basic " + base64.b64encode(f"user:{SECRET}".encode()).decode()

    def answer(request: Request) -> Reply:
        known = request.headers.get("authorization") == allowed and request.query.get("token") == [SECRET]
        return Reply(200, {}, files[request.path]) if known else Reply(403)

    with Server() as server:
        server.answer = answer
        yield server


@pytest.fixture
def downloading(tmp_path: Path, server: Server) -> Workflow:
    """A study that downloads all its data, and scores nothing."""
    folder = copy_workflow(tmp_path / "unmask")
    start = server.url.replace("//", f"//user:{SECRET}@")
    return Workflow(
        folder,
        {
            "study": "small",
            "models": {"bert": random_model("bert", folder)},
            "benchmarks": {"crows": {"format": "crows-pairs", "url": f"{start}/pairs.csv?token={SECRET}"}},
            "corpora": {"books": {"format": "text", "url": f"{start}/books.txt?token={SECRET}"}},
            "measures": [],
        },
    )


def written(workflow: Workflow) -> dict[str, bytes]:
    """All files in the folder of the workflow, Snakemake's own too, by their paths; not the study itself."""
    files = [path for path in workflow.folder.rglob("*") if path.is_file() and path.name != "study.yaml"]
    return {str(path.relative_to(workflow.folder)): path.read_bytes() for path in files}


def test_secrets_of_urls_are_nowhere_written(downloading: Workflow) -> None:
    provenance = "results/small/report/sections/provenance.json"
    done = downloading.snakemake(provenance)
    assert done.returncode == 0, done.stdout + done.stderr
    files = written(downloading)
    # what a report has of them is there, and so is what Snakemake keeps of parameters
    assert b"/pairs.csv?token=..." in files[provenance]
    assert any(
        b"/pairs.csv?token=..." in body for path, body in files.items() if path.startswith(".snakemake")
    )
    encoded = base64.b64encode(f"user:{SECRET}".encode())
    leaks = [
        path for path, body in files.items() if SECRET.encode() in body + path.encode() or encoded in body
    ]
    assert leaks == []
    assert SECRET not in done.stdout + done.stderr


COMMIT = "c0ffee" + "0" * 34


@pytest.mark.thorough
def test_a_model_with_code_of_its_own_is_scored_where_the_study_allows_it(tmp_path: Path) -> None:
    ran = tmp_path / "own code ran"
    files = {path.name: path.read_bytes() for path in with_own_code(tmp_path / "model").iterdir()}
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv")
    own: dict[str, Any] = {"source": "hub", "repo": "org/own", "revision": COMMIT}
    config = {
        "study": "small",
        "models": {"own": own},
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "pairs.csv"}},
        "measures": ["AUL"],
        "statistics": {"chance": {"draws": 100}},
    }
    with Hub(org__own=Repository(files)) as hub:
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        study = Workflow(folder, config, environment | {"OWN_CODE_RAN": str(ran)}, python=sys.executable)
        refused = study.snakemake("results/small/models/own/manifest.json")
        assert refused.returncode == 1 and "trust_remote_code: true" in refused.stderr
        assert not ran.exists()
        own["trust_remote_code"] = True
        done = study.snakemake(
            "results/small/scores/own/crows/original.parquet", "results/small/report/sections/provenance.json"
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert ran.exists()
    provenance = json.loads(study.read("report", "sections", "provenance.json"))
    told = json.dumps(provenance)
    assert "Model own, whose repository has code that was run" in told
    assert '["entry.own_code", "modeling_tiny.py"]' in told
    # the study names no licence of its pairs
    assert '["licence", "not stated"]' in told
    page = study.read("report", "index.html")
    assert "Licences of the data that is quoted" in page and "Benchmark crows" in page
    corpora = {"text": {"format": "text", "url": "https://example.org/text.txt"}}
    debiasing = {"corpus": "text", "of": ["own"], "methods": {"cda": {}}}
    refused = study.snakemake("-n", config={**config, "corpora": corpora, "debiasing": debiasing})
    assert "config key models.own-cda.from: own runs code of its own" in refused.stderr


@pytest.mark.thorough
def test_the_token_of_the_hub_opens_a_gated_model_and_is_nowhere_written(tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in tiny_model("bert", tmp_path / "model").iterdir()}
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv")
    closed = {"source": "hub", "repo": "org/closed"}
    benchmark = {"format": "crows-pairs", "path": "pairs.csv"}
    config = {"study": "small", "models": {"closed": closed}, "benchmarks": {"crows": benchmark}}
    manifest = "results/small/models/closed/manifest.json"
    with Hub(org__closed=Repository(files, gated=True, needs_token=SECRET)) as hub:
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        # a fork would have read another environment as it was preloaded
        study = Workflow(folder, config, environment, python=sys.executable)
        refused = study.snakemake(manifest)
        assert refused.returncode == 1
        line = study.read("logs", "models", "closed", "fetching.log").splitlines()[-1]
        # without the date of the log
        assert line.partition("error: ")[2] in refused.stderr
        assert "model org/closed at revision main: " in line
        assert "HF_TOKEN" in line and "`hf auth login`" in line
        study.environment["HF_TOKEN"] = SECRET
        done = study.snakemake(manifest)
        assert done.returncode == 0, done.stdout + done.stderr
        # another token is no reason to run again
        study.environment["HF_TOKEN"] = "another"
        assert "Nothing to be done" in study.snakemake(manifest).stderr
    kept = [path for path, body in written(study).items() if SECRET.encode() in body]
    assert kept == []
    assert SECRET not in done.stdout + done.stderr


SOURCES = {
    "results/debiasing/downstream/bios/source/test": (
        "LabHC/bias_in_bios",
        "052f01de644dba841176e0449528b41f27d94a61",
        "data/test-00000-of-00001-5598c840ce8de1ee.parquet",
    ),
    "results/regional/regional/tables/imdb/test": (
        "stanfordnlp/imdb",
        "e6281661ce1c48d982bc483cf8a173c1bbeb5d31",
        "plain_text/test-00000-of-00001.parquet",
    ),
}
"""Files of a task and of labelled texts, in studies that come with Unmask: repository, revision and name."""


@pytest.mark.thorough
def test_files_of_tasks_and_labelled_texts_are_asked_for_as_studies_state(tmp_path: Path) -> None:
    with Hub() as hub:
        for repo, revision, name in SOURCES.values():
            hub.repositories[repo] = Repository({name: b"PAR1 PAR1"}, commit=revision)
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        folder = copy_workflow(tmp_path / "unmask")
        workflow = Workflow(folder, environment=environment, python=sys.executable)
        for file in SOURCES:
            study = Path(file).parts[1]
            done = workflow.command(file, "--config", f"study={study}")
            assert done.returncode == 0, done.stdout + done.stderr
            assert (folder / file).read_bytes() == b"PAR1 PAR1"
        assert hub.downloads() == [name for *_, name in SOURCES.values()]
