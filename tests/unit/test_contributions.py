"""What each token adds to a score: against a slow implementation, and adding up to the scores."""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd
import pytest

from examples import example_pairs
from library import (
    ANTISTEREOTYPE,
    CORRECTED,
    ORIGINAL,
    PUBLISHED,
    STEREOTYPE,
    collect_evidence,
    contributions,
    load,
    measure,
    pick_device,
    score_pairs,
)
from study_schema import MASKED_MASKINGS, MEASURES
from tiny_models import tiny_model

ARCHITECTURES = ("bert", "roberta", "albert")
Evidence = Mapping[str, pd.DataFrame]
Key = tuple[str, str, int]


@cache
def evidence_of(architecture: str) -> Evidence:
    directory = tiny_model(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))
    return {
        masking: collect_evidence(
            example_pairs(), load(directory, pick_device("cpu"), masking == "none"), masking, ORIGINAL
        )
        for masking in MASKED_MASKINGS
    }


def added(name: str, evidence: Evidence, protocol: str = CORRECTED) -> pd.DataFrame:
    return contributions(measure(name), evidence, protocol)


def slowly(name: str, evidence: Evidence) -> dict[Key, float]:
    """What each token adds, protocol corrected, one token at a time."""
    read = {
        "AUL": ["none"],
        "AULA": ["none"],
        "CPS": ["one-shared"],
        "SSS": ["modified"],
        "AllMasked": ["all"],
        "AllMaskedSum": ["all"],
        "PLL": ["one-shared", "one-modified"],
    }[name]
    rows = [
        row
        for masking in read
        for row in evidence[masking].to_dict("records")
        if not row["special"] and row["role"] in (STEREOTYPE, ANTISTEREOTYPE)
    ]
    found = {}
    for row in rows:
        own = [other for other in rows if (other["pair_id"], other["role"]) == (row["pair_id"], row["role"])]
        weight = 1.0
        if name in ("AUL", "SSS", "AllMasked"):
            weight = 1 / len(own)
        if name == "AULA":
            weight = row["attention_content"] / sum(float(other["attention_content"]) for other in own)
        found[row["pair_id"], row["role"], row["position"]] = weight * row["log_prob"]
    return found


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_token_adds_what_it_does_by_a_slow_implementation(architecture: str, name: str) -> None:
    evidence = evidence_of(architecture)
    rows = added(name, evidence)
    rows = rows[rows["role"].isin([STEREOTYPE, ANTISTEREOTYPE])]
    got = {(row.pair_id, row.role, row.position): row.adds for row in rows.itertuples()}
    want = slowly(name, evidence)
    assert len(want) > 20 and len(got) == len(rows)
    assert got == pytest.approx(want, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("protocol", [PUBLISHED, CORRECTED])
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_what_tokens_add_is_the_score(architecture: str, name: str, protocol: str) -> None:
    evidence = evidence_of(architecture)
    pairs = list(example_pairs()["pair_id"])
    scores = score_pairs(pairs, evidence, [name])
    scores = scores[scores["protocol"] == protocol].set_index("pair_id")
    sums = added(name, evidence, protocol).groupby(["role", "pair_id"])["adds"].sum()
    # CPS is compared after rounding by the published protocol
    allowed = 0.5001e-3 if (name, protocol) == ("CPS", PUBLISHED) else 1e-9
    compared = 0
    for side in (STEREOTYPE, ANTISTEREOTYPE):
        for pair in pairs:
            score = float(scores.loc[pair, side])
            if math.isnan(score) or score == 0:
                assert (side, pair) not in sums.index
            else:
                assert sums[side, pair] == pytest.approx(score, abs=allowed, rel=0)
                compared += 1
    assert compared >= 15
