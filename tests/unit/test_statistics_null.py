"""The null of word choice against a slow one, and what it must and must not find."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import (
    BY_WORDS,
    CLEAR,
    PROTOCOLS,
    RandomWords,
    bands,
    bias_table,
    counted,
    decisions,
    measure,
    modified_words,
    null,
    null_scores,
    sentence_scores,
    sharing_of,
    verdicts,
    words_of_evidence,
    words_of_scores,
)
from library import words_of as words
from study_schema import MEASURES, options_with

WEIGHTED = [name for name in MEASURES if name != "CPS"]
SIDES = ["stereotype", "antistereotype"]
Series = tuple[str, str]


def words_of(
    pairs: pd.DataFrame, evidence: Mapping[str, pd.DataFrame], name: str = "AUL"
) -> dict[Series, RandomWords]:
    return words_of_evidence(pairs, evidence, itertools.product([name], PROTOCOLS))


def decided(outcomes: Sequence[str], protocol: str) -> Any:
    """Decisions of AUL on so many pairs."""
    ids = [f"p{i}" for i in range(len(outcomes))]
    scores = pd.DataFrame({"pair_id": ids, "measure": "AUL", "protocol": protocol, "margin": 0.0})
    scores = scores.assign(**dict.fromkeys(("outcome", "lowest", "highest"), outcomes))
    return decisions(pd.DataFrame({"pair_id": ids}), scores)


def drawn_alone(weights: Any, scores: Any, outcomes: Sequence[str], protocol: str, draws: int) -> list[float]:
    """The scores of the draws, one pair after the other."""
    rng, tie, found = np.random.default_rng(7), 0.0 if protocol == "published" else 0.5, []
    for _ in range(draws):
        of_type = scores[rng.integers(len(scores), size=weights.shape[1])]
        credit: list[float] = []
        for row, outcome in zip(weights.toarray(), outcomes, strict=True):
            margin = float(row @ of_type)
            if outcome == "undefined" and protocol == "corrected":
                continue
            if protocol == "published" and outcome in ("tie", "undefined"):
                credit.append(0.0)
            else:
                credit.append(tie if abs(margin) <= 1e-9 else float(margin > 0))
        found.append(100 * sum(credit) / len(credit))
    return found


@pytest.mark.parametrize(("name", "protocol"), list(itertools.product(WEIGHTED, PROTOCOLS)))
def test_random_scores_of_types_go_through_the_measure_itself(name: str, protocol: str) -> None:
    """The margins are those of the measure on evidence in which every token has the score of its type. A pair
    with an unknown number is undefined, and its types have the means of what is known."""
    made, rng = synthetic.make(40, seed=3), np.random.default_rng(0)
    evidence = {}
    for masking, rows in made.evidence.items():
        unknown = rows["pair_id"].isin(made.pairs["pair_id"][:8]) & (rows["role"] == "stereotype")
        known = rows["log_prob"].mask(unknown)
        evidence[masking] = rows.assign(log_prob=known, cross_log_prob=known)
    none = evidence["none"]
    evidence["none"] = none.assign(**{of: rng.random(len(none)) for of in ("attention", "attention_content")})
    found = words_of(made.pairs, evidence, name)[name, protocol]
    tokens = counted(measure(name), evidence, protocol)
    tokens = tokens[(tokens["role"] != "unrelated") & tokens["log_prob"].notna()]
    types = sorted(set(tokens["token_id"]))
    assert found.weights.shape == (40, len(types)) and not found.weights[np.arange(8)].nnz
    scores = dict(zip(types, rng.normal(size=len(types)), strict=True))
    replaced = {}
    for masking, rows in evidence.items():
        of_type = rows["token_id"].map(scores).fillna(0.0)
        replaced[masking] = rows.assign(log_prob=of_type, cross_log_prob=of_type)
    margins = found.weights @ np.array([scores[type_] for type_ in types])
    sides = sentence_scores(measure(name), counted(measure(name), replaced, protocol)).unstack("role")
    expected = (sides["stereotype"] - sides["antistereotype"]).reindex(made.pairs["pair_id"])
    defined = expected.notna().to_numpy() & (np.arange(40) >= 8)
    # weights are kept in single precision
    np.testing.assert_allclose(margins[defined], expected[defined], atol=1e-6)
    # a type is scored like some type's mean
    means = tokens.groupby("token_id")["log_prob"].mean()
    np.testing.assert_allclose(found.scores, means, rtol=1e-6)


def test_a_measure_of_shared_tokens_has_a_score_for_each_modified_word() -> None:
    made = synthetic.make(12, seed=4)
    # the sides share their tokens
    tokens = made.evidence["one-shared"].assign(log_prob=-1.0, token_id=lambda rows: rows["position"])
    kept = tokens[tokens.groupby(["pair_id", "token_id"])["role"].transform("nunique") == 2]
    found = words_of(made.pairs, {"one-shared": kept}, "CPS")["CPS", "corrected"]
    assert found.scores.mean() == pytest.approx(0, abs=1e-9)
    assert found.scores.std() == pytest.approx(1, abs=0.01)
    sides = [modified_words(*texts) for texts in made.pairs[SIDES].to_numpy().tolist()]
    every = list(dict.fromkeys(word for pair in sides for side in pair for word in side))
    for row, (one, other) in enumerate(sides):
        expected = [one.count(word) - other.count(word) for word in every]
        assert found.weights[[row]].toarray()[0].tolist() == expected


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_null_is_that_of_scores_drawn_one_by_one(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = synthetic.make(40, seed=5)
    random = words_of(made.pairs, {"none": made.evidence["none"]})
    own = random["AUL", protocol]
    outcomes = (["tie", "undefined"] + ["stereotype", "antistereotype"] * 4) * 4
    everyone, half = np.arange(40), np.arange(0, 40, 2)
    found = null_scores(random, decided(outcomes, protocol), [everyone, half], 9, seed=7)[:, 0]
    for place, members in enumerate((everyone, half)):
        of = [outcomes[row] for row in members]
        assert list(found[place]) == pytest.approx(
            drawn_alone(own.weights[members], own.scores, of, protocol, 9)
        )
    # however many are drawn at once
    monkeypatch.setattr(null, "MARGINS_AT_ONCE", 700)
    again = null_scores(random, decided(outcomes, protocol), [everyone, half], 9, seed=7)
    np.testing.assert_allclose(again[:, 0], found)


def literal_p(score: float, drawn: list[float]) -> float:
    """Twice the share at the score or beyond it, on the side that has fewer, the score among the draws."""
    below = 1 + sum(1 for each in drawn if each <= score or math.isclose(each, score, rel_tol=1e-9))
    above = 1 + sum(1 for each in drawn if each >= score or math.isclose(each, score, rel_tol=1e-9))
    return min(1.0, 2 * min(below, above) / (1 + len(drawn)))


@pytest.mark.parametrize(("pairs", "count"), [(3, 99), (40, 199), (40, 237), (1000, 999)])
def test_the_verdict_the_band_and_p_are_one_rule(pairs: int, count: int) -> None:
    """Whatever ties there are, rounded as a mean of float32 may be. The band has the draws that have a p of
    1 - confidence or more themselves."""
    rng = np.random.default_rng(count)
    drawn = 100 * rng.binomial(pairs, 0.5, count) / pairs * (1 + 1e-14 * rng.integers(-3, 4, count))
    scores = 100 * np.arange(pairs + 1) / pairs
    for confidence in (0.8, 0.95):
        rows = bands(scores, np.tile(drawn, (len(scores), 1)), confidence)
        expected = [literal_p(float(score), drawn.tolist()) for score in scores]
        np.testing.assert_allclose(rows["null_p"], expected, rtol=1e-12)
        inside = [each for each in drawn.tolist() if literal_p(each, drawn.tolist()) >= 1 - confidence - 1e-9]
        ends = rows[["null_low", "null_high"]].drop_duplicates().to_numpy()
        np.testing.assert_allclose(ends, [[min(inside), max(inside)]])
        np.testing.assert_allclose(rows["null_mean"], drawn.mean())
        rows = rows.assign(measure="AUL", grouping="overall", score=scores, low=0.0)
        seen = verdicts(rows.assign(high=0.1, unanimous_low=np.nan, neutral=50.0))
        # 1 - 0.8 is a little more than a fifth
        outside = rows["null_p"] < 1 - confidence - 1e-9
        assert ((pd.Series(seen) == CLEAR) == outside).all() and set(seen) <= {CLEAR, BY_WORDS}
    for score, unknown in ((math.nan, 1.0), (50.0, math.nan)):
        assert bands(np.array([score]), np.full((1, 9), unknown), 0.9).isna().all(axis=None)


def test_the_null_of_adv_less_dis_has_its_sign() -> None:
    made = synthetic.make(60, seed=2)
    own = decisions(made.pairs, made.scores[made.scores["measure"] == "AUL"])
    random = words_of(made.pairs, {"none": made.evidence["none"]})
    table = bias_table(made.pairs, own, options_with(draws=50), sharing_of(made.pairs, ()), random)
    means = table[table["protocol"] == "corrected"].set_index("group")["null_mean"]
    assert means["difference"] == pytest.approx(means["antistereo"] - means["stereo"])
    assert abs(means["difference"]) > 0.1


# ---- of scores that were made elsewhere


def made_pairs(count: int, seed: int, vocabulary: int = 40) -> pd.DataFrame:
    """Sentences of random words, of which the sides share all but one or two at the end."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        shared = [f"w{word}" for word in rng.integers(vocabulary, size=rng.integers(2, 6))]
        sides = [[f"m{word}" for word in rng.integers(vocabulary, size=rng.integers(1, 3))] for _ in range(2)]
        texts = [" ".join([*shared, *side]) for side in sides]
        rows.append({"pair_id": f"p{number}", **dict(zip(SIDES, texts, strict=True))})
    return pd.DataFrame(rows).assign(bias_type="made", direction=None, target=None, writer=None)


def slow_margin(texts: list[str], of_words: dict[str, float]) -> float:
    """Sentence by sentence and word by word."""
    first, other = (sum(of_words[word] for word in words(text)) / len(words(text)) for text in texts)
    return first - other


def slow_deviation(pairs: pd.DataFrame, scores: Any) -> float:
    """The method of moments, coefficient by coefficient: a word's is the margin where it alone scores 1."""
    above = below = 0.0
    for row, texts in enumerate(pairs[SIDES].to_numpy().tolist()):
        if np.isnan(scores[:, row]).any():
            continue
        every = {word for text in texts for word in words(text)}
        above += (scores[0, row] - scores[1, row]) ** 2
        for word in every:
            below += slow_margin(texts, {each: float(each == word) for each in every}) ** 2
    return math.sqrt(above / below)


def test_margins_and_deviation_are_those_of_a_slow_loop() -> None:
    pairs, rng = made_pairs(25, seed=1), np.random.default_rng(2)
    scores = rng.normal(-3, 1, size=(2, 25))
    scores[1, 4] = np.nan
    found = words_of_scores(pairs, scores)
    deviation = slow_deviation(pairs, scores)
    assert found.scores.mean() == pytest.approx(0, abs=1e-9)
    # the 1000 quantiles of a normal distribution
    assert found.scores.std() == pytest.approx(deviation, rel=0.01)
    assert found.scores[974:976] / deviation == pytest.approx([1.954, 1.966], abs=0.01)
    vocabulary = sorted({word for side in SIDES for text in pairs[side].drop(4) for word in words(text)})
    assert found.weights.shape == (25, len(vocabulary))
    drawn = rng.normal(size=len(vocabulary))
    margins = found.weights @ drawn
    of_words = dict(zip(vocabulary, drawn, strict=True))
    for row, texts in enumerate(pairs[SIDES].to_numpy().tolist()):
        expected = 0 if row == 4 else slow_margin(texts, of_words)
        assert margins[row] == pytest.approx(expected, abs=1e-5)


def test_what_no_word_tells_apart_has_no_weights_and_signs_are_a_word() -> None:
    texts = {"stereotype": ["A b!", "c d", "!?"], "antistereotype": ["b, a", "D c", "?!"]}
    scores = np.array([[-1.0, -2.0, -3.0], [-2.0, -1.0, -2.0]])
    random = words_of_scores(made_pairs(3, seed=18).assign(**texts), scores)
    assert random.weights.nnz == 2 and np.abs(random.weights.toarray()[:2]).sum() == 0
