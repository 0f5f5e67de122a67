"""A trained decoder on all of CrowS-Pairs: against lm-evaluation-harness, and a split."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from library import (
    LEFT,
    ORIGINAL,
    PUBLISHED,
    Start,
    check_model,
    collect_evidence,
    load,
    pick_device,
    read_benchmark,
    score_pairs,
)
from real_data import real_data

PAIRS = 1508
SIDES = ["stereotype", "antistereotype"]


@cache
def crows_pairs() -> pd.DataFrame:
    file = real_data("crows_pairs", "crows_pairs_anonymized.csv")
    return read_benchmark(file, {"format": "crows-pairs"})


@cache
def evidence() -> dict[str, pd.DataFrame]:
    directory = real_data("models", "llama-4m")
    manifest = check_model(directory, "causal-lm", "tiny")
    model = load(directory, pick_device("cpu"), with_attention=False, start=Start.of(manifest))
    return {LEFT: collect_evidence(crows_pairs(), model, LEFT, ORIGINAL, max_length=manifest["max_length"])}


def scores_of(name: str, protocol: str) -> pd.DataFrame:
    scores = score_pairs(list(crows_pairs()["pair_id"]), evidence(), [name])
    return scores[scores["protocol"] == protocol].set_index("pair_id")


@pytest.mark.thorough
def test_ll_decides_all_pairs_as_lm_evaluation_harness_does() -> None:
    """Its log of crows_pairs_english with these 1508 pairs, in single precision."""
    log = real_data("decoders", "samples_crows_pairs_llama-4m.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in log]
    found = scores_of("LL", PUBLISHED)
    assert len(found) == len(samples) == PAIRS
    expected = pd.DataFrame(
        [[float(sample["resps"][side][0][0]) for side in (0, 1)] for sample in samples], columns=SIDES
    )
    texts = [tuple(sample["doc"][side] for side in ("sent_more", "sent_less")) for sample in samples]
    assert texts == list(crows_pairs()[SIDES].itertuples(index=False, name=None))
    np.testing.assert_allclose(found[SIDES], expected, atol=1e-4)
    prefers = (found["outcome"] == "stereotype").to_numpy()
    assert list(prefers) == [bool(sample["pct_stereotype"]) for sample in samples]
    assert prefers.sum() == 712


@pytest.mark.thorough
def test_lm_evaluation_harness_decides_all_pairs_as_ll_does(tmp_path: Path) -> None:
    """Its own task of CrowS-Pairs, with the rows of a file in place of those of the hub."""
    evaluator = pytest.importorskip("lm_eval.evaluator", reason="needs the extra unmask[outside]")
    tasks = pytest.importorskip("lm_eval.tasks")
    rows = tmp_path / "pairs.csv"
    columns = dict(zip(SIDES, ("sent_more", "sent_less"), strict=True))
    crows_pairs().rename(columns=columns).to_csv(rows, index=False, columns=[*columns.values()])
    original = Path(tasks.__file__).parent / "crows_pairs" / "crows_pairs_english.yaml"
    (tmp_path / "here.yaml").write_text(
        f"include: {original}\n"
        "task: crows_pairs_here\n"
        "dataset_path: csv\n"
        "dataset_name: default\n"
        f"dataset_kwargs: {{data_files: {{test: '{rows}'}}, cache_dir: '{tmp_path / 'cache'}'}}\n"
    )
    results = evaluator.simple_evaluate(
        model="hf",
        model_args={"pretrained": str(real_data("models", "llama-4m")), "dtype": "float32"},
        tasks=["crows_pairs_here"],
        task_manager=tasks.TaskManager(include_path=str(tmp_path), include_defaults=False),
        batch_size=16,
        device="cpu",
        bootstrap_iters=0,
    )
    samples = sorted(results["samples"]["crows_pairs_here"], key=lambda sample: sample["doc_id"])
    ours = scores_of("LL", PUBLISHED)
    assert len(samples) == len(ours) == PAIRS
    theirs = [[response[0][0] for response in sample["resps"]] for sample in samples]
    np.testing.assert_allclose(ours[SIDES], theirs, atol=1e-4)
    prefers = (ours["outcome"] == "stereotype").tolist()
    assert prefers == [bool(sample["pct_stereotype"]) for sample in samples]
    assert results["results"]["crows_pairs_here"]["pct_stereotype,none"] == np.mean(prefers)
