"""Scores are read in the order of the study, whatever order they lie in."""

from pathlib import Path

import numpy as np
import pandas as pd

import synthetic
from library import SCORES, read_scores, write_table

MEASURES = ("AUL", "CPS", "SSS")


def test_scores_are_read_in_the_order_of_the_study(tmp_path: Path) -> None:
    pairs = synthetic.make(12, seed=1).pairs
    scores = synthetic.make_scores(pairs, np.random.default_rng(0), MEASURES)
    # chunk after chunk, as they are written
    first = scores["pair_id"].isin(pairs["pair_id"][:6])
    scores = pd.concat([scores[first], scores[~first]])
    write_table(tmp_path / "scores.parquet", scores, SCORES, {})
    same, other = (read_scores(tmp_path / "scores.parquet", order) for order in (MEASURES, MEASURES[::-1]))
    assert list(other["measure"].drop_duplicates()) == ["SSS", "CPS", "AUL"]
    for measure in MEASURES:
        of_same, of_other = (rows[rows["measure"] == measure] for rows in (same, other))
        pd.testing.assert_frame_equal(of_same.reset_index(drop=True), of_other.reset_index(drop=True))
