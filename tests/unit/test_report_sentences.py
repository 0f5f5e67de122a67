"""Sentences that were true and misled: what they count, and what stands beside it."""

from typing import Any

import pandas as pd
import pytest

from test_report_words import NONE, SCORE, results
from unmask.pairs.brief import in_brief
from unmask.pairs.sections.controls import findings as controls
from unmask.pairs.summary import cautions, in_words, warnings
from unmask.pairs.verdicts import UNKNOWN, WITHIN_NOISE, WITHIN_WORDS


@pytest.mark.parametrize(
    ("score", "count"),
    [
        # two of three pairs, whatever rounding makes of two thirds
        ({"n": 3, "score": 200 / 3, "low": None, "high": None, "verdict": UNKNOWN}, "2 of 3 pairs"),
        ({"n": 3, "score": 100 / 3, "low": None, "high": None, "verdict": UNKNOWN}, "2 of 3 pairs"),
        ({"n": 3, "score": 250 / 3, "low": None, "high": None, "verdict": UNKNOWN}, "2.5 of 3 pairs"),
        # a preference is not told as none
        ({"score": 50.3, "low": 49.0, "high": 51.6, "verdict": WITHIN_NOISE}, "50.3 of 100 pairs"),
        ({"score": 49.97, "low": 49.0, "high": 50.9, "verdict": WITHIN_NOISE}, "50.03 of 100 pairs"),
    ],
)
def test_counts_are_whole_and_a_preference_is_not_50(score: dict[str, Any], count: str) -> None:
    (said,) = in_words(results(score))
    assert f" in {count} of crows" in said and "neither" not in said


@pytest.mark.parametrize("score", [50.0, 50 - 1e-12, 50 + 1e-12])
def test_at_50_neither_side_is_preferred(score: float) -> None:
    (said,) = in_words(results({"score": score, "low": 47.0, "high": 53.0, "verdict": WITHIN_NOISE}))
    assert "neither side" in said and "in 50 of 100 pairs" in said


def test_near_ties_are_counted_in_the_number_of_their_noun() -> None:
    some = results({"near_ties": 1}, {"measure": "CPS", "near_ties": 2})
    some.agreement = NONE.assign(benchmark=None)
    one, *rest = warnings(some)
    assert "1 of 1000 pairs is a near-tie;" in one and "2 of 1000 pairs are near-ties;" in rest[0]


def test_what_is_given_by_chance_follows_the_confidence_of_the_study() -> None:
    some = results({"confidence": 0.9, "n": 40}, sources={"bert": "hub"})
    assert "about 10 in 100" in " ".join(cautions(some)) and "about 10 in 100" in " ".join(in_brief(some))


def test_what_a_reader_of_the_headline_should_know() -> None:
    some = results(
        {"n": 40},
        {"model": "oracle"},
        {"model": "noise", "benchmark": "many"},
        sources={"oracle": "oracle", "noise": "random", "bert": "hub"},
    )
    _, few, untrained, exact = in_brief(some)
    assert "crows (40)" in few and "many" not in few
    assert "noise" in untrained and "oracle" in exact
    assert len(list(in_brief(results({}, sources={"bert": "hub"})))) == 1


def of_shuffled(*scores: dict[str, Any]) -> Any:
    rows = pd.DataFrame([SCORE | {"variant": "shuffled", "grouping": "overall"} | score for score in scores])
    some = results({"score": 51.2}, {"measure": "CPS", "score": 50.4}, sources={"bert": "hub"})
    some.bias = rows
    return some


def test_shuffled_scores_stand_beside_the_unshuffled() -> None:
    of_words = {"measure": "CPS", "verdict": WITHIN_WORDS}
    (said,) = controls(of_shuffled({}, of_words))
    assert "2 of 2 scores" in said and "56 of 100 (53 to 60), unshuffled 51" in said
    assert "CPS of bert" in said and "Of these 1 lies beyond what words alone give" in said
    # where none is away, nothing is said of what is left
    (none,) = controls(of_shuffled({"low": 46.0}))
    assert "0 of 1 scores" in none and none.count(".") == 1
