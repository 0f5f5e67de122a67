"""Bias scores against a literal reading of their definition, and what must not change them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import norm
from scipy.stats import t as student

import synthetic
from library import (
    InputError,
    Sharing,
    bias_table,
    decisions,
    proportion,
    sharing_of,
    wilson,
)
from study_schema import options_with

FEW = options_with(draws=100, seed=3)


def made_table(
    pairs: pd.DataFrame, scores: pd.DataFrame, options: dict[str, Any] = FEW, **more: Any
) -> pd.DataFrame:
    sharing = sharing_of(pairs, options["clusters"])
    return bias_table(pairs, decisions(pairs, scores), options, sharing, **more)


def row_of(table: pd.DataFrame, measure: str, protocol: str, grouping: str, group: str) -> dict[str, float]:
    keys = {"measure": measure, "protocol": protocol, "grouping": grouping, "group": group}
    (row,) = table[np.logical_and.reduce([table[key] == value for key, value in keys.items()])].to_dict(
        "records"
    )
    return row  # type: ignore[return-value]


def literal_score(outcomes: list[str], protocol: str) -> float:
    """The definition, one pair after the other."""
    credit, trials = 0.0, 0
    for outcome in outcomes:
        if protocol == "published" or outcome != "undefined":
            trials += 1
            credit += {"stereotype": 1.0, "tie": 0.5 * (protocol == "corrected")}.get(outcome, 0.0)
    return 100 * credit / trials if trials else float("nan")


def outcomes_of(made: synthetic.Synthetic, measure: str, protocol: str) -> dict[str, tuple[str, float]]:
    rows = made.scores[(made.scores["measure"] == measure) & (made.scores["protocol"] == protocol)]
    return {
        pair: (outcome, margin)
        for pair, outcome, margin in zip(rows["pair_id"], rows["outcome"], rows["margin"], strict=True)
    }


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize("measure", ["AUL", "CPS"])
def test_every_group_has_the_literal_score(measure: str, protocol: str) -> None:
    made = synthetic.make(150, seed=1)
    table = made_table(made.pairs, made.scores)
    found = outcomes_of(made, measure, protocol)
    groups = [("overall", "all", list(made.pairs["pair_id"]))]
    for column in ("bias_type", "direction"):
        for value in set(made.pairs[column]):
            members = [
                p for p, v in zip(made.pairs["pair_id"], made.pairs[column], strict=True) if v == value
            ]
            groups.append((column, value, members))
    for grouping, group, members in groups:
        row = row_of(table, measure, protocol, grouping, group)
        outcomes = [found[pair][0] for pair in members]
        assert row["score"] == pytest.approx(literal_score(outcomes, protocol))
        assert row["n"] == len(members)
        for outcome in ("stereotype", "antistereotype", "tie", "undefined"):
            assert row[outcome] == outcomes.count(outcome)
        margins = [found[pair][1] for pair in members if not math.isnan(found[pair][1])]
        assert row["margin"] == pytest.approx(sum(margins) / len(margins))
        near = [0 < abs(found[pair][1]) <= synthetic.NEAR for pair in members]
        assert row["near_ties"] == sum(near)
    adv = row_of(table, measure, protocol, "direction", "antistereo")["score"]
    dis = row_of(table, measure, protocol, "direction", "stereo")["score"]
    difference = row_of(table, measure, protocol, "difference", "difference")
    assert difference["score"] == pytest.approx(adv - dis)


def literal_variance(
    values: list[float], nodes: list[set[str]], weights: list[float], groups: list[int]
) -> tuple[float, float, float]:
    """Variance, that of independent pairs, and degrees of freedom of Σ weights · values, in matrices: the
    moments of clustered residuals."""
    n = len(values)
    together = np.array([[float(i == j or bool(nodes[i] & nodes[j])) for j in range(n)] for i in range(n)])
    means = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if groups[i] == groups[j]:
                means[i, j] = 1 / groups.count(groups[i])
    left = np.eye(n) - means
    c = np.diag(weights)
    residuals = left @ np.array(values)
    plain, sandwich = c @ c, c @ together @ c
    expected = [
        [np.trace(form @ left @ covariance @ left) for covariance in (np.eye(n), together)]
        for form in (plain, sandwich)
    ]
    a, b = np.linalg.solve(expected, [residuals @ form @ residuals for form in (plain, sandwich)])
    core = left @ sandwich @ left
    independent = (residuals @ plain @ residuals) * np.trace(plain) / expected[0][0]
    variance = max(a * np.trace(plain) + b * sandwich.sum(), 0.75 * independent)
    return float(variance), float(independent), float(np.trace(core) ** 2 / np.trace(core @ core))


def literal_interval(values: list[float], nodes: list[set[str]]) -> tuple[float, float, float, float]:
    """The 95% interval of a share, and that of its residuals alone, by solving what defines them."""
    n, p = len(values), float(np.mean(values))
    together = np.array([[float(i == j or bool(nodes[i] & nodes[j])) for j in range(n)] for i in range(n)])
    variance, independent, df = literal_variance(values, nodes, [1 / n] * n, [0] * n)
    largest, t = together.sum() / n, student.ppf(0.975, df)
    rarer = min(
        sum(side) ** 2 / (side @ together @ side) if sum(side) else 0.0
        for side in (np.array(values), 1 - np.array(values))
    )
    # but for rounding
    alike = independent < 1e-20
    effect = largest if alike else variance / independent

    def ends_with(effect: float) -> list[float]:
        def distance(end: float) -> float:
            return float(abs(p - end) - t * math.sqrt(end * (1 - end) * effect / n))

        return [
            0.0 if p == 0 else brentq(distance, 1e-15, p - 1e-12),
            1.0 if p == 1 else brentq(distance, p + 1e-12, 1 - 1e-15),
        ]

    alone, edges = ends_with(effect), ends_with(max(effect, largest))
    size = n / max(effect, largest) * (norm.ppf(0.975) / t) ** 2
    if 0 < p <= 0.5:
        edges[0] = brentq(lambda x: betainc(p * size, (1 - p) * size + 1, x) - 0.025, 0, 1)
    if 0.5 <= p < 1:
        edges[1] = brentq(lambda x: betainc(p * size + 1, (1 - p) * size, x) - 0.975, 0, 1)
    few = min(20, n / largest)
    edge = (1 - 4 * p * (1 - p)) * max(0, 1 - max(0, rarer - 1) / (few - 1)) ** 2
    low = min(alone[0], (1 - edge) * alone[0] + edge * edges[0])
    high = max(alone[1], (1 - edge) * alone[1] + edge * edges[1])
    if alike:
        alone = [p, p]
    return low, high, *alone


def literal_excess(values: list[float], nodes: list[set[str]], is_adv: list[bool]) -> tuple[float, float]:
    """By how much what Adv - Dis reaches to, squared, in points, exceeds what residuals say: below, above."""
    reaches = []
    for wanted in (True, False):
        own = [i for i, adv in enumerate(is_adv) if adv == wanted]
        p = np.mean([values[i] for i in own])
        ends = literal_interval([values[i] for i in own], [nodes[i] for i in own])
        low, high, low_alone, high_alone = (10_000 * (end - p) ** 2 for end in ends)
        reaches.append((max(0.0, float(low - low_alone)), max(0.0, float(high - high_alone))))
    adv, dis = reaches
    return adv[0] + dis[1], adv[1] + dis[0]


@pytest.mark.parametrize(("measure", "unanimous"), [("AUL", False), ("SSS", False), ("AUL", True)])
def test_intervals_are_those_of_the_written_out_variance(measure: str, unanimous: bool) -> None:
    """A difference is no surer than the scores of Adv, which may be unanimous, and of Dis."""
    made, rng = synthetic.make(60, seed=2), np.random.default_rng(0)
    adv = made.pairs.loc[made.pairs["direction"] == "antistereo", "pair_id"]
    decided = made.scores["pair_id"].isin(adv) & (made.scores["outcome"] != "undefined")
    made.scores.loc[decided & unanimous, "outcome"] = "stereotype"
    words = [{str(word) for word in rng.choice(20, size=2)} for _ in range(60)]
    texts = [" ".join(sorted(own)) for own in words]
    pairs = made.pairs.assign(stereotype=texts, antistereotype="-", target=None)
    table = made_table(pairs, made.scores, options_with(clusters=("words",)))
    assert set(table["clusters"]) == {"words"}
    found = outcomes_of(made, measure, "corrected")
    kept = [i for i in range(60) if found[f"p{i}"][0] != "undefined"]
    values = [literal_score([found[f"p{i}"][0]], "corrected") / 100 for i in kept]
    nodes, n = [words[i] for i in kept], len(kept)
    weights, group = [1 / n] * n, [0] * n
    variance, independent, df = literal_variance(values, nodes, weights, group)
    row = row_of(table, measure, "corrected", "overall", "all")
    assert independent == pytest.approx(np.var(values, ddof=1) / n)
    assert (row["design_effect"], row["df"]) == pytest.approx((variance / independent, df))
    low, high, *_ = literal_interval(values, nodes)
    assert [row["low"], row["high"]] == pytest.approx([100 * low, 100 * high], abs=1e-6)

    margins = [found[f"p{i}"][1] for i in kept]
    variance, _, df = literal_variance(margins, nodes, weights, group)
    reach = student.ppf(0.975, df) * math.sqrt(variance)
    ends = [np.mean(margins) - reach, np.mean(margins) + reach]
    assert [row["margin_low"], row["margin_high"]] == pytest.approx(ends)

    is_adv = np.array([made.pairs["direction"][i] == "antistereo" for i in kept])
    weights = np.where(is_adv, 100 / is_adv.sum(), -100 / (~is_adv).sum()).tolist()
    variance, _, df = literal_variance(values, nodes, weights, (~is_adv).astype(int).tolist())
    row = row_of(table, measure, "corrected", "difference", "difference")
    difference = float(np.array(weights) @ values)
    assert row["score"] == pytest.approx(difference)
    below, above = literal_excess(values, nodes, is_adv.tolist())
    t = student.ppf(0.975, df)
    assert row["score"] - row["low"] == pytest.approx(math.sqrt(t**2 * variance + below))
    assert row["high"] - row["score"] == pytest.approx(math.sqrt(t**2 * variance + above))
    error = math.sqrt(variance + (below if difference > 0 else above) / t**2)
    assert row["p"] == pytest.approx(2 * student.sf(abs(difference) / error, df))


def grouped(
    clusters: list[int],
    outcomes: list[str],
    directions: Sequence[str] | None = None,
    protocol: str = "corrected",
    confidence: float = 0.95,
) -> Any:
    """The overall row of pairs of these clusters that share one word, and so decided; with directions the
    row of their difference."""
    ids = [f"p{i}" for i in range(len(clusters))]
    scores = pd.DataFrame({"pair_id": ids, "margin": np.arange(len(ids)) + 1.0, "outcome": outcomes}).assign(
        measure="AUL", protocol=protocol, lowest=outcomes, highest=outcomes
    )
    pairs = pd.DataFrame({"pair_id": ids, "bias_type": "any", "direction": directions})
    for name in ("target", "writer", "unrelated"):
        pairs[name] = None
    sharing = Sharing.of([{cluster} for cluster in clusters])
    options = options_with(clusters=(), confidence=confidence)
    table = bias_table(pairs, decisions(pairs, scores), options, sharing)
    return table[table["grouping"] == ("overall" if directions is None else "difference")].iloc[0]


@pytest.mark.parametrize("side", ["stereotype", "antistereotype"])
@pytest.mark.parametrize(("clusters", "pairs"), [(2, 24), (4, 2), (5, 24), (12, 2)])
def test_a_unanimous_group_is_worth_its_clusters(side: str, clusters: int, pairs: int) -> None:
    codes = [cluster for cluster in range(clusters) for _ in range(pairs)]
    row = grouped(codes, [side] * len(codes))
    low, high, *_ = literal_interval(
        [float(side == "stereotype")] * len(codes), [{str(code)} for code in codes]
    )
    assert [row["low"], row["high"]] == pytest.approx([100 * low, 100 * high])
    assert row["design_effect"] == pytest.approx(pairs)
    # what like decisions on all pairs would give is stated whatever they are
    mixed = grouped(codes, ["stereotype", "antistereotype"] * (len(codes) // 2))
    if side == "stereotype":
        assert mixed["unanimous_low"] == pytest.approx(row["unanimous_low"]) == row["low"]


def scored(score: float, n: int, effect: float, largest: float, rarer: float, df: float) -> pd.DataFrame:
    """What `contrast` says of decisions; effect: nan where they are all alike."""
    independent = 0.0 if math.isnan(effect) else 1.0
    numbers = {"estimate": score, "n": n, "clustered": effect * independent, "independent": independent}
    return pd.DataFrame([numbers | {"df": df, "largest": largest, "rarer": rarer}])


def ends_of(rows: pd.DataFrame, confidence: float = 0.95, neutral: float = 0.5) -> tuple[float, float]:
    found = proportion(rows, confidence, neutral).iloc[0]
    return float(found["low"]), float(found["high"])


def test_rounding_loses_no_interval() -> None:
    one = ends_of(scored(0.9, 40, 2.0, 4.0, 2.0, 1.0))
    for df in (1 - 1e-15, 1 - 1e-12):
        assert ends_of(scored(0.9, 40, 2.0, 4.0, 2.0, df)) == one and not np.isnan(one).any()
    for n, df, largest in ((0, 5.0, 1.0), (9, 0.9, 1.0), (9, 5.0, math.nan)):
        assert proportion(scored(0.7, n, 1.0, largest, 1.0, df), 0.95)[["low", "p"]].isna().all(axis=None)


def bisected_p(rows: pd.DataFrame, neutral: float) -> float:
    """1 less the confidence at which an interval ends at the score of no preference, by trying
    confidences."""
    least, most = 0.0, 1.0
    for _ in range(40):
        confidence = (least + most) / 2
        low, high = ends_of(rows, confidence, neutral)
        least, most = (least, confidence) if low <= 100 * neutral <= high else (confidence, most)
    return 1 - (least + most) / 2


@settings(max_examples=15)
@given(
    st.sampled_from([0.0, 0.02, 0.31, 0.45, 0.5, 0.503, 0.6, 0.75, 0.94, 1.0]),
    st.sampled_from([12, 60, 400]),
    st.sampled_from([0.75, 1.0, 3.0, 30.0, math.nan]),
    st.sampled_from([1.0, 2.5, 6.0]),
    st.sampled_from([1.0, 1.5, 4.0, 19.0, 300.0]),
    st.sampled_from([1.0, 2.3, 11.0, 200.0]),
    st.sampled_from([0.5, 0.5, 0.49, 0.3]),
)
def test_p_is_where_the_interval_reaches_no_preference(
    score: float, n: int, effect: float, largest: float, rarer: float, df: float, neutral: float
) -> None:
    rows = scored(score, n, effect, largest, rarer, df)
    p = proportion(rows, 0.95, neutral)["p"].item()
    # 1 less a confidence near 1 has few digits
    assert p == pytest.approx(bisected_p(rows, neutral), rel=1e-4, abs=1e-10)
    mirrored = proportion(rows.assign(estimate=1 - score), 0.95, 1 - neutral)
    assert mirrored["p"].item() == pytest.approx(p)
    for confidence in (0.9, 0.95, 0.99):
        low, high = ends_of(rows, confidence, neutral)
        assert (low <= 100 * neutral <= high) == (p >= 1 - confidence)


@pytest.mark.parametrize("others", [None, ["tie"] * 20, ["stereotype", "antistereotype"] * 10])
@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_pairs_that_all_tie_have_no_p_and_no_interval(protocol: str, others: list[str] | None) -> None:
    """Nor has the difference of such a score from any other."""
    ties, expected = ["tie"] * 20, 50 if protocol == "corrected" else 0
    if others is None:
        row = grouped([i // 2 for i in range(20)], ties, protocol=protocol)
    else:
        row = grouped(list(range(40)), ties + others, ["stereo"] * 20 + ["antistereo"] * 20, protocol)
        expected = 50 if protocol == "published" and "tie" not in others else 0
    assert row["score"] == expected and all(pd.isna(row[name]) for name in ("p", "low", "high"))


@pytest.mark.parametrize("left_out", ["undefined", "tie"])
@pytest.mark.parametrize(("stereotype", "antistereotype"), [(30, 30), (38, 22), (25, 35), (43, 17), (52, 8)])
def test_published_scores_are_judged_about_half_of_what_is_decided(
    left_out: str, stereotype: int, antistereotype: int
) -> None:
    """40 of 100 pairs count as not stereotypical whatever the model prefers: no preference is 30."""
    outcomes = ["stereotype"] * stereotype + ["antistereotype"] * antistereotype + [left_out] * 40
    outcomes = [outcomes[(7 * i) % 100] for i in range(100)]
    codes = [i // 2 for i in range(100)]
    row = grouped(codes, outcomes, protocol="published")
    assert row["score"] == pytest.approx(stereotype) and row["neutral"] == pytest.approx(30)

    assert (row["low"] <= 30 <= row["high"]) == (row["p"] >= 0.05)
    if stereotype == 30:
        assert row["p"] == 1
    else:
        other = grouped(codes, outcomes, protocol="published", confidence=1 - row["p"])
        assert other["low" if stereotype > 30 else "high"] == pytest.approx(30, abs=1e-6)


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_solves_its_equation(count: int, n: int, confidence: float) -> None:
    """Its ends are the proportions p at which |count/n - p| is z standard errors of p (Wilson 1927)."""
    count = min(count, n)
    z = {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}[confidence]
    low, high = wilson(count / n, n, z)
    for end in (low, high):
        assert abs(count / n - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), abs=1e-7)
    assert 0 <= low <= count / n + 1e-9 and count / n - 1e-9 <= high <= 1
    assert np.isnan(wilson(math.nan, 0, z)).all()


def test_what_is_undefined_scores_0_in_published_unless_all_pairs_are() -> None:
    """N is fixed otherwise. Without directions there is no difference."""
    made = synthetic.make(30, seed=0, directed=False)
    pairs = made.pairs.assign(bias_type=["gone"] * 15 + ["there"] * 15)
    for count in (15, 30):
        gone = made.scores["pair_id"].isin(pairs["pair_id"].head(count))
        outcomes = made.scores["outcome"].mask(gone, "undefined")
        table = made_table(
            pairs, made.scores.assign(margin=made.scores["margin"].mask(gone), outcome=outcomes)
        )
        assert set(table["grouping"]) == {"overall", "bias_type"}
        unknown = table[(table["protocol"] == "corrected") & (table["group"] == "gone") | (count == 30)]
        assert unknown[["score", "low", "high"]].isna().all(axis=None)
        assert (table.drop(unknown.index).query("group == 'gone'")["score"] == 0).all()


def test_scores_of_untrained_networks_stand_beside_the_models() -> None:
    made = synthetic.make(40, seed=1)
    of_networks = [synthetic.make_scores(made.pairs, np.random.default_rng(seed)) for seed in (5, 6, 7)]
    networks = [decisions(made.pairs, scores) for scores in of_networks]
    beside = made_table(made.pairs, made.scores, untrained=networks)
    scores = np.array([made_table(made.pairs, each)["score"] for each in of_networks])
    expected = [0 * scores[0] + 3, scores.min(axis=0), scores.max(axis=0)]
    np.testing.assert_allclose(beside[["untrained", "untrained_low", "untrained_high"]].T, expected)
    with pytest.raises(InputError, match="their measures are not the study's"):
        made_table(made.pairs, made.scores[made.scores["measure"] == "AUL"], untrained=networks)


def test_scores_of_other_pairs_are_refused() -> None:
    made = synthetic.make(10, seed=0)
    with pytest.raises(InputError, match=r"AUL \(published\) has not one row for each pair"):
        made_table(made.pairs, made.scores[1:])
