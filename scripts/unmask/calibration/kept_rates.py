"""What the shares of kept and random tokens do to the measures, on exact models of one world."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.calibration.exact_model import CONTEXTS, ExactModel
from unmask.calibration.planted_pairs import exact_scores, planted_pairs
from unmask.calibration.schema import KEPT
from unmask.calibration.slopes import NO_SLOPE, least_squares
from unmask.calibration.theory import log_odds, towards_stereotype
from unmask.tables import framed
from unmask.terms import STEREO
from unmask.worlds.corruption import Corruption
from unmask.worlds.grammar import ASSOCIATION, FREQUENCY, World
from unmask.worlds.pairs import Counts

KEPT_SHARES = (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
RANDOM_SHARE = 0.1
NOTHING_RANDOM = Corruption(masked=0.5, kept=0.5, random=0)
ROLE = "exact"
COUNTS = Counts(per_occupation=6, per_trait=6)
"""Of more pairs the slopes hardly differ: pairs of one unit differ in words that tell nothing."""


def corruptions() -> tuple[Corruption, ...]:
    """The shares that are gone through: kept ones beside few random ones, then none random."""
    grid = (Corruption(round(1 - kept - RANDOM_SHARE, 2), kept, RANDOM_SHARE) for kept in KEPT_SHARES)
    return (*grid, NOTHING_RANDOM)


def kept_rates(
    name: str, settings: Mapping[str, Any], measures: Sequence[str], association: float
) -> pd.DataFrame:
    """The KEPT rows of exact models of the world `name`, by corruption, context and measure.

    association: the p at which `associated` is asked for; null where the world has none such.
    Raises InputError as World.from_config does.
    """
    world = World.from_config(name, settings)
    pairs, planted = planted_pairs(world, COUNTS)
    rows: list[dict[str, object]] = []
    for corruption in corruptions():
        for context in CONTEXTS:
            model = ExactModel(world, corruption, context)
            shared = {
                "model": f"{context}, kept {corruption.kept:g}, random {corruption.random:g}",
                "role": ROLE,
                "architecture": None,
                "family": name,
                "context": context,
                **corruption._asdict(),
            }
            for found in _found(exact_scores(pairs, model, measures), pairs, planted, association):
                rows.append(shared | found)
    return framed(rows, KEPT)


def _found(
    scores: pd.DataFrame, pairs: pd.DataFrame, planted: pd.DataFrame, association: float
) -> Iterator[dict[str, object]]:
    """Slopes and bias scores of each measure."""
    known = planted.assign(pair_id=pairs["pair_id"])
    for measure, rows in scores.merge(known, on="pair_id").groupby("measure", sort=False):
        associated = rows[rows["factor"] == ASSOCIATION]
        frequent = rows[rows["factor"] == FREQUENCY]
        by_association = slope(associated, [log_odds(p) for p in associated["p"]])
        by_frequency = slope(
            frequent, list(map(towards_stereotype, frequent["ratio"], frequent["direction"]))
        )
        rarer = frequent[(frequent["direction"] == STEREO) & (frequent["ratio"] == frequent["ratio"].max())]
        yield {
            "measure": measure,
            "association": by_association,
            "frequency": by_frequency,
            "exchange": by_frequency / by_association if abs(by_association) > NO_SLOPE else None,
            "associated": 100 * associated.loc[associated["p"] == association, "credit"].mean(),
            "rarer": 100 * rarer["credit"].mean(),
        }


def slope(rows: pd.DataFrame, doses: Sequence[float]) -> float:
    """Least squares of the mean margins on the dose, a point for each unit at each direction.

    NaN where all have one dose.
    """
    points = rows.assign(dose=doses).groupby(["unit", "direction"])[["dose", "margin"]].mean()
    found = least_squares(points["dose"].to_numpy(), points["margin"].to_numpy())
    return float("nan") if found is None else found.value
