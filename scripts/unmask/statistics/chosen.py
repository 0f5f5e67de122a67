"""Pairs of one bias type, and what is known of them."""

import pandas as pd


def of_bias_type(pairs: pd.DataFrame, bias_type: str | None) -> tuple[pd.DataFrame, str | None]:
    """The pairs (PAIRS) of a bias type, and its name; all of them, and None, where it is None or there are
    none."""
    own = pairs["bias_type"].eq(bias_type) if bias_type is not None else None
    if own is None or not own.any():
        return pairs, None
    return pairs[own].reset_index(drop=True), bias_type


def of_pairs(pairs: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of scores (SCORES) that are of these pairs."""
    return scores[scores["pair_id"].isin(pairs["pair_id"])].reset_index(drop=True)
