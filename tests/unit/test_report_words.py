"""What the first screen says of scores, in words."""

import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from unmask.pairs.summary import cautions, found, found_by_type, how_testable, in_words, summary
from unmask.pairs.unknown import COLUMNS
from unmask.pairs.verdicts import BEYOND, CONTROL, UNDECIDED, UNKNOWN, WITHIN_NOISE
from unmask.report.study import Named, Study

SCORE: dict[str, Any] = {
    "model": "bert",
    "benchmark": "crows",
    "measure": "AUL",
    "protocol": "corrected",
    "grouping": "overall",
    "differing": None,
    "n": 1000,
    "undefined": 0,
    "score": 56.4,
    "low": 53.0,
    "high": 59.8,
    "null_low": 46.0,
    "null_high": 53.6,
    "near_ties": 0,
    "near_low": 56.4,
    "near_high": 56.4,
    "verdict": BEYOND,
    "confidence": 0.95,
}
NEITHER = "Neither sampling noise nor words alone explain that."
NOISE = "That is within sampling noise of 50."
NONE = pd.DataFrame(columns=["protocol", "kappa", "model", "first", "second", "chosen", "auc"])


def results(*scores: dict[str, Any], sources: dict[str, str] | None = None) -> Any:
    rows = pd.DataFrame([SCORE | score for score in scores])
    models = tuple(Named(name, source=(sources or {}).get(name)) for name in rows["model"].unique())
    benchmarks = tuple(Named(name) for name in rows["benchmark"].unique())
    none = {"measures_compared": NONE, "models_compared": NONE, "agreement": NONE}
    none["unknown"] = pd.DataFrame(columns=list(COLUMNS))
    return SimpleNamespace(
        study=Study(models, benchmarks), overall=lambda: rows, original=lambda: rows, **none
    )


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (
            {},
            f"prefers the stereotype in 56 of 100 pairs of crows (53 to 60); words alone reach 54. {NEITHER}",
        ),
        # below 50 it is the other side, told from there
        (
            {"score": 37.4, "low": 30.2, "high": 44.9, "null_low": 40.8},
            f"prefers the antistereotype in 63 of 100 pairs of crows (55 to 70); "
            f"words alone reach 59. {NEITHER}",
        ),
        # an end that rounds to 50 is told with a decimal
        (
            {"score": 56.0, "low": 49.8, "verdict": WITHIN_NOISE},
            f"prefers the stereotype in 56 of 100 pairs of crows (49.8 to 59.8); "
            f"words alone reach 54. {NOISE}",
        ),
        # few pairs are counted; one of which is not defined
        (
            {"n": 21, "undefined": 1, "score": 55.0, "low": 31.0, "high": 79.0, "verdict": WITHIN_NOISE},
            f"prefers the stereotype in 11 of 20 pairs of crows (31 to 79 of 100); "
            f"words alone reach 54. {NOISE}",
        ),
        (
            {
                "n": 1,
                "score": 0.0,
                "low": None,
                "high": None,
                "null_low": 0.0,
                "null_high": 0.0,
                "verdict": UNKNOWN,
            },
            "prefers the antistereotype in 1 of 1 pair of crows. What chance gives is not known here.",
        ),
        (
            {"n": 3, "score": 50.0, "low": None, "high": None, "verdict": UNKNOWN},
            "prefers neither side, the stereotype in 1.5 of 3 pairs of crows. "
            "What chance gives is not known here.",
        ),
    ],
)
def test_a_score_is_told_as_one_would_say_it(score: dict[str, Any], said: str) -> None:
    assert list(in_words(results(score))) == [f"AUL: bert {said}"]


def test_only_trained_models_are_counted_and_only_networks_have_float_error() -> None:
    some = results(
        {"near_ties": 3, "near_low": 56.1},
        {"model": "oracle", "near_ties": 900, "near_low": 5.0, "verdict": WITHIN_NOISE},
        {"model": "noise", "verdict": WITHIN_NOISE},
        sources={"oracle": "oracle", "noise": "random", "bert": "hub"},
    )
    first, furthest = found(some)
    assert first.startswith("Of 1 score of trained models, 1 is testable. Of the 1 testable, 0 are ")
    assert first.endswith(" and 1 beyond both.")
    assert furthest.startswith(
        "Furthest beyond both is bert on crows under AUL: 56 of 100 pairs (53 to 60); words alone reach 54."
    )
    told = list(cautions(some))
    assert any(text.startswith("3 of 2000 decisions are near-ties") and "0.3 points" in text for text in told)
    assert "Never trained, with random weights: noise. What these prefer is chance." in told
    assert "No network, but what a made world says itself: oracle." in told


def test_what_lies_furthest_beyond_both_is_not_what_barely_does() -> None:
    barely = {"measure": "CPS", "score": 37.0, "low": 26.0, "high": 49.9, "null_low": 37.2, "null_high": 62.8}
    _, furthest = found(results(barely, {}, sources={"bert": "hub"}))
    assert furthest.startswith("Furthest beyond both is bert on crows under AUL: 56 of 100 pairs")
    _, only = found(results(barely, sources={"bert": "hub"}))
    assert only.startswith(
        "Furthest beyond both is bert on crows under CPS: 37 of 100 pairs (26.0 to 49.9); words alone "
        "reach 37."
    )


def test_untrained_models_come_last_in_words() -> None:
    some = results({"model": "noise"}, {}, sources={"noise": "random", "bert": "hub"})
    first, last = in_words(some)
    assert first.startswith("AUL: bert prefers") and last.startswith("AUL: noise (never trained) prefers")


def test_bias_types_beyond_both_stand_beside_those_of_untrained_models() -> None:
    of_type = {"grouping": "bias_type", "group": "age"}
    some = results(
        of_type,
        of_type | {"verdict": WITHIN_NOISE},
        of_type | {"verdict": UNKNOWN},
        of_type | {"protocol": "published"},
        {"grouping": "overall"},
        *[of_type | {"model": "noise", "verdict": verdict} for verdict in (BEYOND, *[WITHIN_NOISE] * 3)],
        sources={"noise": "random", "bert": "hub"},
    )
    (told,) = found_by_type(some)
    # of trained models: scores, testable, not testable, testable, beyond both; then of untrained ones
    assert numbers(told)[:9] == [3, 2, 1, 2, 1, 4, 4, 4, 1]
    assert list(found_by_type(results({"grouping": "overall"}))) == []


def numbers(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"\b\d+\b", text)]


def test_a_share_like_that_of_untrained_models_is_called_so() -> None:
    of_type = {"grouping": "bias_type", "group": "age"}

    def told(trained: int, untrained: int) -> bool:
        rows = [
            of_type | {"model": model, "verdict": BEYOND if place < beyond else WITHIN_NOISE}
            for model, beyond in (("bert", trained), ("noise", untrained))
            for place in range(40)
        ]
        (text,) = found_by_type(results(*rows, sources={"noise": "random", "bert": "hub"}))
        return "within the interval of that of the untrained ones, 1 to " in text

    # Wilson's interval of 2 in 40 is 1.4 to 16.5%
    assert told(2, 2) and told(6, 2) and not told(7, 2) and not told(0, 0) and not told(20, 2)


UNTESTABLE = {"verdict": UNKNOWN, "low": None, "high": None}


def test_what_cannot_be_tested_is_never_counted_as_tested() -> None:
    """Six scores of untrained models, none of them testable, are not "of 6, 0 are beyond both"."""
    noise = {"model": "noise"} | UNTESTABLE
    some = results(
        *[noise] * 6,
        {},
        {"verdict": UNDECIDED},
        UNTESTABLE,
        {"measure": "AllMasked", "verdict": CONTROL},
        {"measure": "AllMaskedSum", "verdict": CONTROL},
        sources={"noise": "random", "bert": "hub"},
    )
    of_trained, of_untrained = summary(some)
    assert numbers(of_untrained) == [6, 0, 6]
    # of 5 scores 2 are testable, 1 is not, 2 are controls; of the 2 none, none, 1 undecided, 1 beyond both
    assert numbers(of_trained)[:10] == [5, 2, 1, 2, 2, 0, 50, 0, 1, 1]
    first = next(iter(found(some)))
    assert numbers(first) == [5, 2, 1, 2, 2, 0, 50, 0, 1, 1]


def test_a_chart_says_how_many_of_its_scores_are_testable() -> None:
    verdicts = (BEYOND, WITHIN_NOISE, UNDECIDED, UNKNOWN, UNKNOWN, CONTROL)
    assert numbers(how_testable(pd.DataFrame({"verdict": verdicts}))) == [6, 3, 2, 1]
    assert numbers(how_testable(pd.DataFrame({"verdict": [BEYOND]}))) == [1, 1]


def test_a_control_has_no_reach_of_words() -> None:
    (text,) = in_words(results({"measure": "AllMasked", "verdict": CONTROL}))
    assert "control" in text and "reach" not in text
    (text,) = in_words(results({"verdict": UNDECIDED}))
    assert "reach 54" in text and "open" in text


def test_a_model_without_a_score_is_named() -> None:
    some = results({}, {"model": "broken", "score": None})
    assert "Without any score (see the scoring log): broken." in list(cautions(some))
