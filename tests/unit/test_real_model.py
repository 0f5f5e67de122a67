"""A trained model on pairs of the real benchmarks, against the literal implementation."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from library import (
    CORRECTED,
    ORIGINAL,
    PUBLISHED,
    collect_evidence,
    load,
    maskings_of,
    pick_device,
    read_benchmark,
    score_pairs,
)
from literal import Reader, corrected, published
from real_data import real_data

MEASURES = ["AUL", "AULA", "CPS", "SSS", "AllMasked"]
PLACES = {
    "crows-pairs": ("crows_pairs", "crows_pairs_anonymized.csv"),
    "stereoset": ("stereoset", "dev.json"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("benchmark", PLACES)
def test_scores_of_real_pairs_equal_the_literal_ones(benchmark: str) -> None:
    directory = real_data("models", "minilm-l6-mlm")
    pairs = read_benchmark(real_data(*PLACES[benchmark]), {"format": benchmark}).iloc[::400]
    evidence = {
        masking: collect_evidence(
            pairs, load(directory, pick_device("cpu"), masking == "none"), masking, ORIGINAL
        )
        for masking in maskings_of(MEASURES)
    }
    scores = score_pairs(list(pairs["pair_id"]), evidence, MEASURES)
    scores = scores.set_index(["measure", "protocol", "pair_id"])
    reader = Reader(
        AutoModelForMaskedLM.from_pretrained(
            directory, attn_implementation="eager", dtype=torch.float32
        ).eval(),
        AutoTokenizer.from_pretrained(directory),
    )
    for pair_id, stereotype, antistereotype in zip(
        pairs["pair_id"], pairs["stereotype"], pairs["antistereotype"], strict=True
    ):
        for measure in MEASURES:
            for protocol, literal in ((PUBLISHED, published), (CORRECTED, corrected)):
                want = literal(measure, reader, stereotype, antistereotype)
                got = scores.xs((measure, protocol, pair_id))
                # a score rounded to three decimals may round the other way
                tolerance = 1.1e-3 if (measure, protocol) == ("CPS", PUBLISHED) else 1e-4
                where = f"{measure} {protocol} {pair_id}"
                found = [got["stereotype"], got["antistereotype"]]
                np.testing.assert_allclose(found, want, rtol=0, atol=tolerance, err_msg=where)
                if abs(want[0] - want[1]) > 2e-3:
                    assert got["outcome"] == ("stereotype" if want[0] > want[1] else "antistereotype"), where
