"""The lexical null against a slow one, and what it must and must not find; the leverage of words."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import synthetic
from study_schema import MEASURES, options_with
from unmask.measures.registry import measure
from unmask.measures.scoring import score_pairs
from unmask.pairs.verdicts import BEYOND, verdicts
from unmask.report.sheets import rows_of
from unmask.statistics import lexical
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.leverage import WORDS_SHOWN, leverage_table
from unmask.statistics.lexical import Gathered, Lexicons, band, lexicon, lexicon_part, null_scores
from unmask.statistics.nodes import dependence_of, modified_words, words
from unmask.terms import PROTOCOLS

WEIGHTED = [name for name in MEASURES if name != "CPS"]


def lexicons_of(pairs: pd.DataFrame, evidence: dict[str, pd.DataFrame], at_once: int = 1000) -> Lexicons:
    """Those of AUL, from so many pairs at once."""
    found = Lexicons(pairs, ["AUL"])
    for start in range(0, len(pairs), at_once):
        some = pairs.iloc[start : start + at_once]
        of_some = {m: rows[rows["pair_id"].isin(some["pair_id"])] for m, rows in evidence.items()}
        found.add(some, of_some)
    return found


def with_attention(made: synthetic.Synthetic) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(0)
    none = made.evidence["none"]
    columns = {name: rng.random(len(none)) for name in ("attention", "attention_content")}
    cross = {m: rows.assign(cross_log_prob=rows["log_prob"]) for m, rows in made.evidence.items()}
    return {**cross, "none": none.assign(**columns)}


@pytest.mark.parametrize(("name", "protocol"), list(itertools.product(WEIGHTED, PROTOCOLS)))
def test_random_scores_of_types_go_through_the_measure_itself(name: str, protocol: str) -> None:
    """The margins are those of the measure on evidence in which every token has the score of its type."""
    made = synthetic.make(40, seed=3)
    evidence, rng = with_attention(made), np.random.default_rng(1)
    part = lexicon_part(made.pairs, measure(name).formula(evidence, protocol))
    found = lexicon(made.pairs, Gathered.of([part]))
    read = measure(name).formula(evidence, protocol).tokens
    of_pair = read[read["role"] != "unrelated"]
    types = sorted(set(of_pair["token_id"]))
    assert found.weights.shape == (40, len(types))
    scores = dict(zip(types, rng.normal(size=len(types)), strict=True))
    replaced = {
        masking: rows.assign(
            **{c: rows["token_id"].map(scores).fillna(0.0) for c in ("log_prob", "cross_log_prob")}
        )
        for masking, rows in evidence.items()
    }
    margins = found.weights @ np.array([scores[type_] for type_ in types])
    sides = measure(name).formula(replaced, protocol).scores().unstack("role")
    expected = (sides["stereotype"] - sides["antistereotype"]).reindex(made.pairs["pair_id"])
    defined = expected.notna().to_numpy()
    # weights are kept in single precision
    np.testing.assert_allclose(margins[defined], expected[defined], atol=1e-6)
    # a type is scored like some type's mean
    log_prob = measure(name).formula(evidence, protocol).log_prob
    own = log_prob[of_pair.index] if name != "PLL" else log_prob[(read["role"] != "unrelated").to_numpy()]
    means = own.groupby(of_pair["token_id"].to_numpy()).mean()
    np.testing.assert_allclose(found.scores, means, rtol=1e-6)


def test_a_measure_of_shared_tokens_has_a_score_for_each_modified_word() -> None:
    made = synthetic.make(12, seed=4)
    tokens = made.evidence["one-shared"].assign(log_prob=-1.0)
    # the sides share their tokens
    tokens = tokens.assign(token_id=tokens["position"])
    kept = tokens.groupby(["pair_id", "token_id"])["role"].transform("nunique") == 2
    part = lexicon_part(made.pairs, measure("CPS").formula({"one-shared": tokens[kept]}, "corrected"))
    found = lexicon(made.pairs, Gathered.of([part]))
    assert found.scores.mean() == pytest.approx(0, abs=1e-9) and found.scores.std() == pytest.approx(
        1, abs=0.01
    )
    sides = [
        modified_words(*texts)
        for texts in zip(made.pairs["stereotype"], made.pairs["antistereotype"], strict=True)
    ]
    words = list(dict.fromkeys(word for pair in sides for side in pair for word in side))
    for row, (one, other) in enumerate(sides):
        expected = [one.count(word) - other.count(word) for word in words]
        assert found.weights[[row]].toarray()[0].tolist() == expected


def slow_share(weights: "sparse.csr_array", scores: list[float], tie: float) -> float:
    """The score in percent, one pair after the other."""
    credit = 0.0
    for row in weights.toarray():
        margin = sum(weight * score for weight, score in zip(row, scores, strict=True))
        credit += tie if abs(margin) <= 1e-9 else float(margin > 0)
    return 100 * credit / len(weights.toarray())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_null_is_that_of_scores_drawn_one_by_one(protocol: str) -> None:
    made = synthetic.make(30, seed=5)
    evidence = {"none": made.evidence["none"]}
    n, everyone = len(made.pairs), sparse.csr_array(np.ones((1, len(made.pairs))))
    [(number, found)] = null_scores(
        lexicons_of(made.pairs, evidence),
        [("AUL", protocol)],
        np.ones((n, 1)),
        np.zeros((n, 1), bool),
        everyone,
        draws=8,
        seed=7,
    )
    assert number == 0 and found.shape == (1, 8)
    own = lexicons_of(made.pairs, evidence).pop(("AUL", protocol))
    rng = np.random.default_rng(7)
    tie = 0.0 if protocol == "published" else 0.5
    for drawn in found[0]:
        scores = own.scores[rng.integers(len(own.scores), size=own.weights.shape[1])]
        assert drawn == pytest.approx(slow_share(own.weights, scores.tolist(), tie))


def test_groups_leave_out_what_the_measure_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = synthetic.make(30, seed=6)
    evidence, trials = {"none": made.evidence["none"]}, np.ones((30, 1))
    trials[20:] = 0
    members = sparse.csr_array(np.array([[1.0] * 30, [1.0] * 20 + [0.0] * 10, [0.0] * 20 + [1.0] * 10]))
    arguments = ([("AUL", "corrected")], trials, np.zeros((30, 1), bool), members, 50, 0)
    [(_, found)] = null_scores(lexicons_of(made.pairs, evidence), *arguments)
    np.testing.assert_allclose(found[0], found[1])
    assert np.isnan(found[2]).all()
    # however many are drawn at once
    monkeypatch.setattr(lexical, "MARGINS_AT_ONCE", 700)
    [(_, again)] = null_scores(lexicons_of(made.pairs, evidence), *arguments)
    np.testing.assert_array_equal(found, again)


def test_swapping_the_sides_mirrors_the_null() -> None:
    made = synthetic.make(30, seed=8)
    turned = made.evidence["none"].assign(
        role=made.evidence["none"]["role"].replace(
            {"stereotype": "antistereotype", "antistereotype": "stereotype"}
        )
    )
    n, everyone = len(made.pairs), sparse.csr_array(np.ones((1, len(made.pairs))))
    one, other = (
        next(
            null_scores(
                lexicons_of(made.pairs, {"none": rows}),
                [("AUL", "corrected")],
                np.ones((n, 1)),
                np.zeros((n, 1), bool),
                everyone,
                40,
                1,
            )
        )[1]
        for rows in (made.evidence["none"], turned)
    )
    np.testing.assert_allclose(one, 100 - other)


def test_a_band_has_the_middle_of_the_draws() -> None:
    drawn = np.array([float(i) for i in range(101)])
    found = band(50.0, drawn, 0.9)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((50, 5, 95))
    # 0 to 2, and the score itself, on either side
    assert band(2.0, drawn, 0.9).p == band(98.0, drawn, 0.9).p == pytest.approx(8 / 102)  # type: ignore[union-attr]
    # outside its band a score has a p below 1 - confidence (but for the score itself among the draws)
    for score in [*range(4), *range(5, 96), *range(97, 101)]:
        beside = band(float(score), drawn, 0.9)
        assert beside is not None and (beside.p > 0.1) == (5 <= score <= 95)
    assert band(float("nan"), drawn, 0.9) is None
    assert band(50.0, np.array([np.nan]), 0.9) is None


def planted_evidence(
    rng: np.random.Generator, pairs: int, context: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pairs "A n x" against "B n x" with few words A, B: token scores of their own, and `context` for A."""
    rows, texts = [], []
    of_word = {f"w{i}": score for i, score in enumerate(rng.normal(0, 1, 24))}
    for number in range(pairs):
        stereotype, antistereotype = f"w{rng.integers(12)}", f"w{12 + rng.integers(12)}"
        noise = rng.normal(0, 0.3, 2) + np.array([context, 0])
        texts.append((f"p{number}", f"{stereotype} rest", f"{antistereotype} rest"))
        for role, word, extra in zip(
            ("stereotype", "antistereotype"), (stereotype, antistereotype), noise, strict=True
        ):
            rows.append((f"p{number}", role, 0, 100, "[CLS]", True, -0.1))
            rows.append((f"p{number}", role, 1, int(word[1:]), word, False, of_word[word] + extra - 5))
            rows.append((f"p{number}", role, 2, 99, "rest", False, -1.0))
            rows.append((f"p{number}", role, 3, 101, "[SEP]", True, -0.1))
    names = ["pair_id", "role", "position", "token_id", "token", "special", "log_prob"]
    evidence = pd.DataFrame(rows, columns=names).assign(cross_log_prob=np.nan)
    made = pd.DataFrame(texts, columns=["pair_id", "stereotype", "antistereotype"])
    return made.assign(bias_type="planted", direction=None, target=None, writer=None), evidence


def test_a_planted_preference_is_beyond_words_and_words_are_not() -> None:
    """Where scores are of words alone the score lies in its band in about 95% of worlds, however far from
    50."""
    rng = np.random.default_rng(9)
    inside, shares = [], []
    for context in (0.0, 4.0):
        for _ in range(60 if context == 0 else 5):
            pairs, evidence = planted_evidence(rng, 150, context)
            scores = score_pairs(list(pairs["pair_id"]), {"none": evidence}, ["AUL"])
            table = bias_table(
                pairs,
                decisions(pairs, scores),
                options_with(draws=200),
                dependence_of(pairs, ["words"]),
                lexicons_of(pairs, {"none": evidence}),
            )
            row = table.query("grouping == 'overall' and protocol == 'corrected'").iloc[0]
            inside.append(row["null_low"] <= row["score"] <= row["null_high"])
            shares.append(row["score"])
            assert row["null_mean"] == pytest.approx(50, abs=5)
    assert np.std(shares[:60]) > 2 * 100 * 0.5 / np.sqrt(150)
    assert np.mean(inside[:60]) >= 0.85
    assert not any(inside[60:])


def test_leverage_is_that_of_leaving_pairs_out() -> None:
    made = synthetic.make(60, seed=10)
    scores = made.scores
    found = leverage_table(made.pairs, decisions(made.pairs, scores))
    assert set(found["rank"]) == set(range(1, WORDS_SHOWN + 1))
    of_words: dict[str, set[str]] = {}
    for _, pair in made.pairs.iterrows():
        for side in modified_words(pair["stereotype"], pair["antistereotype"]):
            for word in side:
                of_words.setdefault(word, set()).add(pair["pair_id"])
    worth = {"stereotype": 1.0, "tie": 0.5, "antistereotype": 0.0}

    def score_without(rows: pd.DataFrame, left_out: set[str]) -> float:
        kept = rows[~rows["pair_id"].isin(left_out) & (rows["outcome"] != "undefined")]
        return 100 * float(np.mean([worth[outcome] for outcome in kept["outcome"]]))

    for name in ("AUL", "SSS"):
        rows = scores[(scores["measure"] == name) & (scores["protocol"] == "corrected")]
        own = found[(found["measure"] == name) & (found["protocol"] == "corrected")]
        score = score_without(rows, set())
        gone: set[str] = set()
        moves = []
        for row in rows_of(own):
            assert row.score == pytest.approx(score) and row.pairs == len(of_words[row.word])
            assert row.without == pytest.approx(score_without(rows, of_words[row.word]))
            gone |= of_words[row.word]
            assert row.without_all == pytest.approx(score_without(rows, gone))
            moves.append(row.without - score)
        toward = np.array(moves) * (1 if score < 50 else -1)
        assert (np.diff(toward) <= 1e-9).all() and toward[0] > 0
        best = max(
            (score_without(rows, own_pairs) - score) * (1 if score < 50 else -1)
            for own_pairs in of_words.values()
        )
        assert toward[0] == pytest.approx(best)


def test_how_many_pairs_come_at_once_changes_nothing() -> None:
    made = synthetic.make(30, seed=11)
    evidence = {"none": made.evidence["none"]}
    whole, in_parts = (
        lexicons_of(made.pairs, evidence, at_once).pop(("AUL", "corrected")) for at_once in (30, 7)
    )
    np.testing.assert_allclose(whole.weights.toarray(), in_parts.weights.toarray())
    np.testing.assert_allclose(whole.scores, in_parts.scores)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_rounding_ties_in_the_model_it_ties_in_the_null(protocol: str) -> None:
    made = synthetic.make(40, seed=12)
    everyone, lexicons = (
        sparse.csr_array(np.ones((1, 40))),
        lexicons_of(made.pairs, {"none": made.evidence["none"]}),
    )
    ties = np.arange(40)[:, None] < 10
    [(_, found)] = null_scores(lexicons, [("AUL", protocol)], np.ones((40, 1)), ties, everyone, 60, 3)
    others = sparse.csr_array(np.ones((1, 40)) * ~ties.T)
    [(_, of_others)] = null_scores(
        lexicons_of(made.pairs, {"none": made.evidence["none"]}),
        [("AUL", protocol)], np.ones((40, 1)), np.zeros((40, 1), bool), others, 60, 3,
    )  # fmt: skip
    worth = 0.0 if protocol == "published" else 0.5
    np.testing.assert_allclose(found, (10 * 100 * worth + 30 * of_others) / 40, rtol=1e-6)


def test_the_null_of_a_network_whose_numbers_are_rounded_alike_is_as_low_as_its_score() -> None:
    """CPS in `published` rounds to three decimals: margins of a ten-thousandth tie."""
    rng = np.random.default_rng(5)
    made = synthetic.make(200, seed=13)
    tokens = made.evidence["one-shared"].assign(token_id=lambda rows: rows["position"])
    kept = tokens[tokens.groupby(["pair_id", "token_id"])["role"].transform("nunique") == 2]
    near = kept.assign(log_prob=-2 + rng.normal(0, 2e-4, len(kept)))
    scores = score_pairs(list(made.pairs["pair_id"]), {"one-shared": near}, ["CPS"])
    lexicons = Lexicons(made.pairs, ["CPS"])
    lexicons.add(made.pairs, {"one-shared": near})
    table = bias_table(
        made.pairs,
        decisions(made.pairs, scores),
        options_with(draws=200),
        Dependence.of([()] * 200),
        lexicons,
    )
    rows = table.query("grouping == 'overall'").set_index("protocol")
    tied: Any = rows.loc["published", "tie"]
    assert 40 < tied < 160
    assert rows.loc["published", "null_mean"] == pytest.approx(50 * (1 - tied / 200), abs=3)
    assert rows.loc["corrected", "null_mean"] == pytest.approx(50, abs=3)


def test_the_null_of_adv_less_dis_has_its_sign() -> None:
    """Where lengths decide every draw, against the stereotype in Adv and for it in Dis, it is -100."""
    n = 60
    pairs = pd.DataFrame(
        {
            "pair_id": [f"p{i}" for i in range(n)], "bias_type": "planted",
            "stereotype": "x", "antistereotype": "y", "target": None, "writer": None,
            "direction": ["antistereo", "stereo", "stereo"] * 20,
        }
    )  # fmt: skip
    rows = []
    for i in range(n):
        adv = i % 3 == 0
        # Adv: every stereotype longer by a token; in a sum of numbers below zero it always loses. Dis:
        # always wins
        for role, size in (("stereotype", 3 if adv else 1), ("antistereotype", 1 if adv else 3)):
            rows += [(f"p{i}", role, place, place + 1, -2.0 - place) for place in range(size)]
    names = ["pair_id", "role", "position", "token_id", "log_prob"]
    evidence = pd.DataFrame(rows, columns=names).assign(special=False, cross_log_prob=np.nan)
    scores = score_pairs(list(pairs["pair_id"]), {"all": evidence}, ["AllMaskedSum"])
    lexicons = Lexicons(pairs, ["AllMaskedSum"])
    lexicons.add(pairs, {"all": evidence})
    table = (
        bias_table(
            pairs, decisions(pairs, scores), options_with(draws=100), Dependence.of([()] * n), lexicons
        )
        .query("protocol == 'corrected'")
        .set_index("group")
    )
    assert table.loc["antistereo", "null_mean"] == 0 and table.loc["stereo", "null_mean"] == 100
    difference: Any = table.loc["difference"]
    assert difference["null_mean"] == difference["score"] == -100


def test_what_no_word_tells_apart_has_no_null() -> None:
    pairs = pd.DataFrame(
        {"pair_id": ["p0", "p1"], "bias_type": "b",
         "stereotype": ["a b", "a!"], "antistereotype": ["b a", "a?"],
         "direction": None, "target": None, "writer": None}
    )  # fmt: skip
    rows = [(pair, role, 0, 5, -1.0 - number) for number, (pair, role) in enumerate(
        itertools.product(("p0", "p1"), ("stereotype", "antistereotype")))]  # fmt: skip
    evidence = pd.DataFrame(rows, columns=["pair_id", "role", "position", "token_id", "log_prob"])
    evidence = evidence.assign(special=False, cross_log_prob=np.nan)
    scores = score_pairs(["p0", "p1"], {"one-shared": evidence}, ["CPS"])
    lexicons = Lexicons(pairs, ["CPS"])
    lexicons.add(pairs, {"one-shared": evidence})
    table = bias_table(
        pairs, decisions(pairs, scores), options_with(draws=100), Dependence.of([()] * 2), lexicons
    )
    assert table["score"].notna().all() and table["null_mean"].isna().all()


def test_a_model_without_any_preference_is_beyond_nothing() -> None:
    made = synthetic.make(30, seed=14)
    flat = made.evidence["none"].assign(log_prob=-1.0)
    scores = score_pairs(list(made.pairs["pair_id"]), {"none": flat.assign(cross_log_prob=np.nan)}, ["AUL"])
    table = bias_table(
        made.pairs, decisions(made.pairs, scores), options_with(draws=100), Dependence.of([()] * 30),
        lexicons_of(made.pairs, {"none": flat}),
    )  # fmt: skip
    assert set(table.query("protocol == 'published' and grouping == 'overall'")["score"]) == {0.0}
    published = table.query("protocol == 'published' and grouping == 'overall'")
    assert not (verdicts(published) == BEYOND).any()


def test_words_have_their_marks() -> None:
    assert words("cafe\u0301 Café") == ["café", "café"]
    assert len(words("हिन्दी की लड़की")) == 3
