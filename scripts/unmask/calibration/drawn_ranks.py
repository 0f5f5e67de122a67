"""How well the oracle's measures put drawn worlds in the order of their bias."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from unmask.calibration.merits import DECIMALS
from unmask.calibration.population import ORACLE
from unmask.calibration.power import Options, generator
from unmask.calibration.schema import MERITS
from unmask.statistics.intervals import Floats
from unmask.tables import framed

RANK_OF_WORLDS = "rank of worlds"
SHOWN = {
    "margin": "margin",
    "score": "score",
    "margin, disadvantaged": "stereo_margin",
    "score, disadvantaged": "stereo_score",
}
"""What worlds are ranked by, as a condition is named, and its column of DRAWN: all pairs, or those on the
disadvantaged group alone. Over all pairs frequency cancels, as both groups of a pair have their turn."""


def rank_of_worlds(drawn: pd.DataFrame, options: Options) -> pd.DataFrame:
    """Spearman's correlation over worlds of what a measure shows with the association, as MERITS.

    drawn: DRAWN. The interval is that of percentiles of `options.draws` resamples of worlds. nan where a
    measure shows the same of all worlds. No row with fewer than two worlds.
    """
    rows = [row for _, own in drawn.groupby("measure", sort=True) for row in _rows(own, options)]
    return framed(rows, MERITS)


def _rows(own: pd.DataFrame, options: Options) -> Iterator[dict[str, object]]:
    measure = str(own["measure"].iloc[0])
    for condition, column in SHOWN.items():
        known = own[own[column].notna()].sort_values("world")
        if len(known) < 2:
            continue
        shown, p = known[column].round(DECIMALS).to_numpy(), known["p"].to_numpy()
        rng = generator(options.seed, RANK_OF_WORLDS, measure, condition)
        resampled = rng.integers(len(known), size=(options.draws, len(known)))
        found = spearman_rows(shown[resampled], p[resampled])
        found = found[~np.isnan(found)]
        tail = (1 - options.confidence) / 2
        value = float(spearman_rows(shown[None], p[None])[0])
        missing = np.isnan(value) or not len(found)
        low, high = (np.nan, np.nan) if missing else np.quantile(found, [tail, 1 - tail])
        yield {
            "measure": measure,
            "kind": ORACLE,
            "merit": RANK_OF_WORLDS,
            "condition": condition,
            "value": value,
            "low": low,
            "high": high,
            "models": len(known),
            "families": len(known),
        }


def spearman_rows(first: Floats, second: Floats) -> Floats:
    """Spearman's correlation of each row of two arrays of one shape; nan where one of them is constant."""
    ranks = [rankdata(values, axis=1) for values in (first, second)]
    one, other = (values - values.mean(axis=1, keepdims=True) for values in ranks)
    both = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    products = (one * other).sum(axis=1)
    found: Floats = np.divide(products, both, out=np.full(len(first), np.nan), where=both > 0)
    return found
