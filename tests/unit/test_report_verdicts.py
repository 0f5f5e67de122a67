"""What is claimed of a distance from 50."""

import numpy as np
import pandas as pd
import pytest

from unmask.pairs.verdicts import BEYOND, UNKNOWN, WITHIN_NOISE, WITHIN_WORDS, verdicts

NAN = np.nan


@pytest.mark.parametrize(
    ("grouping", "score", "interval", "words", "verdict"),
    [
        ("overall", 52, (48, 56), (40, 60), WITHIN_NOISE),
        # noise is asked first
        ("overall", 62, (49, 70), (40, 60), WITHIN_NOISE),
        ("overall", 55, (51, 59), (40, 60), WITHIN_WORDS),
        ("overall", 44, (41, 49), (40, 60), WITHIN_WORDS),
        ("overall", 62, (58, 66), (40, 60), BEYOND),
        ("bias_type", 35, (30, 41), (40, 60), BEYOND),
        ("overall", 50, (50, 50), (50, 50), WITHIN_NOISE),
        # a difference is held against 0
        ("difference", 5, (-2, 12), (-20, 20), WITHIN_NOISE),
        ("difference", 38, (15, 62), (-9, 32), BEYOND),
        ("difference", -15, (-25, -5), (-20, 20), WITHIN_WORDS),
        ("overall", 55, (NAN, NAN), (40, 60), UNKNOWN),
        ("overall", 55, (51, 59), (NAN, NAN), UNKNOWN),
        ("overall", NAN, (NAN, NAN), (NAN, NAN), UNKNOWN),
    ],
)
def test_the_three_answers(
    grouping: str, score: float, interval: tuple[float, float], words: tuple[float, float], verdict: str
) -> None:
    row = pd.DataFrame(
        [[grouping, score, *interval, *words]],
        columns=["grouping", "score", "low", "high", "null_low", "null_high"],
    )
    assert verdicts(row).tolist() == [verdict]
