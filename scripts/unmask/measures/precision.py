"""What another arithmetic does to scores and decisions."""

import logging

import numpy as np
import pandas as pd

from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

logger = logging.getLogger(__name__)


def spread_sample(pairs: pd.DataFrame, count: int) -> pd.DataFrame:
    """About `count` pairs, evenly spread over the benchmark; all of them where there are fewer."""
    chosen = np.unique(np.linspace(0, len(pairs) - 1, min(count, len(pairs))).round().astype(int))
    return pairs.iloc[chosen]


def compare_scores(reference: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """For each measure and protocol: how far scores moved from `reference`, and which decisions flipped.

    Both are Scores tables over the same pairs. Columns: measure, protocol, pairs, largest_change (of
    any side's score), flipped (how many pairs have another outcome), flipped_pairs (their ids, separated
    by spaces).
    """
    keys = ["measure", "protocol", "pair_id"]
    both = reference.merge(other, on=keys, suffixes=("", "_other"), validate="one_to_one")
    if not len(both) == len(reference) == len(other):
        raise ValueError("the two tables have different pairs")
    changes = []
    for (measure, protocol), rows in both.groupby(["measure", "protocol"], sort=False):
        sides = [(rows[side] - rows[f"{side}_other"]).abs().max() for side in (STEREOTYPE, ANTISTEREOTYPE)]
        flipped = rows.loc[rows["outcome"] != rows["outcome_other"], "pair_id"]
        changes.append(
            {
                "measure": measure,
                "protocol": protocol,
                "pairs": len(rows),
                "largest_change": max(sides),
                "flipped": len(flipped),
                "flipped_pairs": " ".join(flipped),
            }
        )
        logger.info(
            "%s, %s: scores move by %.2g at most, %d of %d decisions flip",
            measure,
            protocol,
            max(sides),
            len(flipped),
            len(rows),
        )
    return pd.DataFrame(changes)
