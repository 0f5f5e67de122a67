"""Scores without flawed pairs: against the definition, written-out matrices, a bootstrap, planted flaws."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import synthetic
from test_statistics_bias import literal_score, literal_variance
from unmask.statistics.decisions import Decisions, decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.flaws import Flags
from unmask.statistics.quality import quality_table, unequal_tokens
from unmask.statistics.schema import QUALITY
from unmask.statistics.shared_words import dependence_of
from unmask.tables import as_table

ALONE = [()]


def made_decisions(credits: np.ndarray) -> Decisions:
    """One measure, corrected, that prefers the stereotype where credits is true, shape (pairs, columns)."""
    outcome = np.where(credits, 0, 1).astype(np.int8)
    series = [(f"m{column}", "corrected") for column in range(credits.shape[1])]
    return Decisions(series, outcome, np.where(credits, 1.0, -1.0), outcome, outcome)


def row_of(table: pd.DataFrame, flaw: str, measure: str = "m0", protocol: str = "corrected") -> pd.Series:
    found = table[(table["flaw"] == flaw) & (table["measure"] == measure) & (table["protocol"] == protocol)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize("protocol", ["published", "corrected"])
def test_scores_and_changes_are_those_of_the_definition(protocol: str) -> None:
    made, rng = synthetic.make(80, seed=3), np.random.default_rng(0)
    flaws: dict[str, Flags] = {"identical": rng.random(80) < 0.2, "near_duplicate": rng.random(80) < 0.1}
    found = decisions(made.pairs, made.scores)
    table = quality_table(found, flaws, dependence_of(made.pairs, ["words", "target"]), 0.95)
    as_table(table, QUALITY)
    either = flaws["identical"] | flaws["near_duplicate"]
    for measure in ("AUL", "SSS"):
        rows = made.scores[(made.scores["measure"] == measure) & (made.scores["protocol"] == protocol)]
        outcomes = rows["outcome"].tolist()
        counted = [protocol == "published" or outcome != "undefined" for outcome in outcomes]
        for name, has in {**flaws, "any": either}.items():
            row = row_of(table, name, measure, protocol)
            kept = [outcome for outcome, out in zip(outcomes, has, strict=True) if not out]
            assert row["score"] == pytest.approx(literal_score(outcomes, protocol))
            assert row["without"] == pytest.approx(literal_score(kept, protocol))
            assert row["change"] == pytest.approx(row["without"] - row["score"])
            assert row["n"] == sum(counted)
            assert row["flawed"] == sum(one and out for one, out in zip(counted, has, strict=True))


def test_pairs_that_nobody_rated_have_a_row_and_no_flaw() -> None:
    found = made_decisions(np.arange(40).reshape(-1, 1) % 3 > 0)
    unrated, identical = np.arange(40) < 20, np.arange(40) >= 36
    table = quality_table(
        found, {"no_votes": unrated, "identical": identical}, Dependence.of([()] * 40), 0.95
    )
    flawed = {flaw: row_of(table, flaw)["flawed"] for flaw in ("no_votes", "identical", "any")}
    assert flawed == {"no_votes": 20, "identical": 4, "any": 4}
    alone = quality_table(found, {"no_votes": unrated}, Dependence.of([()] * 40), 0.95)
    assert alone["flaw"].tolist() == ["no_votes"]


def test_intervals_are_those_of_the_written_out_variance() -> None:
    rng = np.random.default_rng(2)
    nodes = [{str(word) for word in rng.choice(15, size=2)} for _ in range(50)]
    credits, flaw = rng.random((50, 1)) < 0.6, rng.random(50) < 0.3
    row = row_of(quality_table(made_decisions(credits), {"f": flaw}, Dependence.of(nodes), 0.9), "f")
    kept = int((~flaw).sum())
    weights = [(0 if out else 1 / kept) - 1 / 50 for out in flaw]
    values = [100.0 * float(one) for one in credits[:, 0]]
    assert row["change"] == pytest.approx(sum(w * y for w, y in zip(weights, values, strict=True)))
    variance, _, df = literal_variance(values, nodes, weights, [0] * 50)
    assert row["error"] == pytest.approx(math.sqrt(variance)) and row["df"] == pytest.approx(df)
    reach = t.ppf(0.95, df) * math.sqrt(variance)
    assert (row["low"], row["high"]) == pytest.approx((row["change"] - reach, row["change"] + reach))
    assert row["p"] == pytest.approx(2 * t.sf(abs(row["change"]) / math.sqrt(variance), df))


def test_the_error_is_that_of_pairs_drawn_again() -> None:
    """Bootstrap of lone pairs, and of clusters of four that decide alike."""
    rng = np.random.default_rng(4)
    for size in (1, 4):
        n = 600
        cluster = np.arange(n) // size
        alike = rng.random(n // size) < 0.55
        flaw = rng.random(n) < 0.3
        credits = np.where(rng.random(n) < 0.8, alike[cluster], rng.random(n) < 0.55)
        table = quality_table(
            made_decisions(credits[:, None]), {"f": flaw}, Dependence.of([(c,) for c in cluster]), 0.95
        )
        groups = np.arange(n).reshape(-1, size)
        changes = []
        for _ in range(2000):
            drawn = groups[rng.integers(0, len(groups), len(groups))].ravel()
            y, out = 100 * credits[drawn], flaw[drawn]
            changes.append(y[~out].mean() - y.mean())
        assert row_of(table, "f")["error"] == pytest.approx(np.std(changes), rel=0.12)


def test_what_as_many_pairs_by_chance_change() -> None:
    rng = np.random.default_rng(5)
    credits = rng.random(200) < 0.7
    flaw = np.arange(200) < 60
    row = row_of(
        quality_table(made_decisions(credits[:, None]), {"f": flaw}, Dependence.of(ALONE * 200), 0.95), "f"
    )
    changes = [100 * (credits[rng.permutation(200)[60:]].mean() - credits.mean()) for _ in range(20_000)]
    assert row["random_sd"] == pytest.approx(np.std(changes), rel=0.03)
    assert abs(np.mean(changes)) < 0.05


@pytest.mark.parametrize(("count", "shared", "least"), [(8, False, 0), (60, False, 0.03), (60, True, 0.03)])
def test_flaws_that_change_nothing_are_found_as_often_as_said(count: int, shared: bool, least: float) -> None:
    """Few flawed pairs, which are all alike once in 128 times, and many; pairs of one word decide alike."""
    rng, rounds, n = np.random.default_rng(6), 600, 240
    word = np.arange(n) % 40
    flaw = np.isin(np.arange(n), rng.permutation(n)[:count])
    lean = np.where(rng.random((40, rounds)) < 0.5, 0.9, 0.1)[word] if shared else 0.5
    credits = rng.random((n, rounds)) < lean
    dependence = Dependence.of([(w,) for w in word] if shared else ALONE * n)
    table = quality_table(made_decisions(credits), {"f": flaw}, dependence, 0.95)
    own = table[table["flaw"] == "f"]
    wrong = (own["p"] < 0.05).mean()
    assert least < wrong < 0.07
    assert ((own["p"] < 0.05) == ((own["low"] > 0) | (own["high"] < 0))).all()


def test_a_planted_shift_is_found_where_it_is_and_nowhere_else() -> None:
    """Pairs with one flaw always prefer the stereotype; another flaw, and all other pairs, prefer nothing."""
    rng, n = np.random.default_rng(7), 1000
    shifting, other = np.arange(n) < 80, (np.arange(n) >= 80) & (np.arange(n) < 200)
    credits = np.where(shifting, True, rng.random(n) < 0.5)[:, None]
    table = quality_table(
        made_decisions(credits), {"shifting": shifting, "other": other}, Dependence.of(ALONE * n), 0.95
    )
    found = row_of(table, "shifting")
    truth = 100 * (credits[~shifting].mean() - credits.mean())
    assert found["change"] == pytest.approx(truth) and -5 < truth < -3
    assert found["high"] < 0 and found["p"] < 1e-6 and found["change"] < -3 * found["random_sd"]
    nothing = row_of(table, "other")
    assert nothing["low"] < 0 < nothing["high"] and abs(nothing["change"]) < 2 * nothing["random_sd"]


def test_what_cannot_be_said_is_null() -> None:
    credits = np.random.default_rng(8).random((20, 1)) < 0.5
    none, every = np.zeros(20, dtype=bool), np.ones(20, dtype=bool)
    lone = Dependence.of(ALONE * 20)
    assert quality_table(made_decisions(credits), {}, lone, 0.95).empty
    assert quality_table(made_decisions(credits), {"f": none}, lone, 0.95).empty
    left = row_of(quality_table(made_decisions(credits), {"f": every}, lone, 0.95), "f")
    assert left["flawed"] == 20 and left[["without", "change", "low", "p", "random_sd"]].isna().all()
    # all alike: nothing has varied; all of one word: one cluster, whose change is as large as its error
    alike = row_of(quality_table(made_decisions(credits | True), {"f": np.arange(20) < 5}, lone, 0.95), "f")
    assert alike["change"] == 0 and alike[["error", "low", "p"]].isna().all() and alike["random_sd"] == 0
    together = Dependence.of([("w",)] * 20)
    bound = row_of(quality_table(made_decisions(credits), {"f": np.arange(20) < 5}, together, 0.95), "f")
    assert bound["df"] == pytest.approx(1) and bound["p"] == pytest.approx(0.5)


def test_two_flawed_pairs_that_agree_are_no_proof() -> None:
    credits = np.arange(200)[:, None] % 2 == 0
    flaw = np.isin(np.arange(200), [0, 2])
    row = row_of(quality_table(made_decisions(credits), {"f": flaw}, Dependence.of(ALONE * 200), 0.95), "f")
    assert row["change"] < 0 and row["low"] < 0 < row["high"] and row["p"] > 0.2


def test_unequal_tokens_are_counted_from_any_evidence_that_has_them() -> None:
    made = synthetic.make(60, seed=9)
    rows = made.evidence["none"]
    content = rows[~rows["special"]]
    sizes = content.groupby(["pair_id", "role"]).size().unstack()
    literal = [sizes["stereotype"][pair] != sizes["antistereotype"][pair] for pair in made.pairs["pair_id"]]
    assert 5 < sum(literal) < 55
    for masking in ("none", "all", "modified", "one-modified"):
        found = unequal_tokens(
            made.pairs, {"one-shared": made.evidence["one-shared"], masking: made.evidence[masking]}
        )
        assert found is not None and found.tolist() == literal
    assert unequal_tokens(made.pairs, {"one-shared": made.evidence["one-shared"]}) is None
