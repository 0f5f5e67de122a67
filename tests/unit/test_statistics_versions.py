"""Two versions of a benchmark: which pairs are compared, and how, against a plain count."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student_t

from synthetic import pair_results
from unmask.errors import InputError
from unmask.pairs import comparisons
from unmask.statistics.decisions import Decisions, code
from unmask.statistics.schema import VERSIONS
from unmask.statistics.versions import versions_compared
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, TIE, UNDEFINED

SERIES = [("AUL", "published"), ("AUL", "corrected"), ("CPS", "corrected")]


def pairs_of(texts: dict[str, tuple[str, str]]) -> pd.DataFrame:
    rows = [
        {"pair_id": name, "stereotype": one, "antistereotype": other} for name, (one, other) in texts.items()
    ]
    return pd.DataFrame(rows).assign(target=None, writer=None)


def decisions_of(outcomes: list[list[str]], series: list[tuple[str, str]]) -> Decisions:
    """outcomes: of each pair by series."""
    codes = np.array([[code(outcome) for outcome in of_pair] for of_pair in outcomes], dtype=np.int8)
    return Decisions(series, codes, np.zeros(codes.shape), codes, codes)


def made(seed: int) -> tuple[pd.DataFrame, pd.DataFrame, Decisions, Decisions]:
    """Forty pairs of words, of which thirty are in the other version, ten of these with another word."""
    rng = np.random.default_rng(seed)
    groups = ["red", "blue", "green", "grey", "pink", "white", "black"]
    texts = {
        str(number): (f"all {groups[one]} are x{number}", f"all {groups[other]} are x{number}")
        for number, (one, other) in enumerate(rng.choice(len(groups), size=(40, 2)))
    }
    names = [str(number) for number in rng.permutation(40)[:30]]
    others = {
        name: (texts[name][0].replace("all", "most") if place < 10 else texts[name][0], texts[name][1])
        for place, name in enumerate(names)
    }
    others["alone"] = ("a red x", "a blue x")
    kinds = [STEREOTYPE, ANTISTEREOTYPE, TIE, UNDEFINED]
    first = decisions_of(rng.choice(kinds, size=(len(others), 3), p=[0.5, 0.3, 0.1, 0.1]).tolist(), SERIES)
    second = decisions_of(rng.choice(kinds, size=(40, 2), p=[0.5, 0.3, 0.1, 0.1]).tolist(), SERIES[::-1][:2])
    return pairs_of(others), pairs_of(texts), first, second


def credit_of(decisions: Decisions, series: tuple[str, str], pairs: pd.DataFrame) -> dict[str, float | None]:
    """By pair: 1, 0, a half for a tie, None where undefined; the protocol corrected."""
    column = decisions.outcome[:, decisions.series.index(series)]
    worth = {code(STEREOTYPE): 1.0, code(ANTISTEREOTYPE): 0.0, code(TIE): 0.5, code(UNDEFINED): None}
    return {name: worth[int(outcome)] for name, outcome in zip(pairs["pair_id"], column, strict=True)}


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_one_name_are_compared(seed: int) -> None:
    version, original, first, second = made(seed)
    rows = versions_compared(version, original, {"m": (first, second)}, ["words", "target"], 0.95)
    assert list(rows["measure"].unique()) == ["AUL", "CPS"] and set(rows["protocol"]) == {"corrected"}
    assert list(rows.columns) == VERSIONS.names
    texts = [
        {row.pair_id: (row.stereotype, row.antistereotype) for row in pairs.itertuples()}
        for pairs in (version, original)
    ]
    for row in rows.to_dict("records"):
        series = (row["measure"], "corrected")
        ones, others = credit_of(first, series, version), credit_of(second, series, original)
        names = [name for name in ones if name in others]
        if row["texts"] == "changed":
            names = [name for name in names if texts[0][name] != texts[1][name]]
            assert len(names) == 10
        counted = [name for name in names if ones[name] is not None and others[name] is not None]
        assert row["n"] == len(counted)
        # of these None is none
        pairs = [(float(ones[name] or 0), float(others[name] or 0)) for name in counted]
        assert row["first_score"] == pytest.approx(100 * sum(one for one, _ in pairs) / len(pairs))
        assert row["second_score"] == pytest.approx(100 * sum(other for _, other in pairs) / len(pairs))
        assert row["b"] == sum(one == 1 and other != 1 for one, other in pairs)
        assert row["c"] == sum(one != 1 and other == 1 for one, other in pairs)
        assert row["difference"] == pytest.approx(row["first_score"] - row["second_score"])


def test_pairs_that_share_a_word_in_either_version_vary_together() -> None:
    """Six translations, each with a word of its own; the English has two words, each in three pairs."""
    english = pairs_of({str(i): (f"the {'red' if i < 3 else 'blue'} x", "the x") for i in range(6)})
    other = pairs_of({str(i): (f"das w{i} x", "das x") for i in range(6)})
    turns = [(STEREOTYPE, ANTISTEREOTYPE)] * 3 + [(ANTISTEREOTYPE, STEREOTYPE)] * 3
    series = [("AUL", "corrected")]
    first, second = (decisions_of([[turn[side]] for turn in turns], series) for side in (0, 1))
    (row,) = versions_compared(other, english, {"m": (first, second)}, ["words"], 0.95).to_dict("records")
    # two clusters of +100 and -100: the mean of two numbers
    assert (row["n"], row["b"], row["c"], row["difference"]) == (6, 3, 3, 0)
    assert row["error"] == pytest.approx(math.sqrt(2 * 100**2 / 1) / math.sqrt(2))
    assert row["high"] == pytest.approx(row["error"] * student_t.ppf(0.975, row["df"]))
    (alone,) = versions_compared(other, english, {"m": (first, second)}, [], 0.95).to_dict("records")
    assert alone["error"] == alone["independent_error"] < row["error"]


def test_the_order_of_pairs_changes_nothing() -> None:
    version, original, first, second = made(7)
    one = versions_compared(version, original, {"m": (first, second)}, ["words"], 0.95)
    order = np.random.default_rng(1).permutation(len(original))
    moved = Decisions(
        second.series, *(getattr(second, name)[order] for name in ("outcome", "margin", "lowest", "highest"))
    )
    again = original.iloc[order].reset_index(drop=True)
    other = versions_compared(version, again, {"m": (first, moved)}, ["words"], 0.95)
    pd.testing.assert_frame_equal(one, other)


def test_benchmarks_without_a_common_pair_are_refused() -> None:
    version, original, first, second = made(1)
    renamed = original.assign(pair_id="x" + original["pair_id"].astype(str))
    with pytest.raises(InputError, match="no pair_id is in both benchmarks"):
        versions_compared(version, renamed, {"m": (first, second)}, ["words"], 0.95)


def test_the_report_says_what_a_version_changes() -> None:
    row = dict.fromkeys(VERSIONS.names) | {
        "model": "bert",
        "original": "crows",
        "texts": "all",
        "measure": "AUL",
    }
    row |= {"benchmark": "revised", "protocol": "corrected", "n": 1467, "b": 5, "c": 7, "difference": -0.136}
    row |= {"first_score": 56.0, "second_score": 56.136, "low": -0.6, "high": 0.3, "p": 0.5, "p_holm": 1.0}
    rows = pd.DataFrame(
        [row, row | {"texts": "changed", "n": 150}, row | {"measure": "CPS", "b": 0, "difference": 1.2}]
    )
    control = row | {"measure": "AllMasked", "b": 900}
    results = pair_results(
        [{"name": "bert", "source": "hub"}], [], versions=pd.concat([rows, pd.DataFrame([control])])
    )
    (said,) = comparisons.VERSIONS_DIFFER.sentences(results)
    assert said == (
        "revised has 1,467 pairs of crows, 150 of them with other sentences. Under each model and measure "
        "7 to 12 are decided otherwise, and scores of revised are −0.1 to +1.2 points from those of crows. "
        "Of 2 differences 0 are clear (p < 0.01 after Holm's correction)."
    )


def test_a_version_that_changes_no_decision_has_no_tests_to_speak_of() -> None:
    row = dict.fromkeys(VERSIONS.names) | {"model": "bert", "original": "crows", "texts": "all"}
    row |= {"measure": "AUL", "benchmark": "revised", "protocol": "corrected", "n": 37, "b": 0, "c": 0}
    rows = pd.DataFrame([row | {"difference": 0.0, "p": float("nan"), "p_holm": float("nan")}])
    results = pair_results([{"name": "bert", "source": "hub"}], [], versions=rows)
    (said,) = comparisons.VERSIONS_DIFFER.sentences(results)
    assert said == (
        "revised has 37 pairs of crows. Under each model and measure 0 are decided otherwise: "
        "no difference can be tested."
    )
