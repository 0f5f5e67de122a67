"""Near-ties: decisions that float error could turn, so that another machine may decide otherwise.

A decision is the outcome of one measure, under one protocol, on one pair. unmask.measures.float_error says
how far a score may be off; unmask.measures.scoring decides once with the scores as they are and once at
either end of that. A near-tie is a pair for which these outcomes differ.
"""

import pandas as pd


def is_near_tie(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows of Scores (unmask.measures.schema.SCORES) are near-ties."""
    return scores["lowest"] != scores["highest"]
