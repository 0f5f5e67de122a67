"""The pairs that the measures of one model disagree on most."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from unmask.statistics.decisions import Decisions, code
from unmask.statistics.schema import DISPUTED
from unmask.tables import framed
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE

SHOWN = 20
"""So many pairs of each protocol are listed."""


def disputed_table(pairs: pd.DataFrame, decisions: Decisions) -> pd.DataFrame:
    """The pairs on which two measures are furthest apart, as unmask.statistics.schema.DISPUTED.

    Margins of different measures are on different scales, so each is placed among those of its own measure:
    place is how many percent of the measure's margins are no larger, whatever their sign. Counted for the
    stereotype or against it, two measures that decide a pair otherwise are as far apart as their places
    together; of equal ones those that come first in the benchmark are listed.
    """
    rows: list[dict[str, object]] = []
    prefers = (decisions.outcome == code(STEREOTYPE)).astype(int) - (
        decisions.outcome == code(ANTISTEREOTYPE)
    )
    for protocol in dict.fromkeys(protocol for _, protocol in decisions.series):
        columns = [place for place, series in enumerate(decisions.series) if series[1] == protocol]
        placed = np.stack([_placed(decisions.margin[:, column]) for column in columns], axis=1)
        signed = np.where(prefers[:, columns] != 0, prefers[:, columns] * placed, 0.0)
        first, second = signed.argmax(axis=1), signed.argmin(axis=1)
        every = np.arange(len(pairs))
        most, least = signed[every, first], signed[every, second]
        divided = np.flatnonzero((most > 0) & (least < 0))
        distance = np.round(most[divided] - least[divided], 9)
        order = divided[np.argsort(-distance, kind="stable")][:SHOWN]
        for rank, pair in enumerate(order, start=1):
            one, other = columns[first[pair]], columns[second[pair]]
            rows.append(
                {
                    "protocol": protocol,
                    "rank": rank,
                    "pair_id": pairs["pair_id"].iloc[pair],
                    "first": decisions.series[one][0],
                    "second": decisions.series[other][0],
                    "first_margin": decisions.margin[pair, one],
                    "second_margin": decisions.margin[pair, other],
                    "first_place": most[pair],
                    "second_place": -least[pair],
                    "for_it": int((prefers[pair, columns] > 0).sum()),
                    "against_it": int((prefers[pair, columns] < 0).sum()),
                }
            )
    return framed(rows, DISPUTED)


def _placed(margins: np.ndarray) -> np.ndarray:
    """How many percent of these margins are no larger than each, whatever their sign; 0 for nan."""
    known = ~np.isnan(margins)
    placed = np.zeros(len(margins))
    if known.any():
        placed[known] = 100 * rankdata(np.abs(margins[known]), method="max") / known.sum()
    return placed
