"""The verdicts on scores."""

import numpy as np
import pandas as pd
import pytest

from library import BY_WORDS, CANNOT_TELL, CLEAR, CONTROL, NO_CLEAR, VERDICTS, charts, verdicts

COLUMNS = [
    *("measure", "grouping", "score", "low", "high", "null_low", "null_high"),
    *("unanimous_low", "neutral"),
]

NAN = np.nan


@pytest.mark.parametrize(
    ("score", "interval", "words", "verdict"),
    [
        (52, (48, 56), (40, 60), NO_CLEAR),
        # the interval is asked first
        (62, (49, 70), (40, 60), NO_CLEAR),
        (55, (51, 59), (40, 60), BY_WORDS),
        (44, (41, 49), (40, 60), BY_WORDS),
        (62, (58, 66), (40, 60), CLEAR),
        (35, (30, 41), (40, 60), CLEAR),
        (50, (50, 50), (50, 50), NO_CLEAR),
        (55, (NAN, NAN), (40, 60), CANNOT_TELL),
        (55, (51, 59), (NAN, NAN), CANNOT_TELL),
        (NAN, (NAN, NAN), (NAN, NAN), CANNOT_TELL),
        # an end belongs to its interval, whatever rounding does to its last bits
        (60.00000000000001, (55, 65), (40, 60), BY_WORDS),
        (100 / 3, (30, 36), (100 / 3 + 1e-13, 60), BY_WORDS),
        (55, (50.00000000000001, 60), (48, 52), NO_CLEAR),
        (45, (40, 49.99999999999999), (48, 52), NO_CLEAR),
        (60.001, (55, 65), (40, 60), CLEAR),
        (55, (50.001, 60), (48, 52), CLEAR),
    ],
)
def test_the_three_answers(
    score: float, interval: tuple[float, float], words: tuple[float, float], verdict: str
) -> None:
    row = pd.DataFrame([["AUL", "overall", score, *interval, *words, NAN, 50]], columns=COLUMNS)
    assert verdicts(row).tolist() == [verdict]
    # a difference is compared with 0
    numbers = [score - 50, *(end - 50 for end in (*interval, *words)), NAN, 0]
    difference = pd.DataFrame([["AUL", "difference", *numbers]], columns=COLUMNS)
    assert verdicts(difference).tolist() == [verdict]
    # a measure that hides every token is a control, without a verdict
    for name in ("AllMasked", "AllMaskedSum"):
        assert verdicts(row.assign(measure=name)).tolist() == [CONTROL]


@pytest.mark.parametrize(
    ("neutral", "interval", "unanimous_low", "verdict"),
    [
        # even if all pairs were decided alike the interval would include 50
        (50, (20, 80), 50.0, CANNOT_TELL),
        (50, (20, 80), 50.00000000000001, CANNOT_TELL),
        (50, (20, 80), 50.001, NO_CLEAR),
        # an interval without 50 is there, whatever other decisions would have given
        (50, (51, 99), 43.0, CLEAR),
        # of 100 pairs 20 are undefined in `published`, so that no preference is 40
        (40, (36, 46), 70, NO_CLEAR),
        (50, (36, 46), 70, CLEAR),
        (40, (43, 53), 70, CLEAR),
        (50, (43, 53), 70, NO_CLEAR),
        (40, (20, 60), 45, NO_CLEAR),
        (40, (20, 60), 39, CANNOT_TELL),
    ],
)
def test_what_no_decisions_could_make_clear_cannot_be_told(
    neutral: float, interval: tuple[float, float], unanimous_low: float, verdict: str
) -> None:
    numbers = [sum(interval) / 2, *interval, 90.0, 95.0, unanimous_low, neutral]
    assert verdicts(pd.DataFrame([["AUL", "overall", *numbers]], columns=COLUMNS)).tolist() == [verdict]


@pytest.mark.parametrize("there", [VERDICTS, (CONTROL, CANNOT_TELL)])
def test_a_verdict_looks_the_same_whichever_others_there_are(there: tuple[str, ...]) -> None:
    row = {
        "model": "bert", "benchmark": "cp", "measure": "AUL", "protocol": "corrected",
        "variant": "original", "grouping": "bias_type", "n": 200, "score": 55.0, "low": 51.0,
        "high": 59.0, "null_low": 45.0, "null_high": 54.0, "untrained_low": None, "untrained_high": None,
    }  # fmt: skip
    drawn = charts.bias_types(pd.DataFrame([{**row, "group": each, "verdict": each} for each in there]))
    assert drawn is not None
    (points,) = [layer for layer in drawn.to_dict()["spec"]["layer"] if "shape" in layer["encoding"]]
    for channel in ("color", "shape"):
        encoding = points["encoding"][channel]
        assert encoding["scale"]["domain"] == list(VERDICTS)
        # the legend has what there is, and the three that are asked for
        listed = {*there, NO_CLEAR, BY_WORDS, CLEAR}
        assert encoding["legend"]["values"] == [verdict for verdict in VERDICTS if verdict in listed]
    assert len(set(points["encoding"]["shape"]["scale"]["range"])) == len(VERDICTS)
