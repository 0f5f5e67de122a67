"""Exact models of drawn worlds and over the shares of kept tokens, as tables."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from closed_forms import log_odds
from made_worlds import DOSED, make_world, settings
from running import run_script
from unmask.calibration import mlm_corruption
from unmask.calibration.drawn_worlds import COUNTS, draw_world, drawn_worlds
from unmask.calibration.mlm_corruption import corruptions, exact_corruption_table
from unmask.calibration.planted_pairs import planted_pairs
from unmask.calibration.schema import DRAWN, KEPT
from unmask.tables import read_metadata, read_table
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption

MEASURES = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "PLL"]


def test_worlds_are_drawn_from_the_whole_of_both_scales_and_by_their_number() -> None:
    drawn = [draw_world(settings(), number, seed=5) for number in range(60)]
    odds = [log_odds(p) for p, _, _ in drawn]
    ratios = [math.log(ratio) for _, ratio, _ in drawn]
    for found, greatest in ((odds, log_odds(0.95)), (ratios, math.log(16))):
        assert 0 <= min(found) < greatest / 8
        assert greatest * 7 / 8 < max(found) <= greatest
    assert abs(np.corrcoef(odds, ratios)[0, 1]) < 0.3
    for p, ratio, world in drawn[:3]:
        assert world.associations == (p,) and world.both == (p, (ratio,)) and world.ratios == (ratio,)
        assert {pair.factor for pair in world.group_pairs} == {FREQUENCY, BOTH}
    assert draw_world(settings(), 7, seed=5) == drawn[7]
    assert draw_world(settings(), 7, seed=6) != drawn[7]


def test_occupations_and_faiths_count_alike_in_drawn_worlds() -> None:
    _, planted = planted_pairs(draw_world(settings(), 0, seed=0)[2], COUNTS)
    counts = Counter(planted["factor"])
    assert counts[ASSOCIATION] == counts[BOTH] == 72


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    return drawn_worlds(settings(), MEASURES, worlds=4, seed=1)


def test_drawn_worlds_have_the_margins_of_the_theory(drawn: pd.DataFrame) -> None:
    assert len(drawn) == 4 * len(MEASURES)
    by_measure = {str(measure): rows for measure, rows in drawn.groupby("measure")}
    logit = np.array([log_odds(p) for p in by_measure["SSS"]["p"]])
    log_ratio = np.log(by_measure["SSS"]["ratio"].to_numpy())
    # the two directions of faiths have opposite signs of the log ratio
    for measure, margin, of_stereo in (("CPS", logit, logit), ("SSS", logit, logit - log_ratio)):
        np.testing.assert_allclose(by_measure[measure]["margin"], margin, atol=1e-6)
        np.testing.assert_allclose(by_measure[measure]["stereo_margin"], of_stereo, atol=1e-6)
    assert (by_measure["AllMasked"]["margin"] == 0).all()
    assert (by_measure["CPS"]["score"] == 100).all()
    # of faiths whose ratio outweighs the association it is the antistereotype
    wrong = log_ratio > logit
    assert by_measure["SSS"]["stereo_score"].tolist() == [0.0 if each else 100.0 for each in wrong]
    assert by_measure["SSS"]["score"].tolist() == [75.0 if each else 100.0 for each in wrong]
    assert set(wrong) == {True, False}


def test_a_drawn_world_does_not_depend_on_how_many_there_are(drawn: pd.DataFrame) -> None:
    fewer = drawn_worlds(settings(), MEASURES, worlds=2, seed=1)
    pd.testing.assert_frame_equal(fewer, drawn[drawn["world"] < 2])


def test_shares_of_corruption_sum_to_one_and_are_shares_of_a_study() -> None:
    found = corruptions()
    for each in found:
        assert Corruption.from_config("w", {"corruption": each._asdict()}) == each
    assert [each.kept for each in found[:-1]] == [0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert {each.random for each in found[:-1]} == {0.1}
    assert found[-1] == (0.5, 0.5, 0)


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        # a few of the shares, and of the pairs
        patch.setattr(mlm_corruption, "KEPT_SHARES", (0, 0.1, 0.5))
        patch.setattr(mlm_corruption, "COUNTS", Counts(per_occupation=3, per_trait=3))
        return exact_corruption_table("w", settings(), MEASURES, association=0.75)


def test_kept_shares_have_a_row_each_for_context_and_measure(kept: pd.DataFrame) -> None:
    assert list(kept.columns) == KEPT.names
    assert len(kept) == 4 * 2 * len(MEASURES)
    assert not kept.duplicated(["kept", "random", "context", "measure"]).any()
    assert kept["model"].nunique() == 8
    assert set(kept["role"]) == {"exact"} and set(kept["family"]) == {"w"}
    assert kept["architecture"].isna().all()


def test_what_hides_tokens_does_not_depend_on_kept_ones_where_context_is_trusted(kept: pd.DataFrame) -> None:
    trusted = {str(measure): rows for measure, rows in kept[kept["context"] == "trusted"].groupby("measure")}
    for measure, association, frequency in (("CPS", 1.0, 0.0), ("SSS", 1.0, 1.0), ("PLL", 5 / 3, 1.0)):
        rows = trusted[measure][["association", "frequency", "exchange"]].to_numpy(float)
        expected = [association, frequency, frequency / association]
        np.testing.assert_allclose(rows, np.tile(expected, (len(rows), 1)), atol=1e-6)
    assert trusted["AllMasked"]["exchange"].isna().all()
    for measure, rarer in (("CPS", 50), ("SSS", 0)):
        assert (trusted[measure][["associated", "rarer"]].to_numpy() == [100, rarer]).all()


def test_kept_tokens_shrink_aul_but_do_not_rid_it_of_frequency(kept: pd.DataFrame) -> None:
    for context in ("trusted", "corrupted"):
        rows = kept[(kept["measure"] == "AUL") & (kept["context"] == context)]
        nothing_random = rows[rows["random"] == 0]
        found = nothing_random[["association", "frequency", "associated", "rarer"]].to_numpy()
        assert found.tolist() == [[0, 0, 50, 50]]
        some = rows[rows["random"] > 0]
        assert some["association"].is_monotonic_decreasing
        assert some["frequency"].is_monotonic_decreasing
        # both by about as much: of ten times smaller margins frequency has the same part
        assert some["exchange"].between(0.4, 0.7).all()
        assert some["frequency"].iloc[0] > 8 * some["frequency"].iloc[-1]
        assert (some["rarer"] == 0).all() and (some["associated"] == 100).all()


def test_where_nothing_is_kept_aul_is_pll_over_the_length(kept: pd.DataFrame) -> None:
    of_share = kept[(kept["kept"] == 0) & (kept["context"] == "trusted")].set_index("measure")
    by_measure = of_share["exchange"]
    # sentences of different lengths weigh differently
    assert by_measure["AUL"] == pytest.approx(by_measure["PLL"], abs=0.03)


@pytest.mark.thorough
def test_the_script_writes_both_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params: dict[str, Any] = {
        "name": "w",
        "settings": settings(),
        "measures": ["CPS", "AUL"],
        "association": 0.75,
        "drawn": {"worlds": 2, "seed": 3},
    }
    monkeypatch.setattr(mlm_corruption, "KEPT_SHARES", (0.1,))
    outputs = {"drawn": tmp_path / "drawn.parquet", "kept_exact": tmp_path / "kept.parquet"}
    run_script("compute_exact", {}, outputs, tmp_path / "job.log", **params)
    assert len(read_table(outputs["drawn"], DRAWN)) == 4
    assert len(read_table(outputs["kept_exact"], KEPT)) == 2 * 2 * 2
    facts = read_metadata(outputs["kept_exact"])
    assert (facts["world"], facts["drawn"], facts["association"]) == ("w", {"worlds": 2, "seed": 3}, 0.75)


def test_a_world_with_repeated_levels_has_slopes_too() -> None:
    world = make_world(**DOSED)
    pairs, planted = planted_pairs(world, Counts(3, 3))
    assert list(pairs["pair_id"]) == [str(number) for number in range(len(pairs))]
    assert len(planted) == len(pairs)
    units = planted.groupby("factor")["unit"].nunique()
    assert units.to_dict() == {"association": 24, "frequency": 12, "both": 3, "length": 5, "longer": 3}
