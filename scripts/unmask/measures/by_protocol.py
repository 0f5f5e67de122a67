"""Scores from evidence that may have a sentence once for each protocol."""

from collections.abc import Sequence

import pandas as pd

from unmask.evidence.protocols import all_in_protocol, is_split
from unmask.measures.measure import Evidence
from unmask.measures.scoring import score_pairs
from unmask.terms import PROTOCOLS


def score_by_protocol(pair_ids: Sequence[str], evidence: Evidence, measures: Sequence[str]) -> pd.DataFrame:
    """The Scores rows of `score_pairs`, each protocol from the evidence that it reads."""
    if not any(map(is_split, evidence.values())):
        return score_pairs(pair_ids, evidence, measures)
    scores = {
        protocol: score_pairs(pair_ids, all_in_protocol(evidence, protocol), measures)
        for protocol in PROTOCOLS
    }
    parts = [
        rows[(rows["measure"] == measure) & (rows["protocol"] == protocol)]
        for measure in measures
        for protocol, rows in scores.items()
    ]
    return pd.concat(parts, ignore_index=True)
