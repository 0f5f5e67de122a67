"""Exact models of worlds whose association and frequencies are drawn: do measures rank them by their bias?"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.calibration.exact_model import TRUSTED, ExactModel
from unmask.calibration.planted_pairs import exact_scores, planted_pairs
from unmask.calibration.schema import DRAWN
from unmask.tables import framed
from unmask.terms import STEREO
from unmask.worlds.corruption import Corruption
from unmask.worlds.grammar import ASSOCIATION, BOTH, World
from unmask.worlds.pairs import Counts

GREATEST_P, GREATEST_RATIO = 0.95, 16
COUNTS = Counts(per_occupation=3, per_trait=12)
"""As many pairs of occupations as of faiths."""

DECIMALS = 9
"""Mean margins are rounded to so many: what cancels out ranks no worlds."""


def drawn_worlds(
    settings: Mapping[str, Any], measures: Sequence[str], worlds: int, seed: int
) -> pd.DataFrame:
    """The DRAWN rows of `worlds` worlds, by world and measure: what is decided on pairs with an association.

    settings: of a world, which the drawn ones share but for what is drawn: its corruption.
    Raises InputError as World.from_config and Corruption.from_config do.
    """
    rows = []
    for number in range(worlds):
        p, ratio, world = draw_world(settings, number, seed)
        corruption = Corruption.from_config(world.name, settings)
        pairs, planted = planted_pairs(world, COUNTS)
        associated = planted["factor"].isin([ASSOCIATION, BOTH]).to_numpy()
        pairs, kinds = pairs[associated], planted.loc[associated, ["factor", "direction"]]
        scores = exact_scores(pairs, ExactModel(world, corruption, TRUSTED), measures)
        scores = scores.merge(kinds.assign(pair_id=pairs["pair_id"]), on="pair_id")
        for measure, of_measure in scores.groupby("measure", sort=False):
            faiths = of_measure[of_measure["factor"] == BOTH]
            stereo = faiths[faiths["direction"] == STEREO]
            rows.append(
                {
                    "world": number,
                    "p": p,
                    "ratio": ratio,
                    "measure": measure,
                    "score": 100 * of_measure["credit"].mean(),
                    "margin": _rounded_mean(of_measure),
                    "stereo_score": 100 * stereo["credit"].mean(),
                    "stereo_margin": _rounded_mean(stereo),
                }
            )
    return framed(rows, DRAWN)


def _rounded_mean(scores: pd.DataFrame) -> float:
    # 0 is added since -0 would be told from it
    return round(float(scores["margin"].mean()), DECIMALS) + 0.0


def draw_world(settings: Mapping[str, Any], number: int, seed: int) -> tuple[float, float, World]:
    """One world with its p, of all occupations and faiths, and its ratio, of a pair of nations and of faiths.

    The log-odds of p are uniform from 0 to those of GREATEST_P, the log ratio is from 0 to that of
    GREATEST_RATIO. A world's number and the seed decide, however many are drawn.
    """
    rng = random.Random(f"drawn world {seed} {number}")
    odds = math.exp(rng.uniform(0, math.log(GREATEST_P / (1 - GREATEST_P))))
    p, ratio = odds / (1 + odds), math.exp(rng.uniform(0, math.log(GREATEST_RATIO)))
    drawn = {
        "seed": rng.randrange(2**31),
        "associations": [p],
        "ratios": [ratio],
        "both": {"association": p, "ratios": [ratio]},
        "lengths": 0,
        "longer": 0,
    }
    return p, ratio, World.from_config(f"drawn {number}", {**settings, **drawn})
