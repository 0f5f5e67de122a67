"""The same study again: the same bytes on this machine, the same to float error on another."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from library import compare_runs
from preloading import preloaded_python
from real_data import real_data
from runs import differing, digests
from small_study import Workflow
from workflow_copy import ROOT

ANOTHER_PROCESSOR = {
    # PyTorch's own kernels, MKL's and oneDNN's without the newer instructions
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_CBWR": "COMPATIBLE",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "DNNL_MAX_CPU_ISA": "SSE41",
}


@pytest.mark.thorough
def test_two_runs_are_byte_identical(finished: Workflow, fresh: Workflow) -> None:
    """With one core and with two, in another folder, with other hashes, the jobs in another order."""
    fresh.python = preloaded_python(PYTHONHASHSEED="12345")
    last_first = [
        "results/small/evidence/roberta/stereo/digests.json",
        "results/small/scores/roberta/stereo/shuffled.parquet",
    ]
    for targets in (last_first, []):
        fresh.run(*targets, "--cores", "1")
    one, other = (workflow.folder / "results/small" for workflow in (finished, fresh))
    suffixes = {".parquet", ".csv", ".md", ".tex", ".svg", ".png", ".html", ".json", ".safetensors"}
    assert {Path(name).suffix for name in digests(one)} >= suffixes
    assert differing(one, other) == []


@pytest.mark.thorough
def test_another_processor_gives_the_same_to_float_error(finished: Workflow, copied: Workflow) -> None:
    """Other instructions and another batch size stand for another machine; the models are the same."""
    results = copied.folder / "results/small"
    # but for the models everything is made anew
    for part in results.iterdir():
        if part.is_dir() and part.name != "models":
            shutil.rmtree(part)
    copied.python, copied.environment = preloaded_python(**ANOTHER_PROCESSOR), ANOTHER_PROCESSOR
    copied.config["runtime"] = {"batch_tokens": 17}
    copied.run()
    before = finished.folder / "results/small"
    found = compare_runs(before, results)
    # no margin beyond float error
    assert not found["beyond"].any()
    # it was another arithmetic indeed
    assert 0 < found["change"].max() < 2e-3
    assert found["near"].mean() < 0.1
    assert differing(before / "models", results / "models") == [] != differing(before, results)


IMPORTABLE = os.pathsep.join(str(ROOT / name) for name in ("scripts", "tests/unit", "tests/support"))
TRAINING = """
import sys
from pathlib import Path
from library import draw_corpus, train
from made_worlds import make_world

world = make_world()
lines, folder = draw_corpus(world, 3000), Path(sys.argv[1])
for architecture in ("bert", "roberta", "albert"):
    train(lines, architecture, 0, folder / architecture, world, folder, steps=12)
"""


@pytest.mark.thorough
def test_a_model_is_trained_alike_twice(tmp_path: Path) -> None:
    """Corpus, tokenizer and weights, in two processes with other hashes: the same bytes."""
    folders = [tmp_path / "one", tmp_path / "other"]
    for seed, folder in enumerate(folders):
        subprocess.run(
            [sys.executable, "-c", TRAINING, str(folder)],
            env=os.environ | {"PYTHONPATH": IMPORTABLE, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
        )
    assert {f"{a}/model.safetensors" for a in ("bert", "roberta", "albert")} <= set(digests(folders[0]))
    assert differing(*folders) == []


SCORING = """
import json
import sys
from pathlib import Path
import torch
from library import SCORES, collect_evidence, load, maskings_of, pick_device, read_benchmark, score_pairs
from library import shown_pairs, write_table

torch.set_num_threads(1)
folder, model, batch_tokens, benchmarks = json.loads(sys.argv[1])
for name, path in benchmarks.items():
    for measures, count in ((["AUL", "AULA", "SSS", "AllMasked"], 150), (["CPS"], 25)):
        pairs = shown_pairs(read_benchmark(path, {"format": name}), count)
        evidence = {}
        for masking in maskings_of(measures):
            loaded = load(model, pick_device("cpu", batch_tokens), masking == "none")
            evidence[masking] = collect_evidence(pairs, loaded, masking, "original")
        scores = score_pairs(list(pairs["pair_id"]), evidence, measures)
        path_of = Path(folder, "scores/minilm", f"{name}-{count}", "original.parquet")
        write_table(path_of, scores, SCORES, {})
"""


@pytest.mark.thorough
def test_real_pairs_are_decided_alike_on_another_processor(tmp_path: Path) -> None:
    model = real_data("models", "minilm-l6-mlm")
    benchmarks = {
        "crows-pairs": str(real_data("crows_pairs", "crows_pairs_anonymized.csv")),
        "stereoset": str(real_data("stereoset", "dev.json")),
    }
    avx2 = {name: "AVX2" for name in ANOTHER_PROCESSOR} | {"ATEN_CPU_CAPABILITY": "avx2"}
    runs: list[tuple[Path, dict[str, str], int | None]] = [
        (tmp_path / "here", {}, None),
        (tmp_path / "another", avx2, 300),
    ]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SCORING, json.dumps([str(folder), str(model), batch, benchmarks])],
            env=os.environ | {"PYTHONPATH": IMPORTABLE} | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for folder, settings, batch in runs
    ]
    assert [process.wait(timeout=800) for process in processes] == [0, 0]
    found = compare_runs(runs[0][0], runs[1][0])
    assert not found["beyond"].any()
    assert len(found) == 2 * (4 * 2 * 150 + 2 * 25)
    assert found["change"].max() > 0
