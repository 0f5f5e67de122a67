"""GGUF files in a study: what manifests say of them, and what is refused when planned."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from library import CAUSAL_LM
from loopback import Hub, Repository
from small_study import Workflow, write_crows_pairs
from test_models_gguf import write_gguf
from tiny_models import tiny_decoder
from workflow_copy import copy_workflow

COMMIT = "ada97e" + "0" * 34


@pytest.mark.thorough
def test_a_gguf_file_is_scored_and_its_manifest_says_what_it_is(tmp_path: Path) -> None:
    file = write_gguf(tiny_decoder("llama", tmp_path / "model"), tmp_path / "tiny.gguf")
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv")
    config: dict[str, Any] = {
        "study": "small",
        "models": {
            "tiny": {"source": "gguf", "path": str(file)},
            "fetched": {"source": "gguf", "repo": "org/tiny-GGUF", "file": "small/tiny.Q8_0.gguf"},
        },
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "pairs.csv"}},
        "measures": ["LL"],
        "statistics": {"chance": {"draws": 100}},
    }
    files = {"small/tiny.Q8_0.gguf": file.read_bytes(), "tiny.Q4_K.gguf": b"other", "README.md": b"text"}
    with Hub(org__tiny_GGUF=Repository(files, commit=COMMIT)) as hub:
        hub.repositories = {"org/tiny-GGUF": hub.repositories.pop("org/tiny_GGUF")}
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        study = Workflow(folder, config, environment, python=sys.executable)
        manifest_of_fetched = "results/small/models/fetched/manifest.json"
        done = study.snakemake("results/small/scores/tiny/crows/original.parquet", manifest_of_fetched)
        assert done.returncode == 0, done.stdout + done.stderr
        assert hub.downloads() == ["small/tiny.Q8_0.gguf"]
    manifest = json.loads(study.read("models", "tiny", "manifest.json"))
    assert manifest["entry"]["kind"] == CAUSAL_LM and manifest["entry"]["gguf"]["file"] == "tiny.gguf"
    assert manifest["start"]["token"] == "<|endoftext|>"
    fetched = json.loads(study.read("models", "fetched", "manifest.json"))
    assert fetched["weights_digest"] == manifest["weights_digest"]
    about = fetched["entry"]["gguf"]
    assert (about["repo"], about["revision"], about["commit"]) == ("org/tiny-GGUF", "main", COMMIT)
    assert about["file"] == "small/tiny.Q8_0.gguf" and "commit" not in manifest["entry"]["gguf"]
    file.unlink()
    refused = study.snakemake("-n")
    assert refused.returncode == 1 and "config key models.tiny.path: " in refused.stderr
