"""The verdicts on scores."""

import numpy as np
import pandas as pd
import pytest

from library import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    FONT,
    NO_CLEAR,
    TESTABLE,
    VERDICTS,
    can_be_tested,
    charts,
    sees_context,
    theme,
    verdicts,
)
from study_schema import MEASURES

COLUMNS = [
    *("measure", "grouping", "score", "low", "high", "null_low", "null_high"),
    *("unanimous_low", "neutral"),
]

NAN = np.nan


@pytest.mark.parametrize(
    ("grouping", "score", "interval", "words", "verdict"),
    [
        ("overall", 52, (48, 56), (40, 60), NO_CLEAR),
        # the interval is asked first
        ("overall", 62, (49, 70), (40, 60), NO_CLEAR),
        ("overall", 55, (51, 59), (40, 60), BY_WORDS),
        ("overall", 44, (41, 49), (40, 60), BY_WORDS),
        ("overall", 62, (58, 66), (40, 60), CLEAR),
        ("bias_type", 35, (30, 41), (40, 60), CLEAR),
        ("overall", 50, (50, 50), (50, 50), NO_CLEAR),
        # a difference is compared with 0
        ("difference", 5, (-2, 12), (-20, 20), NO_CLEAR),
        ("difference", 38, (15, 62), (-9, 32), CLEAR),
        ("difference", -15, (-25, -5), (-20, 20), BY_WORDS),
        ("overall", 55, (NAN, NAN), (40, 60), CANNOT_TELL),
        ("overall", 55, (51, 59), (NAN, NAN), CANNOT_TELL),
        ("overall", NAN, (NAN, NAN), (NAN, NAN), CANNOT_TELL),
        # an end belongs to its interval, whatever rounding does to its last bits
        ("overall", 60.00000000000001, (55, 65), (40, 60), BY_WORDS),
        ("overall", 100 / 3, (30, 36), (100 / 3 + 1e-13, 60), BY_WORDS),
        ("overall", 55, (50.00000000000001, 60), (48, 52), NO_CLEAR),
        ("overall", 45, (40, 49.99999999999999), (48, 52), NO_CLEAR),
        ("difference", -9, (-18, -1e-15), (-5, 5), NO_CLEAR),
        ("overall", 60.001, (55, 65), (40, 60), CLEAR),
        ("overall", 55, (50.001, 60), (48, 52), CLEAR),
    ],
)
def test_the_three_answers(
    grouping: str, score: float, interval: tuple[float, float], words: tuple[float, float], verdict: str
) -> None:
    neutral = 0 if grouping == "difference" else 50
    row = pd.DataFrame([["AUL", grouping, score, *interval, *words, NAN, neutral]], columns=COLUMNS)
    assert verdicts(row).tolist() == [verdict]
    # a measure that hides every token is a control, without a verdict
    for name in ("AllMasked", "AllMaskedSum"):
        assert verdicts(row.assign(measure=name)).tolist() == [CONTROL]


@pytest.mark.parametrize(
    ("grouping", "interval", "unanimous_low", "verdict"),
    [
        # even if all pairs were decided alike the interval would include 50
        ("overall", (20, 80), 50.0, CANNOT_TELL),
        ("bias_type", (20, 80), 43.0, CANNOT_TELL),
        ("overall", (20, 80), 50.00000000000001, CANNOT_TELL),
        ("overall", (20, 80), 50.001, NO_CLEAR),
        ("overall", (20, 80), 96.0, NO_CLEAR),
        # an interval without 50 is there, whatever other decisions would have given
        ("overall", (51, 99), 43.0, CLEAR),
        ("difference", (-20, 20), NAN, NO_CLEAR),
    ],
)
def test_what_no_decisions_could_make_clear_cannot_be_told(
    grouping: str, interval: tuple[float, float], unanimous_low: float, verdict: str
) -> None:
    score = sum(interval) / 2
    neutral = 0 if grouping == "difference" else 50
    row = pd.DataFrame(
        [["AUL", grouping, score, *interval, 45.0, 55.0, unanimous_low, neutral]], columns=COLUMNS
    )
    assert verdicts(row).tolist() == [verdict]


@pytest.mark.parametrize(
    ("neutral", "interval", "unanimous_low", "verdict"),
    [
        # of 100 pairs 20 are undefined in `published`, so that no preference is 40
        (40, (36, 46), 70, NO_CLEAR),
        (50, (36, 46), 70, CLEAR),
        (40, (43, 53), 70, CLEAR),
        (50, (43, 53), 70, NO_CLEAR),
        (40, (20, 60), 45, NO_CLEAR),
        (40, (20, 60), 39, CANNOT_TELL),
    ],
)
def test_a_score_is_judged_about_that_of_no_preference(
    neutral: float, interval: tuple[float, float], unanimous_low: float, verdict: str
) -> None:
    numbers = [sum(interval) / 2, *interval, 60.0, 70.0, unanimous_low, neutral]
    assert verdicts(pd.DataFrame([["AUL", "overall", *numbers]], columns=COLUMNS)).tolist() == [verdict]


def test_measures_that_hide_every_token_are_controls() -> None:
    assert [name for name in MEASURES if not sees_context(name)] == ["AllMasked", "AllMaskedSum"]


def test_controls_and_what_cannot_be_told_are_not_testable() -> None:
    rows = pd.DataFrame({"verdict": VERDICTS})
    assert can_be_tested(rows)["verdict"].tolist() == list(TESTABLE)
    assert {CANNOT_TELL, CONTROL}.isdisjoint(TESTABLE)


def score_row(verdict: str, **more: object) -> dict[str, object]:
    return {
        "model": "bert", "benchmark": "cp", "measure": "AUL", "protocol": "corrected",
        "variant": "original", "grouping": "bias_type", "group": verdict, "n": 200, "score": 55.0,
        "low": 51.0, "high": 59.0, "null_low": 45.0, "null_high": 54.0, "untrained_low": None,
        "untrained_high": None, "verdict": verdict, **more,
    }  # fmt: skip


@pytest.mark.parametrize("there", [VERDICTS, (BY_WORDS,), (CONTROL, CANNOT_TELL), (CLEAR, CONTROL)])
def test_a_verdict_looks_the_same_whichever_others_there_are(there: tuple[str, ...]) -> None:
    drawn = charts.bias_types(pd.DataFrame([score_row(verdict) for verdict in there]))
    assert drawn is not None
    (points,) = [layer for layer in drawn.to_dict()["spec"]["layer"] if "shape" in layer["encoding"]]
    looks = {}
    for channel in ("color", "shape"):
        encoding = points["encoding"][channel]
        looks[channel] = encoding["scale"]["domain"]
        # the legend has what there is, and the three that are asked for
        listed = [*dict.fromkeys((*there, NO_CLEAR, BY_WORDS, CLEAR))]
        assert encoding["legend"]["values"] == [verdict for verdict in VERDICTS if verdict in listed]
    assert looks["color"] == looks["shape"] and set(looks["color"]) == set(VERDICTS)
    shapes = points["encoding"]["shape"]["scale"]["range"]
    assert len(set(shapes)) == len(VERDICTS)
    assert dict(zip(looks["shape"], shapes, strict=True))[CLEAR] == "square"
    for mode in ("light", "dark"):
        # judgements come after the verdicts, each with a colour of its own
        colours = theme(mode, FONT)["range"]["ordinal"]
        assert len(set(colours)) == len(colours) >= len(VERDICTS)
