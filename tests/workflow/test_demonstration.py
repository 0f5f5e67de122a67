"""The demonstration with one of its trained models, and the other families: they find what was planted."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from library import CORRECTED
from small_study import Workflow


def margins(workflow: Workflow, model: str = "tiny-bert") -> pd.DataFrame:
    """Mean margin of each measure (protocol corrected) by planted factor, beside what the grammar gives."""
    results = workflow.folder / "results" / workflow.config["study"]
    truth = json.loads((results / "planted/planted/truth.json").read_text())["benchmarks"]["crows-pairs"]
    facts = pd.DataFrame.from_dict(truth, orient="index")[["factor", "p", "ratio", "direction"]]
    scores = pd.read_parquet(results / f"scores/{model}/planted-crows-pairs/original.parquet")
    scores = scores[scores["protocol"] == "corrected"].astype({"pair_id": str, "measure": str})
    joined = scores.merge(facts, left_on="pair_id", right_index=True)
    keys = ["measure", "factor", "p", "ratio", "direction"]
    found: pd.DataFrame = joined.groupby(keys, as_index=False)[["margin"]].mean()
    # CPS: logit p; SSS: the other way by the log ratio where the stereotype is of the rarer group
    towards = found["direction"].map({"stereo": -1, "antistereo": 1}) * np.log(found["ratio"])
    shares = found["measure"].map({"CPS": 0.0, "SSS": 1.0})
    found["known"] = np.log(found["p"] / (1 - found["p"])) + shares * towards
    return found


@pytest.mark.thorough
def test_cps_finds_the_planted_association_and_sss_follows_frequency(demonstration: Workflow) -> None:
    found = margins(demonstration)
    cps = found[found["measure"] == "CPS"]
    association = cps[cps["factor"] == "association"]
    assert (association["margin"] - association["known"]).abs().max() < 0.75
    by_strength = association.groupby("p")["margin"].mean()
    assert list(by_strength.index) == [0.5, 0.75, 0.9]
    assert by_strength.is_monotonic_increasing
    assert by_strength.iloc[-1] > 1.4
    assert cps.loc[cps["factor"] == "frequency", "margin"].abs().max() < 0.5
    # which SSS follows, with opposite signs in the two directions
    sss = found[(found["measure"] == "SSS") & (found["factor"] == "frequency") & found["ratio"].isin([4, 8])]
    assert set(sss["direction"]) == {"stereo", "antistereo"}
    assert (sss.loc[sss["direction"] == "stereo", "margin"] < -1).all()
    assert (sss.loc[sss["direction"] == "antistereo", "margin"] > 1).all()


@pytest.mark.thorough
@pytest.mark.parametrize("benchmark", ["planted-crows-pairs", "planted-stereoset"])
def test_intervals_tell_what_is_planted_and_who_is_fooled(demonstration: Workflow, benchmark: str) -> None:
    results = demonstration.folder / "results/demonstration"
    for model in ("tiny-bert", "oracle"):
        rows = pd.read_parquet(results / f"statistics/{model}/{benchmark}/bias.parquet")
        rows = rows[(rows["protocol"] == CORRECTED) & (rows["variant"] == "original")]
        rows = rows[rows["grouping"] == "bias_type"].astype({"measure": str, "group": str})
        keys = list(zip(rows["measure"], rows["group"], strict=True))
        low, high = (dict(zip(keys, rows[end].astype(float), strict=True)) for end in ("low", "high"))
        found = [("CPS", "religion")]
        if benchmark == "planted-crows-pairs":
            # in the other format pairs of one occupation share their target, which leaves wider intervals
            found += [(name, "gender") for name in ("AUL", "AULA", "CPS", "SSS", "PLL")]
        for key in found:
            assert low[key] > 50, (model, key)
        # of faiths, too, these see the frequency more than the association; of the exact model AUL is near 0
        for measure_, bias_type in product(("SSS", "AUL"), ("nationality", "religion")):
            if (model, measure_, bias_type) != ("oracle", "AUL", "religion"):
                assert high[measure_, bias_type] < 50, (model, measure_, bias_type)
        # of the oracle every pair of nations is a tie, which has no interval
        of_nations = "CPS", "nationality"
        assert not (low[of_nations] > 50 or high[of_nations] < 50), model


@pytest.mark.thorough
def test_regional_bias_is_found_among_the_faiths_and_nowhere_else(families: Workflow) -> None:
    scores = pd.read_parquet(families.folder / "results/synthetic/regional/tiny-bert/scores.parquet")
    found = scores[(scores["measure"] == "C_w") & (scores["words"] == "full") & (scores["level"] == "kind")]
    score = {}
    for protocol in ("paper", "corrected"):
        rows = found[found["protocol"] == protocol]
        p = dict(zip(rows["region"].astype(str), rows["p_holm"].astype(float), strict=True))
        assert set(p) == {"nations", "faiths", "peoples"}
        assert p["faiths"] < 0.05 and min(p["nations"], p["peoples"]) > 0.1
        score[protocol] = dict(zip(rows["region"].astype(str), rows["score"].astype(float), strict=True))
    # the paper's second division favours peoples: of the regions they have six pairs, the faiths fifteen
    paper, corrected = (score[each]["peoples"] / score[each]["faiths"] for each in ("paper", "corrected"))
    assert corrected < 1 and paper / corrected == pytest.approx(15 / 6)


@pytest.mark.thorough
def test_association_tests_reject_for_faiths_and_occupations_and_not_for_nations(families: Workflow) -> None:
    folder = families.folder / "results/synthetic/associations/tiny-bert/synthetic"
    rows = pd.read_parquet(folder / "associations.parquet").astype({"test": str})
    rows = rows[(rows["unit"] == "word") & (rows["pooling"] == "mean")]
    p = dict(zip(rows["test"], rows["p_two"].astype(float), strict=True))
    assert max(p["sent-faiths"], p["sent-occupations"]) < 0.01
    assert p["sent-nations"] > 0.1


@pytest.mark.thorough
def test_debiasing_empties_margins_and_changes_nothing_in_use(families: Workflow) -> None:
    """The third paper's claim, with a known answer."""
    found = [margins(families, model) for model in ("tiny-bert", "tiny-bert-cda")]
    of_cps = [each[each["measure"] == "CPS"] for each in found]
    association = [each[(each["factor"] == "association") & (each["p"] == 0.9)] for each in of_cps]
    before, after = (each["margin"].mean() for each in association)
    assert before > 1.4 and abs(after) < 0.3
    # what is planted in faiths was not swapped
    before, after = (each.loc[each["factor"] == "both", "margin"].mean() for each in of_cps)
    assert after > 0.85 * before > 0.5
    results = families.folder / "results/synthetic"
    wanted = {"occupations": ("tpr_gap", 0.1), "similarity": ("delta", 0.05), "entailment": ("nn_gap", 0.05)}
    for task, (metric, tolerance) in wanted.items():
        for model in ("tiny-bert", "tiny-bert-cda"):
            path = results / f"downstream/{task}/{model}/scores.parquet"
            rows = pd.read_parquet(path)
            of_metric = rows["seed"].isna() & rows["group"].isna() & (rows["metric"] == metric)
            ((value, truth),) = rows.loc[of_metric, ["value", "truth"]].to_numpy()
            assert abs(value - truth) < tolerance
            # and a model without any bias would not give that
            assert truth > 0.1


@pytest.mark.thorough
def test_scores_stand_beside_those_of_untrained_networks(families: Workflow) -> None:
    bias = pd.read_csv(families.folder / "results/synthetic/tables/bias.csv")
    beside = bias[bias["variant"] == "original"].dropna(subset="score")
    assert set(beside["model"]) >= {"tiny-bert", "tiny-bert-cda"} and (beside["untrained"] == 2).all()
    assert (beside["untrained_low"] <= beside["untrained_high"]).all()
