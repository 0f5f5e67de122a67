"""What a study downloads: models of the hub, and no secret of a url or token of the hub that is written."""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from library import CAUSAL_LM
from loopback import Hub, Reply, Repository, Request, Server
from own_code import with_own_code
from small_study import Workflow, random_model, write_crows_pairs
from test_models_gguf import write_gguf
from tiny_models import tiny_decoder, tiny_model
from workflow_copy import copy_workflow

SECRET = "sesame"
PROVENANCE = "report/sections/provenance.json"
FILES = {
    "/pairs.csv": b"",
    "/books.txt": b"Women drive. Men drive.\n" * 50,
    "/posts.csv": b"text,label\nWomen drive.,no\nMen drive.,yes\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Serves a benchmark, a corpus and a labelled table to who has the secrets."""
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
    (folder / "regions.csv").write_text("name,parent,level\nall,,world\nup,all,town\ndown,all,town\n")
    (folder / "words.yaml").write_text("drivers: [men, women]\n")
    posts = {"url": f"{start}/posts.csv?token={SECRET}"}
    prefixed = {
        "classifiers": ["judge"],
        "files": {"train": posts, "test": posts},
        "labels": {"no": ["no"], "yes": ["yes"]},
        "positive": "yes",
        "prefixes": [{"template": "From {region}.", "level": "town"}],
    }
    return Workflow(
        folder,
        {
            "study": "small",
            "models": {
                "bert": random_model("bert", folder),
                "judge": {"source": "fine-tuned-classifier", "from": "bert", "table": "posts", "epochs": 0},
            },
            "regional": {
                "regions": {"source": "table", "path": "regions.csv"},
                "words": {"mine": "words.yaml"},
                "prefixes": {"posts": prefixed},
            },
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
    printed = downloading.run(f"results/small/{PROVENANCE}")
    files = written(downloading)
    # what a report has of them is there, and so is what Snakemake keeps of parameters
    assert b"/pairs.csv?token=..." in files[f"results/small/{PROVENANCE}"]
    assert any(
        b"/pairs.csv?token=..." in body for path, body in files.items() if path.startswith(".snakemake")
    )
    encoded = base64.b64encode(f"user:{SECRET}".encode())
    leaks = [
        path for path, body in files.items() if SECRET.encode() in body + path.encode() or encoded in body
    ]
    assert leaks == []
    assert SECRET not in printed


COMMIT = "c0ffee" + "0" * 34


def study_of_hub(hub: Hub, tmp_path: Path, models: dict[str, Any], measure: str) -> Workflow:
    """A study of ten pairs and of models that a stand-in for the hub has; nothing run."""
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv")
    config = {
        "study": "small",
        "models": models,
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "pairs.csv"}},
        "measures": [measure],
        "statistics": {"chance": {"draws": 100}},
    }
    environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
    # a fork would have read another environment as it was preloaded
    return Workflow(folder, config, environment, python=sys.executable)


@pytest.mark.thorough
def test_a_model_with_code_of_its_own_is_scored_where_the_study_allows_it(tmp_path: Path) -> None:
    ran = tmp_path / "own code ran"
    files = {path.name: path.read_bytes() for path in with_own_code(tmp_path / "model").iterdir()}
    own: dict[str, Any] = {"source": "hub", "repo": "org/own", "revision": COMMIT}
    with Hub(org__own=Repository(files)) as hub:
        study = study_of_hub(hub, tmp_path, {"own": own}, "AUL")
        study.environment["OWN_CODE_RAN"] = str(ran)
        refused = study.snakemake("results/small/models/own/manifest.json")
        assert refused.returncode == 1 and "trust_remote_code: true" in refused.stderr
        assert not ran.exists()
        own["trust_remote_code"] = True
        study.run("results/small/scores/own/crows/original.parquet", f"results/small/{PROVENANCE}")
    assert ran.exists()
    provenance = json.dumps(json.loads(study.read(PROVENANCE)))
    assert "Model own, whose repository has code that was run" in provenance
    assert '["entry.own_code", "modeling_tiny.py"]' in provenance
    # the study names no licence of its pairs
    assert '["licence", "not stated"]' in provenance


@pytest.mark.thorough
def test_the_token_of_the_hub_opens_a_gated_model_and_is_nowhere_written(tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in tiny_model("bert", tmp_path / "model").iterdir()}
    manifest = "results/small/models/closed/manifest.json"
    with Hub(org__closed=Repository(files, gated=True, needs_token=SECRET)) as hub:
        study = study_of_hub(hub, tmp_path, {"closed": {"source": "hub", "repo": "org/closed"}}, "AUL")
        refused = study.snakemake(manifest)
        assert refused.returncode == 1
        line = study.read("logs", "models", "closed", "fetching.log").splitlines()[-1]
        # without the date of the log
        assert line.partition("error: ")[2] in refused.stderr
        assert "model org/closed at revision main: " in line
        assert "HF_TOKEN" in line and "`hf auth login`" in line
        study.environment["HF_TOKEN"] = SECRET
        printed = study.run(manifest)
        # another token is no reason to run again
        study.environment["HF_TOKEN"] = "another"
        assert "Nothing to be done" in study.run(manifest)
    assert [path for path, body in written(study).items() if SECRET.encode() in body] == []
    assert SECRET not in printed


@pytest.mark.thorough
def test_a_gguf_file_is_scored_and_its_manifest_says_what_it_is(tmp_path: Path) -> None:
    file = write_gguf(tiny_decoder("llama", tmp_path / "model"), tmp_path / "tiny.gguf")
    models = {
        "tiny": {"source": "gguf", "path": str(file)},
        "fetched": {"source": "gguf", "repo": "org/tiny-GGUF", "file": "small/tiny.Q8_0.gguf"},
    }
    files = {"small/tiny.Q8_0.gguf": file.read_bytes(), "tiny.Q4_K.gguf": b"other", "README.md": b"text"}
    with Hub() as hub:
        hub.repositories["org/tiny-GGUF"] = Repository(files, commit=COMMIT)
        study = study_of_hub(hub, tmp_path, models, "LL")
        scores, of_fetched = "scores/tiny/crows/original.parquet", "models/fetched/manifest.json"
        study.run(f"results/small/{scores}", f"results/small/{of_fetched}")
        assert hub.downloads() == ["small/tiny.Q8_0.gguf"]
    manifest, fetched = (json.loads(study.read("models", name, "manifest.json")) for name in models)
    assert manifest["entry"]["kind"] == CAUSAL_LM and manifest["entry"]["gguf"]["file"] == "tiny.gguf"
    assert manifest["start"]["token"] == "<|endoftext|>"
    assert fetched["weights_digest"] == manifest["weights_digest"]
    about = fetched["entry"]["gguf"]
    assert (about["repo"], about["revision"], about["commit"]) == ("org/tiny-GGUF", "main", COMMIT)
    assert about["file"] == "small/tiny.Q8_0.gguf" and "commit" not in manifest["entry"]["gguf"]
