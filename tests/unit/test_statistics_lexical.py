"""The lexical null against a slow one, and what it must and must not find; the leverage of words."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom

import synthetic
from study_schema import MEASURES, options_with
from unmask.measures.registry import measure
from unmask.measures.scoring import score_pairs
from unmask.pairs.verdicts import BY_WORDS, CLEAR, UNDECIDED, verdicts
from unmask.report.sheets import rows_of
from unmask.statistics import lexical
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.leverage import WORDS_SHOWN, leverage_table
from unmask.statistics.lexical import (
    MOST_TIMES,
    Groups,
    LexiconAccumulator,
    LexiconPart,
    Lexicons,
    band,
    lexicon,
    lexicon_part,
    null_scores,
)
from unmask.statistics.shared_words import dependence_of
from unmask.terms import PROTOCOLS
from unmask.words import modified_words, words_of

WEIGHTED = [name for name in MEASURES if name != "CPS"]


def lexicons_of(pairs: pd.DataFrame, evidence: dict[str, pd.DataFrame], at_once: int = 1000) -> Lexicons:
    """Those of AUL, from so many pairs at once."""
    found = Lexicons(pairs, ["AUL"])
    for start in range(0, len(pairs), at_once):
        some = pairs.iloc[start : start + at_once]
        of_some = {m: rows[rows["pair_id"].isin(some["pair_id"])] for m, rows in evidence.items()}
        found.add(some, of_some)
    return found


def accumulated(part: LexiconPart) -> LexiconAccumulator:
    accumulator = LexiconAccumulator()
    accumulator.add(part)
    return accumulator


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
    found = lexicon(made.pairs, accumulated(part))
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
    found = lexicon(made.pairs, accumulated(part))
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
    n, everyone = len(made.pairs), Groups(sparse.csr_array(np.ones((1, len(made.pairs)))))
    [(number, found)] = null_scores(
        lexicons_of(made.pairs, evidence),
        [("AUL", protocol)],
        np.ones((n, 1)),
        np.zeros((n, 1), bool),
        everyone,
        draws=8,
        seed=7,
    )
    assert number == 0 and [drawn.shape for drawn in found] == [(8,)]
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
    members = Groups(
        sparse.csr_array(np.array([[1.0] * 30, [1.0] * 20 + [0.0] * 10, [0.0] * 20 + [1.0] * 10]))
    )
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
    n, everyone = len(made.pairs), Groups(sparse.csr_array(np.ones((1, len(made.pairs)))))
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
    np.testing.assert_allclose(one, 100 - np.array(other))


def test_a_band_has_the_middle_of_the_draws() -> None:
    drawn = np.array([float(i) for i in range(101)])
    found = band(50.0, drawn, 0.9)
    assert found is not None
    # the least and the most that have a p of a tenth or more themselves
    assert (found.mean, found.low, found.high, found.draws) == pytest.approx((50, 4, 96, 101))
    # 0 to 2, and the score itself, on either side
    assert band(2.0, drawn, 0.9).p == band(98.0, drawn, 0.9).p == pytest.approx(8 / 102)  # type: ignore[union-attr]
    # outside its band, and only there, a score has a p below 1 - confidence
    for score in range(101):
        beside = band(float(score), drawn, 0.9)
        assert beside is not None and (beside.p >= 0.1) == (4 <= score <= 96)
    assert band(float("nan"), drawn, 0.9) is None
    assert band(50.0, np.array([np.nan]), 0.9) is None


def literal_p(score: float, drawn: list[float]) -> float:
    """Twice the share at the score or beyond it, on the side that has fewer, the score among the draws."""
    below = 1 + sum(1 for each in drawn if each <= score or math.isclose(each, score, rel_tol=1e-9))
    above = 1 + sum(1 for each in drawn if each >= score or math.isclose(each, score, rel_tol=1e-9))
    return min(1.0, 2 * min(below, above) / (1 + len(drawn)))


def literal_binomial(successes: int, trials: int, share: Fraction) -> Fraction:
    """The probability of at most so many successes, term by term."""
    return sum(
        (
            math.comb(trials, each) * share**each * (1 - share) ** (trials - each)
            for each in range(successes + 1)
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("count", [99, 100, 199, 237, 400, 999])
@pytest.mark.parametrize("pairs", [3, 40, 1000])
def test_the_verdict_the_band_and_p_are_one_rule(confidence: float, count: int, pairs: int) -> None:
    """Whatever ties there are, rounded as a mean of float32 may be."""
    rng = np.random.default_rng(count)
    drawn = 100 * rng.binomial(pairs, 0.5, count) / pairs * (1 + 1e-14 * rng.integers(-3, 4, count))
    scores = 100 * np.arange(pairs + 1) / pairs
    # beyond all draws nothing changes any more
    scores = scores[(np.abs(scores - 50) <= np.abs(drawn - 50).max() + 200 / pairs) | (scores % 100 == 0)]
    bands = [band(float(score), drawn, confidence) for score in scores]
    rows = pd.DataFrame({"measure": "AUL", "grouping": "overall", "score": scores, "low": 0.0, "high": 0.1})
    rows["null_low"] = [beside.low for beside in bands if beside]
    rows["null_high"] = [beside.high for beside in bands if beside]
    seen = verdicts(rows.assign(null_undecided=False, unanimous_low=np.nan, neutral=50.0))
    for score, beside, verdict in zip(scores, bands, seen, strict=True):
        assert beside is not None
        assert beside.p == pytest.approx(literal_p(float(score), drawn.tolist()), rel=1e-12)
        # 1 - 0.8 is a little more than a fifth
        significant = beside.p < 1 - confidence - 1e-9
        # too few draws can say nothing
        if 2 / (1 + count) < 1 - confidence - 1e-9:
            assert (verdict == CLEAR) == significant
        else:
            assert not significant and beside.undecided
    if pairs > 3 and count > 400:
        assert set(seen) == {CLEAR, BY_WORDS}


@pytest.mark.parametrize(("count", "confidence"), [(100, 0.9), (400, 0.95), (1000, 0.95)])
def test_open_is_what_the_binomial_distribution_leaves_open(count: int, confidence: float) -> None:
    """A share of draws beyond the score that is neither too small nor too large for one of the tail."""
    tail, doubt = Fraction(1 - confidence).limit_denominator(1000) / 2, 0.0013498980316301
    drawn = np.arange(float(count))
    for below in range(min(3 * int(count * tail) + 20, count // 2)):
        beside = band(below - 0.5, drawn, confidence)
        assert beside is not None
        at_most = literal_binomial(below, count, tail)
        at_least = 1 - (literal_binomial(below - 1, count, tail) if below else 0)
        assert beside.undecided == (at_most >= doubt and at_least >= doubt)


class OpenFor:
    """Asks for more draws of one group of one series until it has so many."""

    def __init__(self, number: int, group: int, until: int) -> None:
        self.wanted, self.until = (number, group), until

    def __call__(self, number: int, group: int, drawn: Any) -> bool:
        return (number, group) == self.wanted and len(drawn) < self.until


def drawn_on(made: synthetic.Synthetic, undecided: OpenFor | None, **more: Any) -> list[list[Any]]:
    """The nulls of AUL in both protocols, over three groups and the difference of the last two."""
    members = np.zeros((3, 30))
    members[0], members[1, :12], members[2, 12:] = 1, 1, 1
    found = dict(
        null_scores(
            lexicons_of(made.pairs, {"none": made.evidence["none"]}),
            [("AUL", "published"), ("AUL", "corrected")],
            np.ones((30, 2)),
            np.zeros((30, 2), bool),
            Groups(sparse.csr_array(members), [(1, 2)]),
            50,
            4,
            **({} if undecided is None else {"undecided": undecided}),
        )
    )
    return [found[number] for number in range(2)]


@pytest.mark.parametrize("group", range(4))
@pytest.mark.parametrize(("until", "count"), [(51, 100), (400, 400), (401, 800), (10**9, 800)])
def test_what_is_open_is_drawn_on_and_nothing_else(group: int, until: int, count: int) -> None:
    """The first draws are those of a study that draws no more; the later ones those of one that has drawn as
    many from the start; and no other number changes."""
    made = synthetic.make(30, seed=15)
    plain, more = drawn_on(made, None), drawn_on(made, OpenFor(1, group, until))
    for number, of_group in itertools.product(range(2), range(4)):
        drawn = more[number][of_group]
        np.testing.assert_array_equal(drawn[:50], plain[number][of_group])
        assert len(drawn) == (count if (number, of_group) == (1, group) else 50)
    everyone = np.ones((1, 30))
    [(_, [at_once])] = null_scores(
        lexicons_of(made.pairs, {"none": made.evidence["none"]}),
        [("AUL", "corrected")],
        np.ones((30, 1)),
        np.zeros((30, 1), bool),
        Groups(sparse.csr_array(everyone)),
        count,
        4,
    )
    if group == 0:
        np.testing.assert_array_equal(more[1][0], at_once)


def test_how_many_are_drawn_at_once_changes_nothing_of_what_is_drawn_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = synthetic.make(30, seed=16)
    whole = drawn_on(made, OpenFor(0, 3, 300))
    monkeypatch.setattr(lexical, "MARGINS_AT_ONCE", 700)
    in_parts = drawn_on(made, OpenFor(0, 3, 300))
    for number, group in itertools.product(range(2), range(4)):
        np.testing.assert_array_equal(whole[number][group], in_parts[number][group])
    assert len(whole[0][3]) == 400
    # the difference is that of the two groups, draw by draw
    np.testing.assert_allclose(whole[1][3], whole[1][1] - whole[1][2])


def near_the_end(pairs: int, share: float, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Pairs, evidence under `none` and `all`, and decisions of AUL, All-Masked for `share` of the pairs.

    Every pair is a single token of its own type against another: the null is binomial.
    """
    rng = np.random.default_rng(seed)
    names = [f"p{i}" for i in range(pairs)]
    table = pd.DataFrame({
        "pair_id": names, "bias_type": ["even", "odd"] * (pairs // 2), "direction": None, "target": None,
        "writer": None, "stereotype": [f"a{i}" for i in range(pairs)],
        "antistereotype": [f"b{i}" for i in range(pairs)],
    })  # fmt: skip
    rows = [
        (name, role, 0, 2 * i + side, float(rng.normal()))
        for i, name in enumerate(names)
        for side, role in enumerate(("stereotype", "antistereotype"))
    ]
    evidence = pd.DataFrame(rows, columns=["pair_id", "role", "position", "token_id", "log_prob"])
    scores = pd.DataFrame([
        {"pair_id": name, "measure": measure_, "protocol": "corrected", "margin": 1.0 if up else -1.0,
         **dict.fromkeys(("outcome", "lowest", "highest"), "stereotype" if up else "antistereotype")}
        for measure_ in ("AUL", "AllMasked") for i, name in enumerate(names)
        for up in [i < round(share * pairs)]
    ])  # fmt: skip
    return table, evidence.assign(special=False, cross_log_prob=np.nan), scores


def test_only_what_a_verdict_depends_on_is_drawn_on() -> None:
    """A score near an end of its band, whose interval leaves out 50: not one whose interval contains it, nor
    that of a control."""
    n = 400
    # 1.96 standard deviations of 2.5 points
    pairs, evidence, scores = near_the_end(n, 0.55, 17)
    lexicons = Lexicons(pairs, ["AUL", "AllMasked"])
    lexicons.add(pairs, {"none": evidence, "all": evidence})
    table = bias_table(
        pairs, decisions(pairs, scores), options_with(draws=400), Dependence.of([()] * n), lexicons
    ).set_index(["measure", "group"])
    alone: Any = table.loc[("AUL", "all")]
    assert alone["low"] > 50 and alone["null_draws"] > 400
    control: Any = table.loc[("AllMasked", "all")]
    assert control["low"] > 50 and control["null_draws"] == 400 and control["null_undecided"]
    assert set(table["null_draws"]) <= {400 * 2**i for i in range(5)}


@pytest.mark.parametrize(("share", "verdict"), [(0.55, UNDECIDED), (0.6, CLEAR)])
def test_a_score_at_the_end_of_its_band_stays_undecided(share: float, verdict: str) -> None:
    n = 400
    pairs, evidence, scores = near_the_end(n, share, 18)
    lexicons = Lexicons(pairs, ["AUL"])
    lexicons.add(pairs, {"none": evidence})
    # 220 of 400 pairs are exactly at the end: its true p is 1 - confidence
    options = options_with(draws=400, confidence=1 - 2 * float(binom.sf(219, n, 0.5)))
    own = scores[scores["measure"] == "AUL"]
    table = bias_table(pairs, decisions(pairs, own), options, Dependence.of([()] * n), lexicons).iloc[[0]]
    assert table["low"].item() > 50
    assert verdicts(table).tolist() == [verdict]
    assert table["null_draws"].item() == (400 * MOST_TIMES if verdict == UNDECIDED else 400)
    assert table["null_undecided"].item() == (verdict == UNDECIDED)


def test_an_unknown_number_is_that_of_no_type() -> None:
    """A pair with a nan is undefined, in the null as for the model; its types have the means of what is
    known, and no draw is nan for another pair."""
    made = synthetic.make(40, seed=19)
    # under the protocol published of SSS
    evidence = made.evidence["modified"].assign(cross_log_prob=lambda rows: rows["log_prob"])
    names = sorted(set(evidence["pair_id"]))
    gone = evidence["pair_id"].isin(names[:8]) & (evidence["role"] == "stereotype")
    evidence = evidence.assign(cross_log_prob=evidence["cross_log_prob"].mask(gone))
    series = ("SSS", "published")
    scores = score_pairs(list(made.pairs["pair_id"]), {"modified": evidence}, ["SSS"])
    found = decisions(made.pairs, scores)
    column = found.series.index(series)
    undefined = np.isnan(found.margin[:, column])
    # these eight, and one that lacks modified tokens on a side
    assert undefined.sum() == 9

    part = lexicon_part(made.pairs, measure("SSS").formula({"modified": evidence}, "published"))
    own = lexicon(made.pairs, accumulated(part))
    assert not np.isnan(own.scores).any() and not np.isnan(own.weights.data).any()
    assert not own.weights[np.flatnonzero(made.pairs["pair_id"].isin(names[:8]))].nnz
    known = evidence[evidence["cross_log_prob"].notna() & (evidence["role"] != "unrelated")]
    np.testing.assert_allclose(
        own.scores, known.groupby("token_id")["cross_log_prob"].mean().to_numpy(), rtol=1e-6
    )

    lexicons = Lexicons(made.pairs, ["SSS"])
    lexicons.add(made.pairs, {"modified": evidence})
    table = (
        bias_table(made.pairs, found, options_with(draws=200), Dependence.of([()] * 40), lexicons)
        .query("grouping == 'overall'")
        .set_index("protocol")
    )
    # in published an undefined pair is no vote for the stereotype, whatever its words
    published: Any = table.loc["published"]
    assert published["undefined"] == undefined.sum()
    share = float(undefined.mean())
    assert published["null_mean"] == pytest.approx(50 * (1 - share), abs=3)
    assert published["null_high"] <= 100 * (1 - share)
    assert table.loc["corrected", "null_mean"] == pytest.approx(50, abs=3)


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
        Groups(sparse.csr_array(np.ones((1, 40)))),
        lexicons_of(made.pairs, {"none": made.evidence["none"]}),
    )
    ties = np.arange(40)[:, None] < 10
    [(_, [found])] = null_scores(lexicons, [("AUL", protocol)], np.ones((40, 1)), ties, everyone, 60, 3)
    others = Groups(sparse.csr_array(np.ones((1, 40)) * ~ties.T))
    [(_, [of_others])] = null_scores(
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
    assert not (verdicts(published) == CLEAR).any()


def test_words_have_their_marks() -> None:
    assert words_of("cafe\u0301 Café") == ["café", "café"]
    assert words_of("काला की काली") == ["काला", "की", "काली"]
