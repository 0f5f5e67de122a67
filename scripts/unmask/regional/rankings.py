"""Whether a ranking of regions says more than how many pairs of children each has.

Equation 8 divides by the number of pairs, though the weights of equation 9 add up to one already: what comes
of both is a mean distance over the number of pairs, whatever the vectors are.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from unmask.regional.published import OVERALL, by_region
from unmask.regional.region_index import RegionIndex
from unmask.regional.results import RegionalResults
from unmask.regional.terms import MEASURES

TOPS, INNER = "tops", "inner"
"""Which regions are ranked: those right below the root, and the regions with children below them."""

FEWEST = 3
"""Fewer regions make no ranking."""

RANKINGS = ("model", "measure", "variant", "ranked", "regions", "tau")


def tau_with_pairs(index: RegionIndex, scores: Mapping[str, float]) -> tuple[int, float | None]:
    """How many regions have a score and a pair of children, and Kendall's tau-b between the scores and 1 over
    the number of pairs; None where there are fewer than FEWEST, or all are equal."""
    pairs = {region: index.pairs(region) for region in scores}
    known = [region for region, score in scores.items() if pairs[region] and not pd.isna(score)]
    if len(known) < FEWEST:
        return len(known), None
    tau = float(kendalltau([scores[r] for r in known], [1 / pairs[r] for r in known]).statistic)
    return len(known), None if np.isnan(tau) else tau


def rankings(results: RegionalResults) -> pd.DataFrame:
    """One row per model, measure, protocol and kind of regions ranked, with the columns RANKINGS."""
    index, rows = results.index, []
    for ranked, regions in ((TOPS, index.tops()), (INNER, index.inner())):
        scores = results.select(MEASURES, regions=regions)
        for key, part in scores.groupby(["model", "measure", "variant"], sort=False):
            count, tau = tau_with_pairs(index, dict(zip(part["region"], part["score"], strict=True)))
            rows.append((*key, ranked, count, tau))
    return pd.DataFrame(rows, columns=list(RANKINGS)).astype({"tau": float})


def printed_taus(index: RegionIndex, published: pd.DataFrame, measure: str) -> dict[str, list[float]]:
    """Kendall's tau between what the paper prints in Table 1 and 1 over the number of pairs of this tree.

    By order of the columns, one for each model; none where the tree has not all of the paper's continents.
    """
    printed = by_region(published, "table1")
    printed = printed[(printed["measure"] == measure) & (printed["region"] != OVERALL)]
    taus: dict[str, list[float]] = {}
    for (_, order), values in printed.groupby(["model", "order"], sort=False):
        scores = dict(zip(values["region"], values["value"], strict=True))
        if set(scores) <= set(index.tops()):
            _, tau = tau_with_pairs(index, scores)
            if tau is not None:
                taus.setdefault(str(order), []).append(tau)
    return taus
