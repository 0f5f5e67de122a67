"""What a study is given is told by its content: replaced by something older, or touched, or moved."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from small_study import Workflow
from workflow_copy import ROOT


def replace(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Put other content in a file's place as `cp -p` and `tar x` do: with an older date."""
    content = path.read_bytes()
    changed = change(content)
    assert changed != content
    date = path.stat().st_mtime_ns - 10**12
    path.write_bytes(changed)
    os.utime(path, ns=(date, date))


def reworded(content: bytes) -> bytes:
    return content.replace(b"nurse", b"baker")


def test_an_older_benchmark_in_its_place_is_another_one(copied: Workflow) -> None:
    replace(copied.folder / "crows.csv", reworded)
    planned = copied.planned()
    for model in ("bert", "roberta"):
        assert f"evidence/{model}/crows/original/none.parquet" in planned
        assert f"evidence/{model}/stereo/original/none.parquet" not in planned
    assert {"benchmarks/crows.parquet", "tables/table5.csv", "report/index.html"} <= planned


def test_an_older_tokenizer_in_its_place_is_another_one(copied: Workflow) -> None:
    replace(copied.folder / "bert-tokenizer/tokenizer.json", lambda content: content + b"\n")
    planned = copied.planned()
    assert {"models/bert/facts.json", "evidence/bert/crows/original/none.parquet"} <= planned
    assert not [output for output in planned if "/roberta/" in output]


def test_older_words_of_the_report_in_their_place_are_others(copied: Workflow) -> None:
    replace(copied.folder / "resources/pairs/captions.yaml", lambda content: content + b"\n# other words\n")
    planned = copied.planned()
    assert {"tables/table5.csv", "report/index.html"} <= planned
    assert not [output for output in planned if output.startswith(("evidence/", "scores/", "statistics/"))]


def test_a_new_date_alone_changes_nothing(copied: Workflow) -> None:
    given = [copied.folder / "crows.csv", copied.folder / "resources/pairs/captions.yaml"]
    for path in [*given, *(copied.folder / "bert-tokenizer").iterdir()]:
        path.touch()
    assert copied.planned() == set()


@pytest.mark.thorough
def test_weights_of_the_same_size_in_their_place_are_another_model(copied: Workflow) -> None:
    results = copied.folder / "results/small"
    shutil.copytree(results / "models/bert/files", copied.folder / "own")
    copied.config["models"] = {"own": {"source": "path", "path": "own"}}
    copied.config["measures"] = ["AUL"]
    manifest, scores = "models/own/manifest.json", "results/small/scores/own/crows/original.parquet"
    for target in (f"results/small/{manifest}", scores):
        done = copied.snakemake(target)
        assert done.returncode == 0, done.stdout + done.stderr
    described = json.loads((results / manifest).read_text())

    weights = copied.folder / "own/model.safetensors"
    replace(weights, lambda content: content[:-4] + bytes([content[-4] ^ 1]) + content[-3:])
    # with one measure more, the evidence that is there is made anew too
    copied.config["measures"] = ["AUL", "SSS"]
    planned = copied.planned()
    assert {manifest, "evidence/own/crows/original/none.parquet"} <= planned
    done = copied.snakemake(scores)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((results / manifest).read_text())["weights_digest"] != described["weights_digest"]
    log = copied.read("logs", "evidence", "own", "crows.log")
    assert set(re.findall(r"original, masking ([\w-]+), shards", log)) == {"none", "modified"}
    # another file beside them is none of its own
    (copied.folder / "own/README.md").write_text("A model.\n")
    assert manifest not in copied.planned()


# they know the names of files alone; the digests of a model's files are in its manifest
NAMES_ALONE = {"merge_level", "corpus_download_facts", "stored_files"}


def test_every_rule_that_reads_what_is_given_depends_on_its_content() -> None:
    """Each input from outside the results is held by its digest, in the rules and by their scripts."""
    text = "\n".join(path.read_text() for path in (ROOT / "rules").rglob("*.smk"))
    functions = dict(re.findall(r"^def (\w+)\(.*\n((?:[ \n].*\n|\n)*)", text, re.MULTILINE))
    outside = {"outside"}
    while more := {
        name
        for name, body in functions.items()
        if re.search(rf"\b({'|'.join(outside)})\(", body) and name not in outside | NAMES_ALONE
    }:
        outside |= more
    assert {
        "resource",
        "benchmark_file",
        "model_files",
        "shard_file",
        "pairs_inputs",
    } <= outside
    found = set()
    for rule, block in re.findall(r"^rule (\w+):\n((?:[ \n].*\n|\n)*)", text, re.MULTILINE):
        inputs = re.search(r"    input:\n((?: {8}.*\n)*)", block)
        for name in outside & set(re.findall(r"\w+", inputs[1] if inputs else "")):
            held = re.search(rf"input_sha256=input_sha256\((.|\n)*?\b{name}\b", block)
            script = re.search(r'"\.\./\.?\.?/?(scripts/\w+\.py)"', block)
            assert held and script and "unchanged(" in (ROOT / script[1]).read_text(), (rule, name)
            found.add(rule)
    assert {"read_benchmark", "prepare_model", "make_random_model", "count_shard", "group_words"} <= found
    # the rules that present families are made in one loop, from what these declare
    assert 'input_sha256=input_sha256(*presented["inputs"].values())' in text
    assert "unchanged(" in (ROOT / "scripts/present.py").read_text()
