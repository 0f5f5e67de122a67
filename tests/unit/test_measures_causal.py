"""The measures of causal language models against a slow literal implementation, and their invariants."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from examples import SENTENCES, example_pairs
from library import (
    ALL_MEASURES,
    CAUSAL_LM,
    CAUSAL_MASKINGS,
    CORRECTED,
    LEFT,
    PROTOCOLS,
    PUBLISHED,
    TIE_MARGIN,
    TOKEN_ERROR,
    contributions,
    counted,
    kind_for,
    measure,
    score_pairs,
    sees_context,
    sentence_errors,
    sentence_scores,
)
from literal_causal import LeftReader, literal
from study_schema import CAUSAL_MEASURES, MEASURES
from test_evidence_left import decoder, evidence, loaded, plain_network

STARTS = [None, "none"]


@cache
def example_evidence(architecture: str, start: str | None) -> Mapping[str, pd.DataFrame]:
    model = loaded(architecture, start)
    return {masking: evidence(model, masking) for masking in CAUSAL_MASKINGS}


@cache
def example_scores(architecture: str, start: str | None) -> Any:
    pairs, rows = example_pairs(), example_evidence(architecture, start)
    scores = score_pairs(list(pairs["pair_id"]), rows, list(CAUSAL_MEASURES))
    return scores.set_index(["measure", "protocol", "pair_id"]).sort_index()


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("architecture", ["llama"])
def test_scores_and_decisions_equal_the_literal_ones(architecture: str, start: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(decoder(architecture))
    start_id = None if start == "none" else tokenizer.bos_token_id
    reader = LeftReader(plain_network(architecture), tokenizer, start_id)
    scores = example_scores(architecture, start)
    for name in CAUSAL_MEASURES:
        for protocol in PROTOCOLS:
            for number, (stereotype, antistereotype, _) in enumerate(SENTENCES):
                want = literal(name, reader, stereotype, antistereotype, protocol)
                got = scores.xs((name, protocol, f"p{number}"))
                rounded = (name, protocol) == ("CCPS", PUBLISHED)
                where = f"{name} {protocol} p{number}"
                found = [got["stereotype"], got["antistereotype"]]
                np.testing.assert_allclose(found, want, atol=1.1e-3 if rounded else 2e-5, err_msg=where)
                margin = want[0] - want[1]
                if np.isnan(margin):
                    # neither side has what is read: nothing tells them apart, if there is a start to read
                    no_rows = np.isnan(want).all() and got["error"] == 0
                    no_rows &= start is None or name != "StartAlone"
                    assert got["outcome"] == ("tie" if no_rows else "undefined"), where
                elif abs(margin) <= (TIE_MARGIN if protocol == CORRECTED else 0.0):
                    assert got["outcome"] == "tie", where
                elif abs(margin) > (2e-3 if rounded else 1e-4):
                    assert got["outcome"] == ("stereotype" if margin > 0 else "antistereotype"), where


@pytest.mark.parametrize("architecture", ["llama"])
def test_ll_is_what_the_words_cost_and_what_follows_from_them(architecture: str) -> None:
    """LL = CCPS + |M| · CSSS of every sentence, to float error; CCPS is 0 where nothing is shared."""
    rows = example_evidence(architecture, None)
    # before rounding, and defined for all sentences
    ll, ccps, csss = (
        sentence_scores(one, counted(one, rows, PUBLISHED)) for one in map(measure, ("LL", "CCPS", "CSSS"))
    )
    ll = ll[ll.index.get_level_values("role") != "unrelated"]
    of_modified = rows[LEFT][rows[LEFT]["modified"].eq(True)]
    modified = of_modified.groupby(["pair_id", "role"]).size().reindex(ll.index, fill_value=0)
    assert len(ll) == 2 * len(SENTENCES) and (modified > 0).sum() == 16
    whole = ccps.reindex(ll.index).fillna(0) + modified * csss.reindex(ll.index).fillna(0)
    np.testing.assert_allclose(ll, whole, rtol=1e-12)


def test_pairs_that_share_nothing_behind_their_first_difference_are_undefined() -> None:
    sentences = {
        "last": ("the nurse is good", "the nurse is bad"),
        "nothing": ("bus", "kit"),
        "longer": ("the nurse is good", "the nurse is good always"),
        "behind": ("the nurse is good always", "the nurse is bad always"),
        "one side": ("the old nurse", "the nurse"),
        "equal": ("the nurse", "the nurse"),
    }
    rows = [(name, *sides, None) for name, sides in sentences.items()]
    pairs = pd.DataFrame(rows, columns=["pair_id", "stereotype", "antistereotype", "unrelated"])
    read = {LEFT: evidence(loaded("gpt2"), LEFT, pairs)}
    scores = score_pairs(list(pairs["pair_id"]), read, ["CCPS"]).set_index(["protocol", "pair_id"])
    outcomes: Any = scores["outcome"].unstack("protocol")
    nothing_follows = ["last", "nothing", "longer"]
    assert set(outcomes.loc[nothing_follows, CORRECTED]) == {"undefined"}
    # nothing that follows differs, so that the released code has equal sums
    assert set(outcomes.loc[nothing_follows, PUBLISHED]) == {"tie"}
    assert set(outcomes.loc[["behind", "one side"]].to_numpy().ravel()) <= {"stereotype", "antistereotype"}
    assert set(outcomes.loc["equal"]) == {"tie"}


@pytest.mark.parametrize(
    ("name", "undefined"),
    [
        ("LL", "first alone, lone"),
        ("LLMean", "first alone, lone"),
        ("CSSS", "first alone, lone"),
        ("CCPS", "first alone, lone, last"),
        ("StartAlone", "first alone, lone, last, equal"),
    ],
)
def test_what_is_not_read_without_a_start_token_is_no_tie(name: str, undefined: str) -> None:
    sentences = {
        "first alone": ("he likes the nurse", "she likes the nurse"),
        "lone": ("bus", "kit"),
        "last": ("the nurse is good", "the nurse is bad"),
        "equal": ("the nurse", "the nurse"),
    }
    rows = [(pair, *sides, None) for pair, sides in sentences.items()]
    pairs = pd.DataFrame(rows, columns=["pair_id", "stereotype", "antistereotype", "unrelated"])
    read = {masking: evidence(loaded("gpt2", "none"), masking, pairs) for masking in measure(name).maskings}
    scores = score_pairs(list(sentences), read, [name])
    corrected = scores[scores["protocol"] == CORRECTED]
    assert set(corrected["pair_id"][corrected["outcome"] == "undefined"]) == set(undefined.split(", "))
    if name == "StartAlone":
        assert set(scores["outcome"]) == {"undefined"}


@pytest.mark.parametrize("name", CAUSAL_MEASURES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tokens_add_up_to_scores_and_errors_bound_them(name: str, protocol: str) -> None:
    rows = example_evidence("llama", None)
    one = measure(name)
    tokens = counted(one, rows, protocol)
    scores = sentence_scores(one, tokens)
    added = contributions(one, rows, protocol).groupby(["pair_id", "role"])["adds"].sum(min_count=1)
    known = scores.dropna()
    np.testing.assert_allclose(added.reindex(known.index), known, rtol=1e-6)
    errors = sentence_errors(one, tokens)
    rng = np.random.default_rng(0)
    for _ in range(20):
        moved = {
            masking: frame.assign(
                log_prob=frame["log_prob"].astype(float)
                + rng.choice([-1, 1], len(frame)) * TOKEN_ERROR * (1 + frame["log_prob"].abs().astype(float))
            )
            for masking, frame in rows.items()
        }
        apart = (sentence_scores(one, counted(one, moved, protocol)) - scores).abs().dropna()
        assert (apart <= errors.reindex(apart.index) + 1e-9).all()
        assert (apart > 0).any()


def test_each_measure_is_for_one_kind_of_models() -> None:
    assert set(MEASURES) | set(CAUSAL_MEASURES) == set(ALL_MEASURES) and "AUL" in MEASURES
    assert all(kind_for(name) == CAUSAL_LM for name in CAUSAL_MEASURES)
    assert {name for name in ALL_MEASURES if not sees_context(name)} == {
        "AllMasked",
        "AllMaskedSum",
        "StartAlone",
    }
