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
    PROTOCOLS,
    PUBLISHED,
    TIE_MARGIN,
    collect_evidence,
    load,
    maskings_of,
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


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_equal_sentences_tie_in_every_measure(architecture: str) -> None:
    scores = scores_of(example_evidence(architecture), example_pairs())
    of_equal = scores.xs("p6", level="pair_id")
    assert len(of_equal) == len(MEASURES) * len(PROTOCOLS)
    assert set(of_equal["outcome"]) == {"tie"}
    assert (of_equal["margin"] == 0).all()


def test_a_side_without_modified_tokens_is_undefined_for_what_reads_these_alone() -> None:
    scores = scores_of(example_evidence("bert"), example_pairs()).xs("p9", level="pair_id")
    undefined = scores.index[scores["outcome"] == "undefined"].get_level_values("measure")
    assert "SSS" in set(undefined)
    assert set(undefined).isdisjoint({"AUL", "AULA", "CPS", "AllMasked", "AllMaskedSum", "PLL"})


def test_swapping_the_sides_mirrors_the_scores() -> None:
    pairs = example_pairs()
    swapped = pairs.rename(columns={"stereotype": "antistereotype", "antistereotype": "stereotype"})
    swapped = swapped[pairs.columns]
    before = scores_of(example_evidence("roberta"), pairs)
    after = scores_of(evidence_of("roberta", swapped), swapped)
    mirror = {"stereotype": "antistereotype", "antistereotype": "stereotype"}
    # difflib's alignment of a and b need not be that of b and a: compare where it is
    stable = [p for p in pairs["pair_id"] if p not in {"p3"}]
    one, two = (frame[frame.index.isin(stable, level="pair_id")] for frame in (before, after))
    np.testing.assert_allclose(one["margin"], -two["margin"], atol=1e-5)
    assert list(one["outcome"].replace(mirror)) == list(two["outcome"])


def test_batch_size_order_and_company_change_nothing() -> None:
    pairs = example_pairs()
    whole = scores_of(example_evidence("albert"), pairs)
    for other_pairs, batch_tokens in ((pairs.iloc[::-1], 1), (pairs, 100_000), (pairs.iloc[[2, 5]], 64)):
        other = scores_of(evidence_of("albert", other_pairs, batch_tokens), other_pairs)
        np.testing.assert_allclose(other["margin"], whole.loc[other.index, "margin"], atol=2e-5)
        same = whole.loc[other.index, "outcome"]
        clear = whole.loc[other.index, "margin"].abs() > 1e-4
        assert (other["outcome"] == same)[clear].all()


def test_all_masked_of_equally_long_sentences_depends_on_modified_tokens_alone() -> None:
    evidence = example_evidence("bert")["all"]
    pair = evidence[evidence["pair_id"] == "p0"]
    sides = [pair[pair["role"] == role].set_index("position") for role in ("stereotype", "antistereotype")]
    shared = ~sides[0]["modified"].astype(bool)
    assert shared.sum() == 7 and (~shared).sum() == 1
    assert (sides[0]["log_prob"] == sides[1]["log_prob"])[shared].all()


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


def test_margins_below_a_millionth_are_ties_in_corrected_alone() -> None:
    margins = {"a": 5e-7, "b": -5e-7, "c": 0.0, "d": 2e-6}
    rows = [
        (pair_id, role, -1.0 + (margin if role == "stereotype" else 0))
        for pair_id, margin in margins.items()
        for role in ("stereotype", "antistereotype")
    ]
    tokens = pd.DataFrame(rows, columns=["pair_id", "role", "log_prob"]).assign(position=1, token_id=5)
    tokens["cross_log_prob"] = tokens["log_prob"]
    scores = score_pairs(list(margins), {"modified": tokens}, ["SSS"])
    outcomes = {protocol: list(of["outcome"]) for protocol, of in scores.groupby("protocol")}
    assert outcomes == {
        PUBLISHED: ["stereotype", "antistereotype", "tie", "stereotype"],
        CORRECTED: ["tie", "tie", "tie", "stereotype"],
    }


def test_measures_name_the_maskings_that_they_need() -> None:
    assert maskings_of(["AUL", "AULA"]) == ["none"]
    assert maskings_of(["PLL", "SSS", "CPS"]) == ["modified", "one-modified", "one-shared"]
    assert set(maskings_of(MEASURES)) == set(MASKED_MASKINGS)
