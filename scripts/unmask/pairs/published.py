"""resources/pairs/published.csv: bias scores and token accuracies of others."""

from pathlib import Path

import pandas as pd

from unmask.report.published import read_published

PAPER = "Kaneko and Bollegala (2022)"
"""The source whose tables this project remakes."""

STEREOSET = "moinnadeem/StereoSet, 2020-04"
"""What the authors of StereoSet print of their own predictions."""

ACCURACY, COUNT, SCORE = "accuracy", "stereotypical pairs", "bias score"
LMS_BY_TARGET, SCORE_BY_TARGET, ICAT_BY_TARGET = "LMS by target", "SS by target", "ICAT by target"
"""Means over targets, as StereoSet's authors average; a bias score by target is not one of all pairs."""


def published_percents(path: str | Path) -> pd.DataFrame:
    """Published values with `percent`: each value in percent, also where it is a count of pairs.

    Models and benchmarks go by their published names. group: `all` pairs, a direction or a bias type.
    reading: which tokens an accuracy counts, where it is known. pairs: of how many a COUNT is. dagger:
    whether the paper marks the value so.
    """
    rows = read_published(path)
    counts = 100 * rows["value"] / rows["pairs"]
    return rows.assign(percent=rows["value"].mask(rows["quantity"] == COUNT, counts))


def scores(published: pd.DataFrame) -> pd.DataFrame:
    """The bias scores among published values, in the order of their file."""
    return published[published["quantity"].isin((COUNT, SCORE))]


def by_others(published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores from elsewhere than PAPER, with `preferred`: the count of pairs behind each, if known."""
    rows = scores(published[published["source"] != PAPER])
    return rows.assign(preferred=rows["value"].where(rows["quantity"] == COUNT))
