"""How much more d is for one encoder than for another, with the interval of the difference.

Both are resampled with the same draws of target words, so that what these words do to both of them cancels.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.associations.bootstrap import difference

COLUMNS = ["suite", "test", "experiment", "pooling", "level", "first", "second"]
NUMBERS = ["d_first", "d_second", "difference", "low", "high"]
_KEY = ["suite", "test", "experiment", "pooling", "level"]

OTHER_UNITS = "the two have other numbers of target words: their draws do not go with each other"
NO_DRAWS = "one of the two has no draws"


def differences(
    encoders: Sequence[str], rows: pd.DataFrame, draws: pd.DataFrame, confidence: float
) -> pd.DataFrame:
    """d of one encoder less d of another, for each two and all that both have, in the order of `encoders`.

    rows: ASSOCIATIONS of one protocol, and draws: DRAWS, both with the columns encoder and suite. Columns:
    COLUMNS, NUMBERS and reason, which says why there is no interval; low and high are null, too, where fewer
    than half of the resamples have a d.
    """
    rows_of = {encoder: _by_key(rows[rows["encoder"] == encoder]) for encoder in encoders}
    draws_of = {encoder: _by_key(draws[draws["encoder"] == encoder]) for encoder in encoders}
    all_differences: list[dict[str, Any]] = []
    for first, second in itertools.combinations(encoders, 2):
        of_pair: list[dict[str, Any]] = []
        pairs: dict[int, list[tuple[int, Any, Any]]] = {}
        for key, one in rows_of[first].items():
            other = rows_of[second].get(key)
            if other is None or pd.isna(one.d) or pd.isna(other.d):
                continue
            row: dict[str, Any] = dict(zip(_KEY, key, strict=True)) | {"first": first, "second": second}
            row |= {"d_first": one.d, "d_second": other.d, "difference": one.d - other.d}
            row["reason"] = _why_not(one, other, draws_of[first].get(key), draws_of[second].get(key))
            if row["reason"] is None:
                resamples = np.asarray(draws_of[first][key].d), np.asarray(draws_of[second][key].d)
                pairs.setdefault(len(resamples[0]), []).append((len(of_pair), *resamples))
            of_pair.append(row)
        for same in pairs.values():
            numbers, ones, others = zip(*same, strict=True)
            low, high = difference(_columns(ones), _columns(others), confidence)
            for number, *ends in zip(numbers, low, high, strict=True):
                of_pair[number] |= dict(zip(("low", "high"), ends, strict=True))
        all_differences += of_pair
    frame = pd.DataFrame(all_differences, columns=[*COLUMNS, *NUMBERS, "reason"])
    return frame.astype(dict.fromkeys(NUMBERS, float))


def _by_key(rows: pd.DataFrame) -> Mapping[tuple[str, ...], Any]:
    keys = rows[_KEY].itertuples(index=False, name=None)
    return dict(zip(keys, rows.itertuples(index=False), strict=True))


def _why_not(one: Any, other: Any, first: Any, second: Any) -> str | None:
    if first is None or second is None or not len(first.d) or len(first.d) != len(second.d):
        return NO_DRAWS
    return OTHER_UNITS if (one.x, one.y) != (other.x, other.y) else None


def _columns(draws: Sequence[Any]) -> Any:
    """(R, C) of C draws."""
    return np.stack(draws, axis=1).astype(np.float64)
