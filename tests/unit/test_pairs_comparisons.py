"""What the report says of two measures, two models or two areas."""

import math
import re

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import PAIRS_AGREEMENT as AGREEMENT
from library import (
    PairResults,
    Sharing,
    Table,
    Text,
    agreement_table,
    areas_compared,
    decisions,
    holm,
    load_captions,
    measures_compared,
    models_compared,
)
from library import pairs_comparisons as comparisons
from study_schema import MEASURES, options_with
from synthetic import RESOURCES, pair_results, with_tables

ALPHA = 0.01
N = 120

COUPLES = 2 * math.comb(len(MEASURES), 2)
"""Every two measures of both models."""


@pytest.fixture(scope="module")
def results() -> PairResults:
    """Of two models on one benchmark, and of nothing else than comparisons and agreement."""
    made, together = synthetic.make(N, seed=21), Sharing.of([(i // 3,) for i in range(N)])
    scores = {"bert": made.scores, "other": synthetic.make_scores(made.pairs, np.random.default_rng(22))}
    # a model that always prefers the stereotype under CPS differs from any
    every = (scores["other"]["measure"] == "CPS") & (scores["other"]["outcome"] != "undefined")
    scores["other"]["outcome"] = scores["other"]["outcome"].mask(every, "stereotype")

    def of_models(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
        parts = []
        for model, rows in tables.items():
            parts.append(rows.assign(model=model, benchmark="cp"))
        return pd.concat(parts, ignore_index=True)

    options = options_with()
    measures = {
        model: measures_compared(decisions(made.pairs, own), together, 0.95) for model, own in scores.items()
    }
    areas = {
        model: areas_compared(made.pairs, decisions(made.pairs, own), options, together)
        for model, own in scores.items()
    }
    agreement = {
        model: agreement_table(made.pairs, decisions(made.pairs, own), options, together)
        for model, own in scores.items()
    }
    compared_models = models_compared(
        {model: decisions(made.pairs, own) for model, own in scores.items()}, together, 0.95
    ).assign(benchmark="cp")
    return pair_results(
        [{"name": "bert"}, {"name": "other"}],
        [{"name": "cp"}],
        agreement=of_models(agreement),
        measures_compared=holm(of_models(measures), by=["protocol"]),
        models_compared=holm(compared_models, by=["protocol"]),
        areas_compared=holm(of_models(areas), by=["protocol"]),
        captions=load_captions(RESOURCES / "captions.yaml", alpha="0.01", confidence="95", reading=""),
    )


def test_models_are_side_by_side(results: PairResults) -> None:
    sheet = comparisons.models(results)
    assert [row[:3] for row in sheet.rows] == [("cp", "bert", "other")]
    found = results.models_compared
    found = found[found["protocol"] == "corrected"].set_index("measure")
    cells = dict(zip(sheet.columns, sheet.rows[0][3:], strict=True))
    assert len(cells) == len(found)
    cps = found.loc["CPS"]
    assert cps["p_holm"] < ALPHA
    assert cells["difference (points)", "CPS"] == (
        f"{cps['difference']:+.1f}† ({cps['low']:+.1f} to {cps['high']:+.1f})".replace("-", "\N{MINUS SIGN}")
    )
    found = found.drop(["AllMasked", "AllMaskedSum"])
    holding = int((found["p_holm"] < ALPHA).sum())
    (sentence,) = comparisons.MODELS_DIFFER.sentences(results)
    assert sentence.startswith(f"Of {len(found)} differences ") and re.search(
        f", without controls, {holding} (is|are) ", sentence
    )


def test_measures_are_below_each_other(results: PairResults) -> None:
    sheet = comparisons.measures(results)
    found = results.measures_compared
    found = found[found["protocol"] == "corrected"]
    assert len(sheet.rows) == len(found) == COUPLES
    one, cells = found.iloc[0], sheet.rows[0]
    assert cells[:4] == ("bert", "cp", "AUL vs AULA", str(one["n"]))
    assert cells[8:12] == tuple(str(one[name]) for name in ("both", "b", "c", "neither"))
    assert float(cells[12]) == pytest.approx(one["agreement"], abs=0.051)
    controls = found["first"].str.startswith("AllMasked") | found["second"].str.startswith("AllMasked")
    (differ,) = comparisons.MEASURES_DIFFER.sentences(results)
    sees = ~controls
    clear = int((found["p_holm"][sees] < ALPHA).sum())
    assert differ.startswith(f"Of {sees.sum()} differences between the bias scores of two measures ")
    assert re.search(f", without controls, {clear} (is|are) ", differ) and sees.sum() < COUPLES
    (alike,) = comparisons.DECIDED_DIFFERENTLY.sentences(results)
    different = 100 - found["agreement"][~controls]
    assert f"{different.min():.0f} to {different.max():.0f} of 100 pairs differently." in alike
    assert alike.endswith("Controls are not counted.")


def test_areas_have_both_protocols(results: PairResults) -> None:
    sheet = comparisons.areas(results)
    assert len(sheet.rows) == COUPLES
    assert [group for group, _ in sheet.groups()] == ["published", "corrected"]
    (sentence,) = comparisons.AREAS_DIFFER.sentences(results)
    seeing = 2 * math.comb(len(MEASURES) - 2, 2)
    assert sentence.startswith(f"Of {seeing} differences between the areas of two measures ")
    few = results.areas_compared.assign(
        error=None, p=None, p_holm=None, reason="fewer than 10 pairs in a class"
    )
    without = with_tables(results, areas_compared=few)
    assert "fewer than 10 pairs in a class" in comparisons.areas(without).rows[0]
    (sentence,) = comparisons.AREAS_DIFFER.sentences(without)
    assert sentence.startswith("Of 0 differences ")


def test_a_family_is_all_of_one_protocol(results: PairResults) -> None:
    for table in (results.measures_compared, results.models_compared, results.areas_compared):
        for _, family in table.groupby("protocol"):
            tested = int(family["p"].notna().sum())
            assert family["p_holm"].min() == pytest.approx(min(1.0, tested * family["p"].min()))
            assert family.loc[family["p"].isna(), "p_holm"].isna().all()


def test_what_was_not_compared_is_not_shown(results: PairResults) -> None:
    alone = with_tables(results, models_compared=results.models_compared[:0])
    assert comparisons.folded("Model against model", comparisons.models(alone), ["nothing"]) == ()
    assert not list(comparisons.MODELS_DIFFER.sentences(alone))
    (fold,) = comparisons.folded("Areas", comparisons.areas(results), ["A finding."])
    assert isinstance(fold.blocks[0], Text) and isinstance(fold.blocks[1], Table)
    assert "Holm's correction" in fold.blocks[1].sheet.caption


def test_areas_are_counted_beside_chance_and_corrected(results: PairResults) -> None:
    areas = results.agreement[results.agreement["chosen"] & (results.agreement["protocol"] == "corrected")]
    areas = areas[areas["auc"].notna() & areas["low"].notna()]
    known = len(areas)
    # one clear area, one that is clear alone but not among all of them, and one without an interval
    clear, alone, unknown = areas.index[:3]
    changed = areas.assign(low=0.4, high=0.6, p=0.5)
    changed.loc[[clear, alone], "low"] = 0.51
    changed.loc[clear, "p"], changed.loc[alone, "p"] = ALPHA / known / 2, ALPHA / 2
    counts = {"known": known, "off": 2, "holding": 1, "alpha": ALPHA}
    assert comparisons.beyond_chance(changed, ALPHA) == counts
    changed.loc[unknown, ["low", "high", "p"]] = np.nan
    assert comparisons.beyond_chance(changed, ALPHA) == counts | {"known": known - 1}


def test_controls_are_not_counted_among_areas(results: PairResults) -> None:
    areas = results.agreement
    controls = areas["measure"].isin(["AllMasked", "AllMaskedSum"])
    counted = areas[areas["chosen"] & (areas["protocol"] == "corrected") & areas["low"].notna()]
    (text,) = AGREEMENT.sentences(results)
    assert f" of {int((~controls[counted.index]).sum())} intervals" in text and controls[counted.index].any()
    (without,) = AGREEMENT.sentences(with_tables(results, agreement=areas[~controls]))
    assert text == f"{without} Controls are not counted."
