"""Does a measure follow word frequency? Log frequency ratios of pairs against the margins of measures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.errors import InputError
from unmask.frequency.group_words import rounded
from unmask.frequency.schema import CORRELATIONS, PAIR_RATIOS
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.statistics.scores import decisions, groups
from unmask.statistics.uncertainty import spearman
from unmask.tables import framed, read_table


def link_table(
    pairs: pd.DataFrame, scores: pd.DataFrame, ratios: Sequence[str | Path], confidence: float
) -> pd.DataFrame:
    """`correlation_table` with a file of PAIR_RATIOS; no rows without one, as where there is no corpus."""
    tables = [read_table(path, PAIR_RATIOS) for path in ratios]
    rows = [correlation_table(pairs, scores, table, confidence) for table in tables]
    return rows[0] if rows else framed([], CORRELATIONS)


def correlation_table(
    pairs: pd.DataFrame, scores: pd.DataFrame, ratios: pd.DataFrame, confidence: float
) -> pd.DataFrame:
    """Spearman's correlation of margin and log frequency ratio, over all pairs and by bias type.

    pairs, scores: PAIRS and SCORES of one model; ratios: PAIR_RATIOS. Rows of CORRELATIONS; pairs that lack
    a margin or a ratio are left out. The interval (unmask.statistics.uncertainty.spearman) takes pairs as
    independent; pairs about the same words are not, so it is too narrow where a benchmark has few words.
    Ratios are ranked as `rounded` leaves them.
    Raises InputError where scores or ratios are of other pairs.
    """
    if list(ratios["pair_id"]) != list(pairs["pair_id"]):
        raise InputError(
            "log frequency ratios: they are not those of this benchmark; delete them and run again"
        )
    decided = decisions(pairs, scores)
    ratio = rounded(ratios["log_ratio"])
    of_groups = [each for each in groups(pairs) if each[0] in (OVERALL, BIAS_TYPE)]
    rows: list[dict[str, object]] = []
    for (measure, protocol), margin in zip(decided.series, decided.margin.T, strict=True):
        known = ~np.isnan(margin) & ~np.isnan(ratio)
        for grouping, group, members in of_groups:
            counted = members[known[members]]
            correlation = spearman(ratio[counted], margin[counted], confidence)
            rows.append(
                {
                    "measure": measure,
                    "protocol": protocol,
                    "grouping": grouping,
                    "group": group,
                    "n": len(counted),
                    "left_out": len(members) - len(counted),
                    **correlation._asdict(),
                    "reason": _reason(ratio[counted], margin[counted], correlation.rho, correlation.low),
                }
            )
    return framed(rows, CORRELATIONS)


def _reason(ratio: Any, margin: Any, rho: float, low: float) -> str | None:
    if not np.isnan(low):
        return None
    if len(ratio) < 4:
        return "fewer than four pairs"
    if not np.isnan(rho):
        return "no interval: the correlation is perfect"
    return "every ratio is the same" if np.ptp(ratio) == 0 else "every margin is the same"
