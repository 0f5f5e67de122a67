"""A trained decoder on all of CrowS-Pairs, against lm-evaluation-harness."""

import json

import numpy as np
import pytest

from library import (
    LEFT,
    ORIGINAL,
    PUBLISHED,
    SIDES,
    Start,
    check_model,
    collect_evidence,
    load,
    pick_device,
    read_benchmark,
    score_pairs,
)
from real_data import real_data


@pytest.mark.thorough
def test_ll_decides_all_pairs_as_lm_evaluation_harness_does() -> None:
    """Its log of crows_pairs_english with these 1508 pairs, in single precision."""
    file = real_data("crows_pairs", "crows_pairs_anonymized.csv")
    pairs, directory = read_benchmark(file, {"format": "crows-pairs"}), real_data("models", "llama-4m")
    manifest = check_model(directory, "causal-lm", "tiny")
    model = load(directory, pick_device("cpu"), with_attention=False, start=Start.of(manifest))
    evidence = {LEFT: collect_evidence(pairs, model, LEFT, ORIGINAL, max_length=manifest["max_length"])}
    found = score_pairs(list(pairs["pair_id"]), evidence, ["LL"]).query(f"protocol == {PUBLISHED!r}")
    log = real_data("decoders", "samples_crows_pairs_llama-4m.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in log]
    assert len(found) == len(samples) == 1508
    texts = [[sample["doc"][side] for side in ("sent_more", "sent_less")] for sample in samples]
    assert texts == pairs[[*SIDES]].to_numpy().tolist()
    expected = [[float(sample["resps"][side][0][0]) for side in (0, 1)] for sample in samples]
    np.testing.assert_allclose(found[[*SIDES]], expected, atol=1e-4)
    prefers = (found["outcome"] == "stereotype").to_numpy()
    assert list(prefers) == [bool(sample["pct_stereotype"]) for sample in samples]
    assert prefers.sum() == 712
