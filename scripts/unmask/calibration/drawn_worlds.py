"""Exact models of synthetic worlds whose association and frequencies are drawn at random: the table DRAWN."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.calibration.exact_left import ExactLeftModel
from unmask.calibration.exact_model import TRUSTED, ExactModel
from unmask.calibration.planted_pairs import observe_exact, planted_pairs
from unmask.calibration.population import ORACLE, Member, Observed
from unmask.calibration.schema import DRAWN
from unmask.measures.registry import kind_for
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.tables import framed
from unmask.terms import STEREO
from unmask.worlds.grammar import ASSOCIATION, BOTH, World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption

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
        drawn = {"world": number, "p": p, "ratio": ratio}
        rows += [{**drawn, **row} for whole in _observed(world, settings, measures) for row in _rows(whole)]
    return framed(rows, DRAWN)


def _observed(world: World, settings: Mapping[str, Any], measures: Sequence[str]) -> Iterator[Observed]:
    """What the measures decide with the exact model of the world that each is for, kind by kind."""
    pairs, facts = planted_pairs(world, COUNTS)
    associated = facts["factor"].isin([ASSOCIATION, BOTH])
    corruption = Corruption.from_config(world.name, settings)
    for kind in (MASKED_LM, CAUSAL_LM):
        of_kind = [measure for measure in measures if kind_for(measure) == kind]
        if not of_kind:
            continue
        if kind == MASKED_LM:
            member = Member(world.name, ORACLE, None, world.name, TRUSTED, corruption._asdict())
            model: ExactModel | ExactLeftModel = ExactModel(world, corruption, TRUSTED)
        else:
            member = Member(world.name, ORACLE, None, world.name, None, None)
            model = ExactLeftModel(world)
        yield observe_exact(member, pairs[associated], facts[associated], model, of_kind)


def _rows(whole: Observed) -> Iterator[dict[str, object]]:
    """What is shown of one world, by measure."""
    stereo = whole.where((whole.pairs["factor"] == BOTH) & (whole.pairs["direction"] == STEREO))
    for column, measure in enumerate(whole.measures):
        score, margin = _means(whole, column)
        stereo_score, stereo_margin = _means(stereo, column)
        yield {
            "measure": measure,
            "score": score,
            "margin": margin,
            "stereo_score": stereo_score,
            "stereo_margin": stereo_margin,
        }


def _means(observed: Observed, column: int) -> tuple[float, float]:
    """The bias score in percent and the mean margin of one measure; nan where it is undefined."""
    trial = observed.trial[:, column]
    if not trial.any():
        return float("nan"), float("nan")
    # 0 is added since -0 is another number
    margin = round(float(observed.margin[trial, column].mean()), DECIMALS) + 0.0
    return 100 * float(observed.credit[trial, column].mean()), margin


def draw_world(settings: Mapping[str, Any], number: int, seed: int) -> tuple[float, float, World]:
    """One world with its p, of all occupations and faiths, and its ratio, of a pair of nations and of faiths.

    The log-odds of p are uniform from 0 to those of GREATEST_P, the log ratio is from 0 to that of
    GREATEST_RATIO. A world's number and the seed decide, however many are drawn.
    """
    rng = random.Random(f"drawn world {seed} {number}")
    odds = math.exp(rng.uniform(0, math.log(GREATEST_P / (1 - GREATEST_P))))
    p, ratio = odds / (1 + odds), math.exp(rng.uniform(0, math.log(GREATEST_RATIO)))
    levels = {
        "seed": rng.randrange(2**31),
        "associations": [p],
        "ratios": [ratio],
        "both": {"association": p, "ratios": [ratio]},
        "lengths": 0,
        "longer": 0,
        "names": 0,
    }
    return p, ratio, World.from_config(f"drawn {number}", {**settings, **levels})
