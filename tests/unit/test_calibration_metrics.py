"""Metrics of measures that are known beforehand, and what must not change them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from planted_models import (
    CORRUPTION,
    Margins,
    follows,
    made_pairs,
    member,
    observed,
    write_pairs,
    write_scores,
    write_truth,
)
from running import run_script
from unmask.calibration.families import over_families
from unmask.calibration.metrics import metrics_of, metrics_table, rank_of_worlds, spearman_rows
from unmask.calibration.mlm_corruption import corruption_table
from unmask.calibration.population import Observed
from unmask.calibration.power import Options
from unmask.calibration.schema import CONTROLS, DOSES, DRAWN, KEPT, METRICS, Metric
from unmask.statistics.intervals import Floats
from unmask.tables import as_table, read_table, write_table

OPTIONS = Options(0.95, association=0.75, pairs=(50, 500), per_unit=10, draws=300, seed=1)


def models(of: dict[str, Margins], noise: float = 0.0) -> list[Observed]:
    """Two architectures on each of three worlds, and the oracle of each."""
    found = []
    for place, family in enumerate(("u", "v", "w")):
        found.append(observed(of, who=member(f"oracle-{family}", "oracle", family=family)))
        for other, architecture in enumerate(("albert", "bert")):
            noisy = {name: added(margins, noise, 10 * place + other) for name, margins in of.items()}
            who = member(f"{architecture}-{family}", architecture=architecture, family=family)
            found.append(observed(noisy, who=who))
    return found


def added(margins: Margins, scale: float, seed: int) -> Margins:
    """With noise, the same for every pair of a unit."""

    def noisy(pairs: pd.DataFrame) -> Floats:
        units = pd.factorize(pairs["unit"], sort=True)[0]
        own = np.random.default_rng(seed).normal(scale=scale, size=units.max() + 1)
        return np.asarray(margins(pairs) + own[units])

    return noisy


MEASURES = {"AllMasked": follows(0.0, 0.2), "CPS": follows(1.0), "SSS": follows(1.0, 1.0)}


def value(
    table: pd.DataFrame, measure: str, metric: str, condition: str = "", kind: str = "trained"
) -> float:
    key = {"measure": measure, "kind": kind, "merit": metric, "condition": condition}
    rows = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
    assert len(rows) == 1, key
    return float(rows["value"].iloc[0])


def test_measures_have_the_metrics_that_they_were_made_with() -> None:
    table = metrics_table(models(MEASURES), OPTIONS)
    as_table(table, METRICS)
    for kind in ("oracle", "albert", "bert", "trained"):
        assert value(table, "CPS", "slope", kind=kind) == pytest.approx(1)
        assert value(table, "SSS", "exchange", kind=kind) == pytest.approx(1)
        assert value(table, "CPS", "exchange", kind=kind) == pytest.approx(0, abs=1e-12)
        assert np.isnan(value(table, "AllMasked", "exchange", kind=kind))
    for words in (5, 6, 7):
        assert value(table, "SSS", "slope", f"words={words}") == pytest.approx(1)
    # decided right wherever there is something: p = .6 is the first level above .5 ...
    # ... but five words, ten pairs each, are five observations: too few however they are decided
    assert value(table, "CPS", "power", "n=50") == 0
    assert value(table, "CPS", "power", "n=500, 50 a word") == 100
    assert value(table, "CPS", "smallest", "n=500") == 0.6
    assert value(table, "AllMasked", "power", "n=500") == 0
    assert np.isnan(value(table, "AllMasked", "smallest", "n=500"))
    for condition in ("no association", "ratio=1", "subtoken", "longer"):
        assert value(table, "SSS", "false alarms", condition) == 0
    assert value(table, "SSS", "false alarms", "ratio=4") == 100
    assert value(table, "CPS", "false alarms", "ratio=16") == 0
    assert value(table, "CPS", "rank") == pytest.approx(1)


def test_kinds_are_over_their_own_models_and_families() -> None:
    found = models(MEASURES, noise=0.3)
    table = metrics_table(found, OPTIONS)
    families = {one.member.model: one.member.family for one in found}
    for kind in ("oracle", "albert", "bert", "trained"):
        own = [one for one in found if kind in (one.member.role, one.member.architecture)]
        slopes = {one.member.model: metrics_of(one, OPTIONS).values["CPS"][Metric.SLOPE, ""] for one in own}
        row = table[(table["kind"] == kind) & (table["measure"] == "CPS") & (table["merit"] == "slope")]
        first = row[row["condition"] == ""].iloc[0]
        expected = over_families(slopes, families, 0.95)
        assert first[["value", "low", "high", "families"]].tolist() == pytest.approx(list(expected))
        assert first["models"] == len(own)
    assert set(table["kind"]) == {"oracle", "albert", "bert", "trained"}


def test_ranks_are_spearmans_over_cells() -> None:
    one = observed({"SSS": added(follows(1.0, 1.0), 0.5, 3)})
    cells: dict[tuple[object, ...], list[float]] = {}
    for pair, margin in zip(one.pairs.to_dict("records"), one.margin[:, 0], strict=True):
        key = pair["factor"], pair["p"], pair["ratio"], pair["direction"]
        cells.setdefault(key, []).append(margin)
    means = [sum(margins) / len(margins) for margins in cells.values()]
    expected = spearmanr(means, [float(str(key[1])) for key in cells]).statistic
    assert metrics_of(one, OPTIONS).values["SSS"][Metric.RANK, ""] == pytest.approx(expected)


def test_exchange_has_a_value_only_where_the_association_is_found() -> None:
    lost = {"CPS": follows(0.0, 0.5)}
    noisy = metrics_table(models(lost, noise=1.0), OPTIONS)
    assert value(noisy, "CPS", "frequency") == pytest.approx(0.5, abs=0.5)
    assert np.isnan(value(noisy, "CPS", "exchange"))
    one_family = [one for one in models(lost, noise=1.0) if one.member.family == "v"]
    assert np.isnan(value(metrics_table(one_family, OPTIONS), "CPS", "exchange"))
    clear = [one for one in models({"CPS": follows(1.0, 0.5)}, noise=0.1) if one.member.family == "v"]
    assert value(metrics_table(clear, OPTIONS), "CPS", "exchange") == pytest.approx(0.5, abs=0.15)


def test_nothing_hangs_on_the_order_of_models_or_pairs_or_on_other_models() -> None:
    found = models({"CPS": follows(1.0, 0.1)}, noise=1.0)
    table = metrics_table(found, OPTIONS)
    pd.testing.assert_frame_equal(table, metrics_table(found, OPTIONS))
    turned = metrics_table(found[::-1], OPTIONS)
    pd.testing.assert_frame_equal(table, turned, rtol=1e-12)
    alone = metrics_of(found[1], OPTIONS)
    order = np.random.default_rng(1).permutation(len(found[1].pairs))
    pairs = found[1].pairs.iloc[order].reset_index(drop=True)
    mixed = replace(
        found[1],
        pairs=pairs,
        margin=found[1].margin[order],
        credit=found[1].credit[order],
        trial=found[1].trial[order],
    )
    assert metrics_of(mixed, OPTIONS).values["CPS"] == pytest.approx(alone.values["CPS"], nan_ok=True)
    other = metrics_of(found[1], replace(OPTIONS, seed=2)).values["CPS"]
    drawn = [key for key in other if key[0] in ("power", "false alarms") and not np.isnan(other[key])]
    assert any(other[key] != alone.values["CPS"][key] for key in drawn)


@pytest.mark.thorough
def test_chance_makes_as_many_false_alarms_as_units_that_lean_by_chance() -> None:
    """Over many models whose units lean to either side by chance, the two rates are the same on average."""
    pairs = made_pairs(associations=[0.5], ratios=[1, 4], occupations=6)
    of = follows(0.0)
    rates = []
    for seed in range(80):
        values = metrics_of(observed({"CPS": added(of, 1.0, seed)}, pairs), OPTIONS).values["CPS"]
        rates.append([values[m, "no association"] for m in (Metric.FALSE_ALARMS, Metric.BY_CHANCE)])
    alarms, by_chance = np.mean(rates, axis=0)
    assert 20 < by_chance < 90
    assert alarms == pytest.approx(by_chance, abs=4 * np.std(np.diff(rates)) / np.sqrt(len(rates)))


def test_a_study_of_one_small_world_has_what_can_be_had() -> None:
    """The demonstration: a nation pair a ratio, no factor `longer`, one world."""
    pairs = made_pairs(ratios=[1, 2, 4, 8], nations=1, longer=False)
    who = member("tiny-bert")
    none = {"AULA": lambda rows: np.full(len(rows), np.nan), "CPS": follows(1.0)}
    table = metrics_table([observed(none, pairs, who)], OPTIONS)
    assert set(table["measure"]) == {"CPS"}
    assert set(table[table["merit"] == "false alarms"]["condition"]) == {"no association"}
    assert table[["low", "high"]].isna().all(axis=None)
    assert (table["families"] == 1).all()
    bare = made_pairs(associations=[0.9], ratios=[2], nations=1, longer=False, occupations=2)
    few = metrics_table([observed({"CPS": follows(1.0)}, bare, who)], OPTIONS)
    # two directions of one pair of nations are two points
    assert set(few["merit"]) == {"frequency", "smallest", "rank"}
    assert metrics_table([], OPTIONS).empty


def test_keeping_has_slopes_and_scores_of_trained_models() -> None:
    of = {"AUL": follows(0.5, 0.25), "AllMasked": follows(0.0, 0.2)}
    kept = replace(member("k", "kept"), corruption={"masked": 0.9, "kept": 0.0, "random": 0.1})
    found = [observed(of), observed(of, who=kept), observed(of, who=member("o", "oracle"))]
    table = corruption_table(found, 0.75, 0.95)
    as_table(table, KEPT)
    assert table["model"].tolist() == ["m", "m", "k", "k"]
    assert table["kept"].tolist() == [0.2, 0.2, 0.0, 0.0]
    aul = table[table["measure"] == "AUL"].iloc[0]
    assert aul[["association", "frequency", "exchange"]].tolist() == pytest.approx([0.5, 0.25, 0.5])
    assert aul[["associated", "rarer"]].tolist() == [100, 0]
    assert np.isnan(table[table["measure"] == "AllMasked"]["exchange"]).all()


def drawn_worlds(worlds: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    p = rng.uniform(0.5, 0.95, worlds)
    rows = pd.DataFrame({"world": np.arange(worlds), "p": p, "ratio": 1.0, "measure": "CPS"})
    for name in ("score", "margin", "stereo_margin"):
        rows[name] = p + rng.normal(scale=0.1, size=worlds)
    return rows.assign(stereo_score=50.0).astype({"world": "int32"})


def test_worlds_are_ranked_as_spearman_does() -> None:
    drawn = drawn_worlds()
    table = rank_of_worlds(drawn.sample(frac=1, random_state=0), OPTIONS)
    as_table(table, METRICS)
    numbers = table.set_index("condition")[["value", "low", "high"]].T.to_dict("list")
    expected = spearmanr(drawn["margin"].round(6), drawn["p"]).statistic
    value, low, high = numbers["margin"]
    assert value == pytest.approx(expected)
    assert low < expected < high <= 1
    # every world has the same score
    assert np.isnan(numbers["score, disadvantaged"]).all()
    assert (table["families"] == 40).all()
    values = np.random.default_rng(5).integers(6, size=(2, 20, 9)).astype(float)
    each = [spearmanr(one, other).statistic for one, other in zip(*values, strict=True)]
    assert spearman_rows(*values) == pytest.approx(each)


def test_the_script_writes_all_tables(tmp_path: Path) -> None:
    pairs = made_pairs()
    benchmarks = [
        {"name": "pairs", "world": "w", "format": "crows-pairs"},
        {"name": "turned", "format": "arranged", "of": "pairs", "as": "swapped"},
    ]
    of = {"CPS": follows(1.0), "SSS": follows(1.0, 1.0, noise=0.5)}
    one = observed(of, pairs)
    swapped = replace(one, margin=-one.margin, credit=1 - one.credit)
    drawn = tmp_path / "drawn.parquet"
    write_table(drawn, drawn_worlds(), DRAWN, {})
    made = {"doses": DOSES, "merits": METRICS, "controls": CONTROLS, "kept": KEPT}
    power = {"association": 0.75, "pairs": [100], "per_unit": 10, "draws": 100, "seed": 0}
    given = {
        "scores": [
            write_scores(tmp_path / "a.parquet", one),
            write_scores(tmp_path / "b.parquet", swapped, "turned"),
        ],
        "pairs": [
            write_pairs(tmp_path / "pairs.parquet", pairs, "pairs"),
            write_pairs(tmp_path / "turned.parquet", pairs, "turned", swapped=True),
        ],
        "truths": [write_truth(tmp_path / "truth.json", "w", {"crows-pairs": pairs})],
    }
    tables: list[dict[str, pd.DataFrame]] = []
    for inputs in (given | {"drawn": drawn}, given | {"drawn": []}):
        outputs = {name: tmp_path / f"{name}.parquet" for name in made}
        run_script(
            "compute_calibration",
            inputs,
            outputs,
            tmp_path / "log",
            models=[{"name": "m", "source": "train", "world": "w", "architecture": "bert"}],
            benchmarks=benchmarks,
            corruptions={"w": CORRUPTION},
            options={"confidence": 0.95, "power": power},
        )
        tables.append({name: read_table(outputs[name], schema) for name, schema in made.items()})
    assert all(len(rows) for rows in tables[0].values())
    assert tables[0]["controls"]["holds"].all()
    assert "rank of worlds" in set(tables[0]["merits"]["merit"])
    assert "rank of worlds" not in set(tables[1]["merits"]["merit"])
