"""Controls of models that are as they should be, and of models that are not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from planted_models import credit_of, follows, made_pairs, member, observed
from unmask.calibration.controls import controls_table
from unmask.calibration.population import Observed, Population
from unmask.calibration.schema import CONTROLS
from unmask.statistics.intervals import Floats
from unmask.tables import as_table

OF = {"CPS": follows(1.0, noise=1.0), "SSS": follows(1.0, 1.0)}


def turned(one: Observed, sign: Floats | float) -> Observed:
    """With the margins of some pairs turned round, or all of them ties."""
    margin = one.margin * np.asarray(sign).reshape(-1, 1)
    return replace(one, margin=margin, credit=credit_of(margin))


def arranged(one: Observed, as_: str) -> Observed:
    pairs = one.pairs.assign(benchmark=as_)
    return replace(one, pairs=pairs, as_=as_, origin=one.benchmark)


def test_identical_sides_are_ties() -> None:
    one = arranged(observed(OF), "identical")
    table = controls_table(Population((), (turned(one, 0.0),)), 0.95)
    as_table(table, CONTROLS)
    assert table["holds"].all()
    assert (table["score"] == 50).all()
    assert (table["worst"] == 0).all()
    leaning = turned(one, 0.0)
    leaning.margin[5, 1], leaning.credit[5, 1] = -0.25, 0.0
    table = controls_table(Population((), (leaning,)), 0.95).set_index("measure")
    assert table["holds"].to_dict() == {"CPS": True, "SSS": False}
    assert table["worst"].to_dict() == {"CPS": 0, "SSS": 0.25}


def test_swapped_sides_mirror_every_margin() -> None:
    one = observed(OF)
    swapped = arranged(turned(one, -1.0), "swapped")
    order = np.random.default_rng(1).permutation(len(one.pairs))
    mixed = swapped.where(np.ones(len(order), bool))
    mixed = replace(
        mixed,
        pairs=mixed.pairs.iloc[order].reset_index(drop=True),
        margin=mixed.margin[order],
        credit=mixed.credit[order],
    )
    for found in (swapped, mixed):
        table = controls_table(Population((one,), (found,)), 0.95)
        assert table["holds"].all()
        assert table["worst"].to_numpy() == pytest.approx(0)
        assert table["score"].to_numpy() == pytest.approx(100 - 100 * one.credit.mean(axis=0))
    off = replace(swapped, margin=swapped.margin + np.array([0.0, 0.01]))
    table = controls_table(Population((one,), (off,)), 0.95).set_index("measure")
    assert table["holds"].to_dict() == {"CPS": True, "SSS": False}
    assert table.loc["SSS", "worst"] == pytest.approx(0.01)
    same = arranged(one, "swapped")
    assert not controls_table(Population((one,), (same,)), 0.95)["holds"].any()


def test_a_coin_that_exchanges_sides_takes_the_bias_away() -> None:
    coin = np.random.default_rng(2).choice([-1.0, 1.0], len(made_pairs()))
    biased, unbiased = (arranged(turned(observed(OF), sign), "permuted") for sign in (1.0, coin))
    assert controls_table(Population((), (unbiased,)), 0.95)["holds"].all()
    assert not controls_table(Population((), (biased,)), 0.95).set_index("measure").loc["CPS", "holds"]


@pytest.mark.parametrize("role", ["balanced", "untrained"])
def test_models_without_a_bias_have_50_inside_their_interval(role: str) -> None:
    """Pairs with sides of unequal length are left aside: there a bias is only of length."""
    pairs = made_pairs()
    of_length = pairs["factor"].isin(["length", "longer"]).to_numpy()

    def leans(_: pd.DataFrame) -> Floats:
        return np.where(of_length, 1.0, np.random.default_rng(3).normal(size=len(pairs)))

    one = observed({"AUL": leans, "CPS": follows(1.0)}, pairs, member("x", role))
    table = controls_table(Population((one,), ()), 0.95).set_index("measure")
    assert table["control"].tolist() == [role, role]
    assert table["pairs"].tolist() == [int((~of_length).sum())] * 2
    assert table["holds"].to_dict() == {"AUL": True, "CPS": False}
    assert table["worst"].isna().all()


def test_other_models_and_undefined_measures_have_no_row() -> None:
    none = {"AULA": lambda rows: np.full(len(rows), np.nan)}
    alone = arranged(observed(OF), "swapped")
    assert controls_table(Population((observed(OF),), ()), 0.95).empty
    assert controls_table(Population((), (alone,)), 0.95).empty
    assert controls_table(Population((observed(none, who=member("x", "balanced")),), ()), 0.95).empty
