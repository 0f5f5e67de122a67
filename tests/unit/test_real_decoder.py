"""A trained decoder on all of CrowS-Pairs: against lm-evaluation-harness, and a split."""

import json
from functools import cache

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
