"""LPBS and DisCo from evidence: formulas written slowly, and chance where nothing or something is planted."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, ttest_ind

from unmask.templates.testing import Options, bias_scores, difference_of_sets, disco_tests, lpbs_tests

SIDES = ["he", "she"]
Words = dict[str, list[str]]


def options(draws: int = 10_000, seed: int = 1) -> Options:
    return Options(draws, seed, 0.95)


def made_targets(scores: Mapping[str, Sequence[float]], templates: int = 2, seed: int = 0) -> pd.DataFrame:
    """Evidence of two targets on the first side and one on the second, with these scores on average over
    templates; all else of it is random."""
    draw = np.random.default_rng(seed)
    rows = []
    for set_, values in scores.items():
        for number, score in enumerate(values):
            shifts = draw.normal(size=templates)
            for template, shift in enumerate(shifts - shifts.mean(), start=1):
                prior = draw.normal(-4, 1, size=3)
                # both targets of the first side gain the same
                gains = draw.normal() + np.array([1, 1, 0]) * (score + shift)
                for side, target, before, gain in zip(
                    ("he", "he", "she"), ("he", "man", "she"), prior, gains, strict=True
                ):
                    rows.append((template, set_, f"{set_}{number}", 1, side, target, before + gain, before))
    columns = ["template", "set", "attribute", "tokens", "side", "target", "log_prob", "prior_log_prob"]
    return pd.DataFrame(rows, columns=columns)


def slow_score(rows: list[dict[str, Any]]) -> float:
    """Kurita et al. (2019), section 2, of one template and attribute."""

    def increase(side: str) -> float:
        p_target = sum(math.exp(row["log_prob"]) for row in rows if row["side"] == side)
        p_prior = sum(math.exp(row["prior_log_prob"]) for row in rows if row["side"] == side)
        return math.log(p_target / p_prior)

    return increase("he") - increase("she")


def test_scores_are_the_papers_formula() -> None:
    draw = np.random.default_rng(5)
    targets = made_targets({"x": [0.5, 1.0, 2.0], "y": [-1.0, 0.0]})
    # targets of one side may gain differently
    targets["log_prob"] += draw.normal(size=len(targets))
    scores = bias_scores(targets, SIDES)
    assert len(scores) == 2 * 5
    for row in scores.to_dict("records"):
        of_both = (targets["template"] == row["template"]) & (targets["attribute"] == row["attribute"])
        assert row["score"] == pytest.approx(slow_score(targets[of_both].to_dict("records")))
    swapped = bias_scores(targets, SIDES[::-1])
    assert swapped["score"].to_numpy() == pytest.approx(-scores["score"].to_numpy())


def test_difference_effect_and_p_are_counted_one_by_one() -> None:
    x, y = [1.3, 0.2, 0.9, 2.0], [-0.4, 0.3, 0.1]
    tests, words = lpbs_tests(made_targets({"x": x, "y": y}), SIDES, options())
    of = {(row["quantity"], row["part"]): row for row in tests.to_dict("records")}
    assert of["mean", "x"]["value"] == pytest.approx(np.mean(x))
    assert of["mean", "y"]["value"] == pytest.approx(np.mean(y))
    # a mean has no test
    assert tests["p"].isna().tolist() == [True, True, False]
    row = of["difference", "x less y"]
    assert row["value"] == pytest.approx(np.mean(x) - np.mean(y))
    assert row["effect"] == pytest.approx((np.mean(x) - np.mean(y)) / np.std([*x, *y], ddof=1))
    both, reached, every = [*x, *y], 0, []
    for chosen in combinations(range(7), 4):
        first = [both[i] for i in chosen]
        second = [both[i] for i in range(7) if i not in chosen]
        every.append(np.mean(first) - np.mean(second))
        reached += abs(every[-1]) >= abs(row["value"]) - 1e-9
    assert row["p"] == pytest.approx(reached / 35) and row["exact"] and row["draws"] == 35
    assert (row["chance_low"], row["chance_high"]) == pytest.approx(tuple(np.quantile(every, [0.025, 0.975])))
    welch = ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((welch.low, welch.high))
    assert words["score"].to_numpy() == pytest.approx(both)
    assert list(words["set"]) == ["x"] * 4 + ["y"] * 3


def test_drawn_partitions_give_what_all_give() -> None:
    draw = np.random.default_rng(3)
    targets = made_targets({"x": draw.normal(0.8, 1, 8).tolist(), "y": draw.normal(0, 1, 8).tolist()})
    exact, drawn = (lpbs_tests(targets, SIDES, options(draws))[0].iloc[2] for draws in (13_000, 5_000))
    assert exact["exact"] and exact["draws"] == math.comb(16, 8) and not drawn["exact"]
    assert drawn["p"] == pytest.approx(exact["p"], abs=4 * math.sqrt(exact["p"] / 5_000))
    assert drawn["chance_high"] == pytest.approx(exact["chance_high"], abs=0.1)


def test_what_is_planted_is_met_and_nothing_where_nothing_is() -> None:
    """Attributes whose true log-odds are those of a world, with noise, against sets without a difference."""
    draw, planted, none = np.random.default_rng(7), list[float](), list[float]()
    log_odds = math.log(0.9 / 0.1)
    for _ in range(400):
        x, y = draw.normal(0, 1, (2, 8))
        planted.append(difference_of_sets(("x", x + log_odds), ("y", y - log_odds), options(200))["p"])
        none.append(difference_of_sets(("x", x), ("y", y), options(200))["p"])
    assert np.mean(np.array(planted) <= 0.01) > 0.99
    # within three standard errors
    assert np.mean(np.array(none) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert np.mean(none) == pytest.approx(0.5, abs=3 * math.sqrt(1 / 12 / 400))


def made_fills(
    persons: dict[str, list[str]], tokens: Mapping[tuple[int, str], Sequence[str]]
) -> pd.DataFrame:
    """Ten fills of each template and person, of which these are the likeliest, with falling probability."""
    rows = []
    for (template, person), first in tokens.items():
        group = next(name for name, members in persons.items() if person in members)
        every = [*first, *(f"rare{place}" for place in range(10 - len(first)))]
        for place, token in enumerate(every, start=1):
            # three above a tenth
            log_prob = math.log(0.3 / place) if place <= 2 else math.log(0.12 / (place - 2) ** 2)
            rows.append((template, group, person, place, token, log_prob))
    return pd.DataFrame(rows, columns=["template", "group", "person", "place", "token", "log_prob"])


def random_fills(persons: dict[str, list[str]], templates: int, bias: float, seed: int) -> pd.DataFrame:
    """Fills out of eight words a template; each group prefers some of them by `bias` nats."""
    draw = np.random.default_rng(seed)
    tokens = {}
    for template in range(1, templates + 1):
        plain = draw.gumbel(size=8)
        for number, members in enumerate(persons.values()):
            weights = plain + bias * (np.arange(8) % 2 == number)
            for person in members:
                order = np.argsort(-(weights + draw.gumbel(size=8)))
                tokens[template, person] = [f"word{place}" for place in order[:4]]
    return made_fills(persons, tokens)


PERSONS = {"female": [f"f{n}" for n in range(12)], "male": [f"m{n}" for n in range(10)]}


def slow_disco(fills: pd.DataFrame, first: set[str], most: int = 3) -> float:
    """The measure alone."""
    return slow_count(fills, first, most)[0]


def slow_count(fills: pd.DataFrame, first: set[str], most: int = 3) -> tuple[float, float]:
    """Webster et al. (2020): fills of a template supplied to one gender more than to the other by Pearson's
    chi-square, at .05 after Bonferroni's correction over all of them, averaged over templates; and the sum of
    chi-squares, which tells equal counts apart."""
    persons = sorted(set(fills["person"]))
    n_first = len(first)
    supplied = fills[fills["place"] <= most]
    tests, total, templates = [], 0.0, sorted(set(fills["template"]))
    for template in templates:
        of_template = supplied[supplied["template"] == template]
        for token in set(of_template["token"]):
            who = set(of_template.loc[of_template["token"] == token, "person"])
            a, b = len(who & first), len(who - first)
            table = [[a, n_first - a], [b, len(persons) - n_first - b]]
            everyone = a + b == len(persons)
            test = None if everyone else chi2_contingency(table, correction=False)
            tests.append(test.pvalue if test else 1.0)
            total += test.statistic if test else 0.0
    return float(sum(p <= 0.05 / len(tests) for p in tests) / len(templates)), total


@pytest.mark.parametrize("bias", [0.0, 3.0])
def test_disco_is_counted_one_by_one(bias: float) -> None:
    fills = random_fills(PERSONS, 3, bias, seed=2)
    tests, words = disco_tests(fills, 3, options(100))
    row = tests.iloc[0]
    assert row["quantity"] == "top three" and row["value"] == pytest.approx(
        slow_disco(fills, set(PERSONS["female"]))
    )
    assert (row["value"] > 0) == (bias > 0)
    assert (
        row["candidates"]
        == len(words)
        == len(fills[fills["place"] <= 3][["template", "token"]].drop_duplicates())
    )
    assert (row["units"], row["templates"]) == (22, 3)
    for word in words.to_dict("records"):
        who = fills[
            (fills["place"] <= 3) & (fills["template"] == word["template"]) & (fills["token"] == word["word"])
        ]
        assert (word["first"], word["second"]) == tuple((who["group"] == name).sum() for name in PERSONS)
    assert words["significant"].sum() == round(3 * row["value"])
    # in the made probabilities the first three are above a tenth, too
    assert tests.iloc[1]["quantity"] == "P > 0.1" and tests.iloc[1]["value"] == row["value"]


def test_disco_by_probability_counts_other_fills() -> None:
    fills = random_fills(PERSONS, 3, 3.0, seed=2)
    fills["log_prob"] = np.where(fills["place"] == 1, math.log(0.5), math.log(0.05))
    row = disco_tests(fills, 3, options(100))[0].iloc[1]
    assert row["value"] == pytest.approx(slow_disco(fills, set(PERSONS["female"]), most=1))
    fills["log_prob"] = math.log(0.05)
    row = disco_tests(fills, 3, options(100))[0].iloc[1]
    assert (row["value"], row["candidates"], row["p"]) == (0, 0, 1)


def test_chance_of_disco_is_the_score_of_every_other_labelling() -> None:
    persons = {"female": [f"f{n}" for n in range(4)], "male": [f"m{n}" for n in range(4)]}
    # the first template splits the genders, the second one person from all others
    tokens = {
        (1, person): ["a", "b", "c"] if person[0] == "f" else ["d", "e", "f"]
        for members in persons.values()
        for person in members
    }
    tokens |= {(2, person): ["a", "b", "d" if person == "f3" else "c"] for _, person in tokens}
    fills = made_fills(persons, tokens)
    row = disco_tests(fills, 2, options(1000))[0].iloc[0]
    everyone = sorted(set(fills["person"]))
    counts = [slow_count(fills, set(first)) for first in combinations(everyone, 4)]
    every, (observed, total) = [count for count, _ in counts], slow_count(fills, set(persons["female"]))
    assert row["exact"] and row["draws"] == 70
    assert row["chance_mean"] == pytest.approx(np.mean(every))
    assert row["value"] == observed == 3
    reached = [count > observed or (count == observed and each > total - 1e-9) for count, each in counts]
    assert row["p"] == pytest.approx(np.mean(reached))


def test_disco_meets_what_is_planted_and_nothing_where_nothing_is() -> None:
    ps = {
        bias: np.array(
            [
                disco_tests(random_fills(PERSONS, 2, bias, seed), 2, options(200))[0].iloc[0]["p"]
                for seed in range(25)
            ]
        )
        for bias in (0.0, 4.0)
    }
    assert np.mean(ps[4.0] <= 0.01) > 0.9
    assert np.mean(ps[0.0] <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 25)
