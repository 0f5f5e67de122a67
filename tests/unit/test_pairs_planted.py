"""Judgements on what measures find of what was planted, held against a truth table written out by hand."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import (
    BIAS,
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    JUDGEMENTS,
    NO_CLEAR,
    VERDICTS,
    Counts,
    InputError,
    PairResults,
    Study,
    crows_pairs,
    judgement,
    judgements,
    pairs_planted,
    planted_in,
    verdicts,
)
from made_worlds import make_world

SOURCES = {"bert": "train", "even": "train", "oracle": "oracle", "untrained": "random"}
STUDY = Study.of(
    {
        "models": [{"name": name, "source": source} for name, source in SOURCES.items()],
        "benchmarks": [{"name": "real"}, {"name": "pairs", "world": "w", "format": "crows-pairs"}],
    }
)

BY_HAND = {
    (CLEAR, 0.5): ("found", "fooled"),
    (CLEAR, -1.0): ("fooled", "found"),
    (CLEAR, 0.0): ("fooled", "fooled"),
    (NO_CLEAR, 0.5): ("missed", "missed"),
    (NO_CLEAR, -1.0): ("missed", "missed"),
    (NO_CLEAR, 0.0): ("right", "right"),
}
"""By verdict and planted association with the stereotype: of a score above 50, and of one below."""


@pytest.mark.parametrize(("verdict", "association"), [*product(VERDICTS, (0.5, -1.0, 0.0))])
def test_every_judgement_is_that_of_the_truth_table(verdict: str, association: float) -> None:
    # whatever explains a score, it is not clear
    read = NO_CLEAR if verdict == BY_WORDS else verdict
    expected = (verdict, verdict) if verdict in (CANNOT_TELL, CONTROL) else BY_HAND[read, association]
    rows = pd.DataFrame({"verdict": verdict, "score": [70.0, 30.0], "association": association})
    assert tuple(judgement(rows)) == expected


def planted_slowly(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    stereotypes = len([pair for pair in pairs if pair["p"] > 0.5 + 1e-6])
    antistereotypes = len([pair for pair in pairs if pair["p"] < 0.5 - 1e-6])
    associated = stereotypes != antistereotypes
    unequal = len([pair for pair in pairs if pair["ratio"] != 1]) > 0
    names = ["nothing", "frequency", "association", "both"]
    return {
        "planted": names[2 * associated + unequal],
        "association": (stereotypes - antistereotypes) / len(pairs),
        "p_low": sorted(pair["p"] for pair in pairs)[0],
        "p_high": sorted(pair["p"] for pair in pairs)[-1],
        "ratio_low": sorted(pair["ratio"] for pair in pairs)[0],
        "ratio_high": sorted(pair["ratio"] for pair in pairs)[-1],
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["association", "both", "frequency", "nothing"]),
        ({"associations": [0.5]}, ["nothing", "both", "frequency", "nothing"]),
        # one half of the occupations goes with the other gender: nothing is associated on the whole
        ({"associations": [0.3, 0.7]}, ["nothing", "both", "frequency", "nothing"]),
        # as many pairs go with either gender, if not as strongly: a score counts pairs
        ({"associations": [0.3, 0.8]}, ["nothing", "both", "frequency", "nothing"]),
        ({"associations": [0.4, 0.4, 0.9]}, ["association", "both", "frequency", "nothing"]),
        (
            {"both": {"association": 0.5, "ratios": [1, 4]}},
            ["association", "frequency", "frequency", "nothing"],
        ),
    ],
)
def test_what_is_planted_is_read_off_the_pairs(changes: dict[str, Any], expected: list[str]) -> None:
    facts = {pair.pair_id: pair.facts() for pair in crows_pairs(make_world(**changes), Counts(1, 1))}
    found = planted_in(facts).set_index("bias_type").to_dict("index")
    assert [
        found[each]["planted"] for each in ("gender", "religion", "nationality", "race-color")
    ] == expected
    for bias_type, planted in found.items():
        pairs = [fact for fact in facts.values() if fact["bias_type"] == bias_type]
        assert planted == pytest.approx(planted_slowly(pairs), abs=1e-9), bias_type


MADE = {
    "g1": {"bias_type": "gender", "p": 0.75, "ratio": 1},
    "g2": {"bias_type": "gender", "p": 0.5, "ratio": 1},
    "n1": {"bias_type": "nationality", "p": 0.5, "ratio": 4},
    "r1": {"bias_type": "race-color", "p": 0.5, "ratio": 1},
}
INTERVALS = {"above": (80, 70, 90), "none": (60, 40, 80), "below": (20, 10, 30), "unknown": (60, None, None)}


def bias_row(model: str, bias_type: str, measure: str, kind: str, **changes: Any) -> dict[str, Any]:
    score, low, high = INTERVALS[kind]
    row = {name: None for name in BIAS.names}
    counts = dict.fromkeys(("n", "stereotype", "antistereotype", "tie", "undefined", "near_ties"), 10)
    p, null_p = {"above": (0.001, 0.004), "none": (0.4, 0.2), "below": (0.02, 0.01)}.get(kind, (None, None))
    numbers = {
        "p": p,
        "null_p": null_p,
        "unanimous_low": 80.0,
        "neutral": 50.0,
        "score": score,
        "low": low,
        "high": high,
        "null_low": 45,
        "null_high": 55,
    }
    keys = {"model": model, "benchmark": "pairs", "measure": measure, "group": bias_type}
    same = {"variant": "original", "protocol": "corrected", "grouping": "bias_type"}
    return row | counts | numbers | keys | same | {"confidence": 0.95, "clusters": "words"} | changes


def made_bias() -> pd.DataFrame:
    kinds = {"gender": ("above", "none"), "nationality": ("below", "none"), "race-color": ("none", "unknown")}
    rows = [
        bias_row(model, bias_type, measure, kind)
        for model in ("bert", "even", "oracle", "untrained")
        for bias_type, of_type in kinds.items()
        for measure, kind in zip(("AUL", "CPS", "AllMasked"), (*of_type, "above"), strict=True)
    ]
    # what is not asked for
    others = [
        {"variant": "shuffled"},
        {"protocol": "published"},
        {"grouping": "direction", "group": "stereo"},
        {"benchmark": "real", "group": "gender"},
    ]
    rows += [bias_row("bert", "gender", "AUL", "below") | other for other in others]
    bias = pd.DataFrame(rows)
    return bias.assign(verdict=verdicts(bias))


def made_results(bias: pd.DataFrame, *judged: str, **truths: Any) -> PairResults:
    """Of these scores. judged: the models that were trained on what was planted."""
    some = PairResults({}, {"measures": ["AUL", "CPS", "AllMasked"], "judged": judged})
    vars(some).update(study=STUDY, bias=bias, truths=truths)
    return some


def test_the_scores_of_models_that_were_trained_on_it_are_judged() -> None:
    found = judgements(made_results(made_bias(), "bert", pairs=MADE))
    assert set(found["model"]) == {"bert"} and set(found["benchmark"]) == {"pairs"}
    assert list(zip(found["bias_type"], found["measure"], found["judgement"], strict=True)) == [
        ("gender", "AUL", "found"),
        ("gender", "CPS", "missed"),
        ("gender", "AllMasked", CONTROL),
        ("nationality", "AUL", "fooled"),
        ("nationality", "CPS", "right"),
        ("nationality", "AllMasked", CONTROL),
        ("race-color", "AUL", "right"),
        ("race-color", "CPS", CANNOT_TELL),
        ("race-color", "AllMasked", CONTROL),
    ]
    assert found["association"].unique() == pytest.approx([1 / 2, 0])
    assert list(found["exact"]) == [80, 60, 80, 20, 60, 80, 60, 60, 80]
    # Holm's steps by hand, over the five that are judged
    larger = {("gender", "AUL"): 0.004, ("gender", "CPS"): 0.4, ("nationality", "AUL"): 0.02}
    larger |= {("nationality", "CPS"): 0.4, ("race-color", "AUL"): 0.4}
    expected = {("gender", "AUL"): 0.02, ("nationality", "AUL"): 0.08}
    for row in found.itertuples():
        key = row.bias_type, row.measure
        if key in larger:
            assert row.p_holm == pytest.approx(expected.get(key, 1.0)), key
        else:
            assert str(row.p_holm) == "nan", key
    # two models stand in the study's order below each measure's bias type
    both = judgements(made_results(made_bias(), "even", "bert", pairs=MADE))
    assert both.loc[both["bias_type"] == "gender", "model"].tolist() == ["bert"] * 3 + ["even"] * 3


def test_judgements_are_counted_by_measure() -> None:
    bias = made_bias()
    # of one score of an association nothing can be told
    bias.loc[
        bias[["model", "measure", "group"]].eq(["even", "CPS", "gender"]).all(axis=1), ["low", "high"]
    ] = None
    some = made_results(bias.assign(verdict=verdicts(bias)), "bert", "even", pairs=MADE)
    rows, exact = judgements(some), judgements(made_results(made_bias(), "oracle", pairs=MADE))
    counted = pairs_planted.by_measure(some).set_index("title")
    assert list(counted.index) == ["AUL", "CPS"]
    for title, row in counted.iterrows():
        own = rows[rows["measure"] == title]
        with_bias, wrong = own["association"] != 0, own["judgement"] == "fooled"
        missed, right = own["judgement"] == "missed", own["judgement"] == "right"
        assert row["found"] == (own["judgement"] == "found").sum()
        assert row["lost"] == (missed | wrong & with_bias).sum()
        assert row["planted"] == row["found"] + row["lost"]
        assert row["not_planted"] == (right | wrong & ~with_bias).sum()
        assert row["false"] == (wrong & ~with_bias).sum()
        assert row["of_frequency"] == (wrong & (own["planted"] == "frequency")).sum()
        assert row["found_holm"] == ((own["judgement"] == "found") & (own["p_holm"] < 0.05)).sum()
        of_exact = exact[exact["measure"] == title]
        assert row["exact_found"] == (of_exact["judgement"] == "found").sum()
        false = (of_exact["judgement"] == "fooled") & (of_exact["association"] == 0)
        assert row["exact_false"] == false.sum()


def test_a_study_is_judged_as_far_as_it_goes() -> None:
    nothing = judgements(made_results(made_bias(), pairs=MADE))
    assert nothing.empty and list(nothing) == list(JUDGEMENTS)
    assert judgements(made_results(made_bias(), "bert")).empty
    bias = made_bias()
    alone = judgements(made_results(bias[bias["model"] != "oracle"], "bert", pairs=MADE))
    assert len(alone) == 9 and alone["exact"].isna().all()
    known = {pair: fact for pair, fact in MADE.items() if pair != "n1"}
    with pytest.raises(InputError, match="benchmark pairs has no bias type nationality"):
        judgements(made_results(made_bias(), "bert", pairs=known))


def test_each_benchmark_has_the_truth_of_its_world_and_format(tmp_path: Path) -> None:
    paths = []
    for world in ("b", "a"):
        benchmarks = {name: {"0": {"target": f"{world} {name}"}} for name in ("crows-pairs", "stereoset")}
        paths.append(tmp_path / f"{world}.json")
        paths[-1].write_text(json.dumps({"world": world, "benchmarks": benchmarks}))
    places = {"a-cp": ("a", "crows-pairs"), "b-cp": ("b", "crows-pairs"), "b-ss": ("b", "stereoset")}
    of_worlds = [{"name": name, "world": of[0], "format": of[1]} for name, of in places.items()]
    entries = [{"name": "real", "format": "crows-pairs"}, *of_worlds]
    truths = PairResults({"truths": paths}, {"models": [], "benchmarks": entries}).truths
    assert {name: truth["0"]["target"] for name, truth in truths.items()} == {
        name: " ".join(of) for name, of in places.items()
    }


def test_rows_of_untrained_networks_and_exact_models_are_left_out() -> None:
    rows = pd.DataFrame({"model": ["untrained", "bert", "oracle", "even", "bert"]})
    assert STUDY.of_trained(rows)["model"].tolist() == ["bert", "even", "bert"]
    # of two models that are compared both are trained
    compared = pd.DataFrame({"first": ["bert", "bert", "untrained"], "second": ["oracle", "even", "even"]})
    assert STUDY.of_trained(compared).to_numpy().tolist() == [["bert", "even"]]
