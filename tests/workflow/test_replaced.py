"""What a study is given is told by its content: replaced by something older, or touched, or moved."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from small_study import Workflow


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
        assert f"evidence/{model}/crows/digests.json" in planned
        assert f"evidence/{model}/stereo/digests.json" not in planned
    assert {"benchmarks/crows.parquet", "tables/table5.csv", "report/index.html"} <= planned


def test_an_older_tokenizer_in_its_place_is_another_one(copied: Workflow) -> None:
    replace(copied.folder / "bert-tokenizer/tokenizer.json", lambda content: content + b"\n")
    planned = copied.planned()
    assert {"models/bert/facts.json", "evidence/bert/crows/digests.json"} <= planned
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
    assert {manifest, "evidence/own/crows/digests.json"} <= planned
    done = copied.snakemake(scores)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((results / manifest).read_text())["weights_digest"] != described["weights_digest"]
    log = copied.read("logs", "evidence", "own", "crows.log")
    assert set(re.findall(r"original, masking ([\w-]+), shards", log)) == {"none", "modified"}
    # another file beside them is none of its own
    (copied.folder / "own/README.md").write_text("A model.\n")
    assert manifest not in copied.planned()
