"""Bias scores, LMS and ICAT against a literal reading of their definitions, and what must not change them."""

import math
import re
from collections.abc import Sequence
from itertools import chain, product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import norm
from scipy.stats import t as student

import library
import synthetic
from library import (
    LMS,
    InputError,
    Sharing,
    as_table,
    bias_table,
    decisions,
    lms_table,
    margins_against_unrelated,
    rows_of,
    sharing_of,
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


@pytest.mark.parametrize("protocol", ["published", "corrected"])
@pytest.mark.parametrize("measure", ["AUL", "CPS"])
def test_every_group_has_the_literal_score(measure: str, protocol: str) -> None:
    made = synthetic.make(150, seed=1)
    table = made_table(made.pairs, made.scores)
    found = synthetic.decided(made.scores, measure, protocol)
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


def literal_interval(
    values: list[float], nodes: list[set[str]], neutral: float = 0.5
) -> tuple[float, float, float, float]:
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
    if 0 < p <= neutral:
        edges[0] = brentq(lambda x: betainc(p * size, (1 - p) * size + 1, x) - 0.025, 0, 1)
    if neutral <= p < 1:
        edges[1] = brentq(lambda x: betainc(p * size + 1, (1 - p) * size, x) - 0.975, 0, 1)
    few = min(20, n / largest)
    edge = (1 - 4 * p * (1 - p)) * max(0, 1 - max(0, rarer - 1) / (few - 1)) ** 2
    low = min(alone[0], (1 - edge) * alone[0] + edge * edges[0])
    high = max(alone[1], (1 - edge) * alone[1] + edge * edges[1])
    if alike:
        alone = [p, p]
    return low, high, *alone


def literal_excess(
    values: list[float], nodes: list[set[str]], is_adv: list[bool], neutral: Sequence[float]
) -> tuple[float, float]:
    """By how much what Adv - Dis reaches to, squared, in points, exceeds what residuals say: below, above.
    neutral: of Adv and of Dis."""
    reaches = []
    for wanted, half in zip((True, False), neutral, strict=True):
        own = [i for i, adv in enumerate(is_adv) if adv == wanted]
        p = np.mean([values[i] for i in own])
        ends = literal_interval([values[i] for i in own], [nodes[i] for i in own], half)
        low, high, low_alone, high_alone = (10_000 * (end - p) ** 2 for end in ends)
        reaches.append((max(0.0, float(low - low_alone)), max(0.0, float(high - high_alone))))
    adv, dis = reaches
    return adv[0] + dis[1], adv[1] + dis[0]


def in_words(pairs: pd.DataFrame, count: int = 20) -> tuple[pd.DataFrame, list[set[str]]]:
    """The pairs with one or two of so many words each, some of which they share, and these words."""
    rng = np.random.default_rng(0)
    words = [{str(word) for word in rng.choice(count, size=2)} for _ in range(len(pairs))]
    texts = [" ".join(sorted(of_pair)) for of_pair in words]
    return pairs.assign(stereotype=texts, antistereotype="-", target=None), words


@pytest.mark.parametrize(
    ("measure", "protocol", "unanimous", "count"),
    [
        ("AUL", "corrected", False, 20),
        ("SSS", "corrected", False, 20),
        ("AUL", "corrected", True, 20),
        ("AUL", "corrected", True, 400),
        ("SSS", "published", False, 20),
    ],
)
def test_intervals_are_those_of_the_written_out_variance(
    measure: str, protocol: str, unanimous: bool, count: int
) -> None:
    """A difference is no surer than the scores of Adv, which may be unanimous, and of Dis. In `published` all
    pairs count, and neither side is preferred at half of the share of those that are decided."""
    made = synthetic.make(60, seed=2)
    adv = made.pairs.loc[made.pairs["direction"] == "antistereo", "pair_id"]
    decided = made.scores["pair_id"].isin(adv) & (made.scores["outcome"] != "undefined")
    made.scores.loc[decided & unanimous, "outcome"] = "stereotype"
    pairs, words = in_words(made.pairs, count)
    table = made_table(pairs, made.scores, options_with(clusters=("words",)))
    assert set(table["clusters"]) == {"words"}
    found = synthetic.decided(made.scores, measure, protocol)
    kept = [i for i in range(60) if protocol == "published" or found[f"p{i}"][0] != "undefined"]
    outcomes = [found[f"p{i}"][0] for i in kept]
    values = [literal_score([outcome], protocol) / 100 for outcome in outcomes]
    is_decided = np.isin(outcomes, ["stereotype", "antistereotype"])
    is_adv = np.array([made.pairs["direction"][i] == "antistereo" for i in kept])
    neutral, of_adv, of_dis = (
        is_decided[members].mean() / 2 if protocol == "published" else 0.5
        for members in (is_adv | ~is_adv, is_adv, ~is_adv)
    )
    nodes, n = [words[i] for i in kept], len(kept)
    variance, independent, df = literal_variance(values, nodes, [1 / n] * n, [0] * n)
    row = row_of(table, measure, protocol, "overall", "all")
    assert independent == pytest.approx(np.var(values, ddof=1) / n)
    assert (row["design_effect"], row["df"]) == pytest.approx((variance / independent, df))
    low, high, *_ = literal_interval(values, nodes, neutral)
    assert [row["low"], row["high"]] == pytest.approx([100 * low, 100 * high], abs=1e-6)

    margins = {i: found[f"p{i}"][1] for i in kept if found[f"p{i}"][0] != "undefined"}
    some, mean = len(margins), fmean(margins.values())
    of_words = [words[i] for i in margins]
    variance, _, df = literal_variance([*margins.values()], of_words, [1 / some] * some, [0] * some)
    reach = student.ppf(0.975, df) * math.sqrt(variance)
    assert [row["margin_low"], row["margin_high"]] == pytest.approx([mean - reach, mean + reach])

    weights = np.where(is_adv, 100 / is_adv.sum(), -100 / (~is_adv).sum()).tolist()
    variance, _, df = literal_variance(values, nodes, weights, (~is_adv).astype(int).tolist())
    row = row_of(table, measure, protocol, "difference", "difference")
    beyond = float(np.array(weights) @ values) - 100 * (of_adv - of_dis)
    assert row["score"] - row["neutral"] == pytest.approx(beyond)
    below, above = literal_excess(values, nodes, is_adv.tolist(), (of_adv, of_dis))
    t = student.ppf(0.975, df)
    assert row["score"] - row["low"] == pytest.approx(math.sqrt(t**2 * variance + below))
    assert row["high"] - row["score"] == pytest.approx(math.sqrt(t**2 * variance + above))
    error = math.sqrt(variance + (below if beyond > 0 else above) / t**2)
    assert row["p"] == pytest.approx(2 * student.sf(abs(beyond) / error, df))


def grouped(
    clusters: list[int],
    outcomes: list[str],
    directions: Sequence[str] | None = None,
    protocol: str = "corrected",
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
    options = options_with(clusters=())
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
    assert (row["low"] <= 30 <= row["high"]) == (row["p"] >= 0.05) and (row["p"] == 1) == (stereotype == 30)


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
    # what one of them says nothing of is unknown
    age = made.pairs.loc[made.pairs["bias_type"] == "age", "pair_id"]
    of_networks[0].loc[of_networks[0]["pair_id"].isin(age), "outcome"] = "undefined"
    networks = [decisions(made.pairs, scores) for scores in of_networks]
    beside = made_table(made.pairs, made.scores, untrained=networks)
    scores = np.array([made_table(made.pairs, each)["score"] for each in of_networks])
    expected = [0 * scores.sum(axis=0) + 3, scores.min(axis=0), scores.max(axis=0)]
    np.testing.assert_allclose(beside[["untrained", "untrained_low", "untrained_high"]].T, expected)
    with pytest.raises(InputError, match="their measures are not the study's"):
        made_table(made.pairs, made.scores[made.scores["measure"] == "AUL"], untrained=networks)


def test_scores_of_other_pairs_are_refused() -> None:
    made = synthetic.make(10, seed=0)
    with pytest.raises(InputError, match=r"AUL \(published\) has not one row for each pair"):
        made_table(made.pairs, made.scores[1:])


def test_the_statistic_of_the_guide_is_its_definition() -> None:
    guide = Path(__file__).parents[2] / "docs/adding.md"
    text = guide.read_text("utf-8").partition("## A statistic")[2].partition("\n## ")[0]
    function, columns = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {**vars(library), "np": np, "pd": pd}
    exec(columns + function, names)
    made = synthetic.make(30, seed=4)
    table = names["sizes_table"](decisions(made.pairs, made.scores), sharing_of(made.pairs, ["words"]), 0.95)
    for row in rows_of(as_table(table, names["SIZES"]).to_pandas()):
        margins = [margin for _, margin in synthetic.decided(made.scores, row.measure, row.protocol).values()]
        sizes = [abs(margin) for margin in margins if not math.isnan(margin)]
        assert (row.n, row.size) == (
            len(sizes),
            pytest.approx(np.mean(sizes)),
        ) and row.low < row.size < row.high


# ---- the language model score and ICAT


SERIES = [(measure, protocol) for measure in ("AUL", "SSS") for protocol in ("published", "corrected")]
Margins = dict[tuple[str, str], Any]


def made_margins(pairs: pd.DataFrame, seed: int = 0) -> Margins:
    """Margins with exact ties, ties within the tolerance of `corrected`, and undefined ones."""
    rng, found = np.random.default_rng(seed), {}
    for series in SERIES:
        margins = found[series] = rng.normal(0.5, 1, (2, len(pairs)))
        for share, value in ((0.1, 0.0), (0.05, 5e-7), (0.08, np.nan)):
            margins[rng.random(margins.shape) < share] = value
    return found


def lms_of(pairs: pd.DataFrame, scores: pd.DataFrame, margins: Margins) -> pd.DataFrame:
    sharing = sharing_of(pairs, options_with()["clusters"])
    return lms_table(pairs, decisions(pairs, scores), margins, sharing, 0.95)


def made_for_lms(n: int = 80, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, Margins]:
    tables = synthetic.make(n, seed)
    targets = [f"t{number % 13}" if number % 11 else None for number in range(n)]
    pairs = tables.pairs.assign(target=pd.Series(targets))
    pairs.loc[pairs.index % 10 == 3, "unrelated"] = None
    return pairs, tables.scores, made_margins(pairs)


def compared(margin: float, protocol: str) -> str:
    """What a comparison says, in the words of a pair: `stereotype` of the sentence that means something."""
    if math.isnan(margin):
        return "undefined"
    tie = abs(margin) <= (1e-6 if protocol == "corrected" else 0)
    return "tie" if tie else "stereotype" if margin > 0 else "antistereotype"


def averages(of_targets: dict[Any, list[str]], protocol: str) -> tuple[float, float]:
    """The score of all, and the mean of those of targets."""
    scores = [literal_score(each, protocol) for target, each in of_targets.items() if pd.notna(target)]
    return literal_score([*chain(*of_targets.values())], protocol), float(np.nanmean(scores))


@pytest.mark.parametrize(("measure", "protocol"), SERIES)
def test_every_group_has_the_literal_lms_and_icat(measure: str, protocol: str) -> None:
    """Pair after pair, as `evaluation.py` of StereoSet counts them, by target and all together."""
    pairs, scores, margins = made_for_lms()
    table = lms_of(pairs, scores, margins)
    as_table(table, LMS)
    by_pair = dict(zip(pairs["pair_id"], margins[measure, protocol].T.tolist(), strict=True))
    decided = synthetic.decided(scores, measure, protocol)
    for bias_type in (None, *pairs["bias_type"].unique()):
        meaning: dict[Any, list[str]] = {}
        bias: dict[Any, list[str]] = {}
        for pair in rows_of(pairs):
            if bias_type in (None, pair.bias_type):
                both = by_pair[pair.pair_id] if pd.notna(pair.unrelated) else []
                meaning.setdefault(pair.target, []).extend(compared(margin, protocol) for margin in both)
                bias.setdefault(pair.target, []).append(decided[pair.pair_id][0])
        place = ("bias_type", bias_type) if bias_type else ("overall", "all")
        row = row_of(table, measure, protocol, *place)
        both_ways = (averages(of, protocol) for of in (meaning, bias))
        for suffix, lms, score in zip(("", "_by_target"), *both_ways, strict=True):
            expected = [lms, score, lms * min(score, 100 - score) / 50]
            assert [row[f"{name}{suffix}"] for name in ("lms", "score", "icat")] == pytest.approx(expected)
        every = [*chain(*meaning.values())]
        counted = len(every) - every.count("undefined") * (protocol == "corrected")
        assert (row["n"], row["comparisons"]) == (sum(map(len, bias.values())), counted)


def test_intervals_are_those_of_comparisons_that_vary_together() -> None:
    """The two comparisons of a pair do, and those of pairs that share a word."""
    tables = synthetic.make(60, 2)
    pairs, words = in_words(tables.pairs)
    margins, decided = made_margins(pairs), decisions(pairs, tables.scores)
    sharing = sharing_of(pairs, ["words"])
    table = lms_table(pairs, decided, margins, sharing, 0.95)
    assert table["lms_by_target"].isna().all()
    row = row_of(table, "SSS", "corrected", "overall", "all")
    values, nodes = [], []
    for side, number in product((0, 1), range(60)):
        outcome = compared(float(margins["SSS", "corrected"][side, number]), "corrected")
        if outcome != "undefined":
            values.append(literal_score([outcome], "corrected") / 100)
            nodes.append({*words[number], f"pair {number}"})
    low, high, *_ = literal_interval(values, nodes)
    assert [row["low"], row["high"]] == pytest.approx([100 * low, 100 * high], abs=1e-5)

    # ICAT over the box of the two intervals at 97.5%, point by point
    wider = lms_table(pairs, decided, margins, sharing, 0.975)
    of_lms = row_of(wider, "SSS", "corrected", "overall", "all")
    bias = bias_table(pairs, decided, options_with(clusters=("words",), confidence=0.975, draws=2), sharing)
    of_bias = row_of(bias, "SSS", "corrected", "overall", "all")
    box = [np.linspace(each["low"], each["high"], 2001) for each in (of_lms, of_bias)]
    values_of = np.minimum(box[1], 100 - box[1])[:, None] * box[0] / 50
    assert row["icat_low"] == pytest.approx(values_of.min(), abs=0.05)
    assert row["icat_high"] == pytest.approx(values_of.max(), abs=0.05)
    assert row["icat_low"] < row["icat"] < row["icat_high"]


def test_a_benchmark_without_unrelated_sentences_has_no_rows() -> None:
    tables = synthetic.make(20, 1)
    evidence = {name: rows[rows["role"] != "unrelated"] for name, rows in tables.evidence.items()}
    margins = margins_against_unrelated(list(tables.pairs["pair_id"]), evidence, ["AUL", "SSS"])
    assert margins == {}
    table = lms_of(tables.pairs.assign(unrelated=None), tables.scores, margins)
    assert as_table(table, LMS).num_rows == 0
    # nor has a bias type
    pairs, scores, margins = made_for_lms()
    pairs.loc[pairs["bias_type"] == "age", "unrelated"] = None
    assert {*lms_of(pairs, scores, margins)["group"]} & {"all", "gender", "age"} == {"all", "gender"}


def test_where_nothing_is_decided_there_is_no_interval() -> None:
    """Ties and undefined comparisons cannot vary, also where they count as not preferred (published)."""
    pairs, scores, margins = made_for_lms()
    values = np.where(np.arange(len(pairs)) % 2, 0.0, np.nan)
    table = lms_of(pairs, scores, dict.fromkeys(margins, np.stack([values, values])))
    assert {*table["protocol"]} == {"published", "corrected"}
    assert table[["low", "high", "icat_low", "icat_high"]].isna().all(axis=None)
