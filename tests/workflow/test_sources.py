"""Adapters and GGUF files in a study: what manifests say of them, and what is refused when planned."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from loopback import Hub, Repository
from small_study import Workflow, write_crows_pairs
from test_models_adapters import adapter_of
from test_models_gguf import write_gguf
from tiny_models import tiny_decoder
from unmask.models.detecting import CAUSAL_LM
from workflow_copy import copy_workflow

COMMIT = "ada97e" + "0" * 34


@pytest.mark.slow
def test_adapters_are_merged_and_scored_and_their_manifests_say_what_they_are(tmp_path: Path) -> None:
    base = tiny_decoder("llama", tmp_path / "base")
    adapter = adapter_of(base, CAUSAL_LM, tmp_path / "adapter", target_modules=["q_proj", "down_proj"])
    folder = copy_workflow(tmp_path / "unmask")
    write_crows_pairs(folder / "pairs.csv")
    local: dict[str, Any] = {"source": "adapted", "from": "base", "adapter": {"path": str(adapter)}}
    models: dict[str, Any] = {
        "base": {"source": "path", "path": str(base), "start": "eos"},
        "local": local,
        "fetched": {"source": "adapted", "from": "base", "adapter": {"repo": "org/adapter"}},
    }
    config = {
        "study": "small",
        "models": models,
        "benchmarks": {"crows": {"format": "crows-pairs", "path": "pairs.csv"}},
        "measures": ["LL"],
        "statistics": {"chance": {"draws": 100}},
    }
    files = {path.name: path.read_bytes() for path in adapter.iterdir()}
    with Hub(org__adapter=Repository(files, commit=COMMIT)) as hub:
        environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "*"}
        study = Workflow(folder, config, environment, python=sys.executable)
        targets = [f"results/small/scores/{model}/crows/original.parquet" for model in models]
        done = study.snakemake(*targets, "results/small/report/sections/provenance.json")
        assert done.returncode == 0, done.stdout + done.stderr
    manifests = {name: json.loads(study.read("models", name, "manifest.json")) for name in models}
    digests = {name: manifest["weights_digest"] for name, manifest in manifests.items()}
    assert digests["local"] == digests["fetched"] != digests["base"]
    for name in ("local", "fetched"):
        entry = manifests[name]["entry"]
        assert (entry["source"], entry["from"], entry["kind"]) == ("adapted", "base", CAUSAL_LM)
        assert entry["adapter"]["type"] == "LORA" and entry["adapter"]["base"] == str(base)
        # that of the model that it is made from
        assert manifests[name]["start"] == manifests["base"]["start"]
    assert manifests["fetched"]["entry"]["adapter"]["commit"] == COMMIT
    assert "commit" not in manifests["local"]["entry"]["adapter"]
    assert COMMIT in study.read("report", "sections", "provenance.json")

    (adapter / "adapter_model.safetensors").unlink()
    refused = study.snakemake("-n")
    line = f"error: config key models.local.adapter.path: {adapter} has no adapter_model.safetensors"
    assert refused.returncode == 1 and line in refused.stderr.splitlines()
    of_none = {**local, "adapter": {"repo": "org/adapter"}, "from": "oracle"}
    models = {"oracle": {"source": "oracle", "world": "planted"}, "of-none": of_none}
    refused = study.snakemake("-n", config={**config, "models": models, "worlds": {"planted": {}}})
    line = "config key models.of-none.from: oracle is not a masked-lm or causal-lm model with files"
    assert refused.returncode == 1 and line in refused.stderr


@pytest.mark.slow
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
    for entry in (
        {"repo": "org/tiny-GGUF"},
        {"file": "a.gguf"},
        {"path": "a.gguf", "repo": "o/n", "file": "a.gguf"},
    ):
        refused = study.snakemake("-n", config={**config, "models": {"one": {"source": "gguf", **entry}}})
        assert "config key models.one: give exactly one of repo with file; path" in refused.stderr
