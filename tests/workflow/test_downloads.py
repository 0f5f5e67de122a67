"""What a study downloads: nothing that is written shows the secrets of its urls."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopback import Reply, Request, Server
from small_study import Workflow, random_model, write_crows_pairs
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


@pytest.mark.slow
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
