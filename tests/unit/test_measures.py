"""Every measure in both protocols against a slow literal implementation, and its invariants."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from examples import SENTENCES, example_pairs
from library import (
    CORRECTED,
    ORIGINAL,
    PUBLISHED,
    TIE_MARGIN,
    collect_evidence,
    load,
    pick_device,
    score_pairs,
)
from literal import Reader, corrected, published
from study_schema import MASKED_MASKINGS, MEASURES
from tiny_models import tiny_model

ARCHITECTURES = ("bert", "albert")
CPU = pick_device("cpu")


@cache
def model_directory(architecture: str) -> Path:
    return tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


def evidence_of(architecture: str, pairs: pd.DataFrame, batch_tokens: int = 64) -> dict[str, pd.DataFrame]:
    return {
        masking: collect_evidence(
            pairs,
            load(model_directory(architecture), pick_device("cpu", batch_tokens), masking == "none"),
            masking,
            ORIGINAL,
        )
        for masking in MASKED_MASKINGS
    }


@cache
def example_evidence(architecture: str) -> Mapping[str, pd.DataFrame]:
    return evidence_of(architecture, example_pairs())


def scores_of(evidence: Mapping[str, pd.DataFrame], pairs: pd.DataFrame) -> pd.DataFrame:
    scores = score_pairs(list(pairs["pair_id"]), evidence, list(MEASURES))
    return scores.set_index(["measure", "protocol", "pair_id"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_scores_and_decisions_equal_the_literal_ones(architecture: str) -> None:
    pairs = example_pairs()
    scores = scores_of(example_evidence(architecture), pairs)
    reader = Reader(
        AutoModelForMaskedLM.from_pretrained(
            model_directory(architecture), attn_implementation="eager", dtype=torch.float32
        ).eval(),
        AutoTokenizer.from_pretrained(model_directory(architecture)),
    )
    for measure in MEASURES:
        for protocol, literal in ((PUBLISHED, published), (CORRECTED, corrected)):
            for number, (stereotype, antistereotype, _) in enumerate(SENTENCES):
                want = literal(measure, reader, stereotype, antistereotype)
                got = scores.xs((measure, protocol, f"p{number}"))
                # a rounded score may round the other way at its last digit
                tolerance = 1.1e-3 if (measure, protocol) == ("CPS", PUBLISHED) else 1e-5
                where = f"{measure} {protocol} p{number}"
                np.testing.assert_allclose(
                    [got.stereotype, got.antistereotype],
                    want,
                    rtol=1e-5,
                    atol=tolerance,
                    err_msg=where,
                )
                margin = want[0] - want[1]
                both_empty = bool(np.isnan(want).all())
                if both_empty or abs(margin) <= (TIE_MARGIN if protocol == CORRECTED else 0.0):
                    assert got.outcome == "tie", where
                elif np.isnan(margin):
                    assert got.outcome == "undefined", where
                else:
                    assert got.outcome == ("stereotype" if margin > 0 else "antistereotype"), where


def test_batch_size_order_and_company_change_nothing() -> None:
    pairs = example_pairs()
    whole = scores_of(example_evidence("albert"), pairs)
    for other_pairs, batch_tokens in ((pairs.iloc[::-1], 1), (pairs, 100_000), (pairs.iloc[[2, 5]], 64)):
        other = scores_of(evidence_of("albert", other_pairs, batch_tokens), other_pairs)
        np.testing.assert_allclose(other["margin"], whole.loc[other.index, "margin"], atol=2e-5)
        same = whole.loc[other.index, "outcome"]
        clear = whole.loc[other.index, "margin"].abs() > 1e-4
        assert (other["outcome"] == same)[clear].all()


def test_aula_equals_aul_where_attention_is_uniform() -> None:
    evidence = {"none": example_evidence("bert")["none"].assign(attention_content=0.05)}
    scores = score_pairs(list(example_pairs()["pair_id"]), evidence, ["AUL", "AULA"])
    by_measure = scores[scores["protocol"] == CORRECTED].pivot(
        index="pair_id", columns="measure", values="stereotype"
    )
    np.testing.assert_allclose(by_measure["AUL"], by_measure["AULA"])


def test_a_model_without_attention_leaves_aula_undefined_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pairs = example_pairs()
    model = load(model_directory("bart"), CPU, with_attention=True)
    assert "AULA stays undefined" in caplog.text
    scores = score_pairs(
        list(pairs["pair_id"]), {"none": collect_evidence(pairs, model, "none", ORIGINAL)}, ["AUL", "AULA"]
    )
    undefined = scores["outcome"] == "undefined"
    assert set(scores.loc[undefined, "measure"]) == {"AULA"}
    assert undefined[scores["measure"] == "AULA"].all()
    chosen = load(model_directory("bart"), CPU, with_attention=True, stack="decoder")
    evidence = {"none": collect_evidence(pairs, chosen, "none", ORIGINAL)}
    scores = score_pairs(list(pairs["pair_id"]), evidence, ["AULA"])
    assert "undefined" not in set(scores["outcome"])


def test_published_cps_is_compared_after_rounding_to_three_decimals() -> None:
    rows = [("a", "stereotype", -1.00041), ("a", "antistereotype", -1.00049)]
    tokens = pd.DataFrame(rows, columns=["pair_id", "role", "log_prob"]).assign(
        position=1, token_id=5, cross_log_prob=None
    )
    scores = score_pairs(["a"], {"one-shared": tokens}, ["CPS"]).set_index("protocol")
    assert scores.loc[PUBLISHED, "outcome"] == "tie"
    assert scores.loc[CORRECTED, "outcome"] == "stereotype"
