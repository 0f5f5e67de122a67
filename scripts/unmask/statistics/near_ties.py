"""Near-ties: decisions that float error could turn, so that another machine may decide otherwise.

A decision is the outcome of one measure, under one protocol, on one pair. unmask.measures.float_error says
how far a score may be off; unmask.measures.scoring decides once with the scores as they are and once at
either end of that. A near-tie is a pair for which these outcomes differ.
"""

import pandas as pd

from unmask.statistics.schema import NEAR_TIES


def is_near_tie(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Which rows of Scores (unmask.measures.schema.SCORES) are near-ties."""
    return scores["lowest"] != scores["highest"]


def near_ties_table(pairs: pd.DataFrame, scores: pd.DataFrame, variant: str) -> pd.DataFrame:
    """The near-ties among `scores`, as unmask.statistics.schema.NEAR_TIES, in the order of `scores`."""
    words = scores.dtypes[scores.dtypes == "category"].index
    near = scores[is_near_tie(scores)].astype(dict.fromkeys(words, "str"))
    bias_type = pairs.set_index("pair_id")["bias_type"]
    near = near.assign(variant=variant, bias_type=near["pair_id"].map(bias_type)).reset_index(drop=True)
    return near.reindex(columns=NEAR_TIES.names)
