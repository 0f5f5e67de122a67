"""Judgements on what measures find of what was planted, held against a truth table written out by hand."""

import json
from itertools import product
from typing import Any

import pandas as pd
import pytest

from library import (
    ALL,
    BIAS,
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    JUDGEMENTS,
    MODIFIED,
    NO_CLEAR,
    ONE_SHARED,
    PAIRS,
    VERDICTS,
    Counts,
    ExactModel,
    InputError,
    PairResults,
    Sharing,
    Study,
    World,
    bias_table,
    crows_pairs,
    decisions,
    exact_evidence,
    framed,
    judge,
    judgement,
    pairs_planted,
    planted_in,
    score_pairs,
    text_of,
    truth,
    verdicts,
)
from made_worlds import make_world
from study_schema import options_with

STUDY = Study.from_config(
    [
        {"name": "bert", "source": "train", "world": "w"},
        {"name": "even", "source": "train", "world": "w"},
        {"name": "oracle", "source": "oracle", "world": "w"},
        {"name": "untrained", "source": "random"},
    ],
    [{"name": "real"}, {"name": "pairs", "world": "w", "format": "crows-pairs"}],
)

BY_HAND = {
    # verdict: (associated, score above 50): judgement
    (CLEAR, "for it", True): "found",
    (CLEAR, "for it", False): "fooled",
    (CLEAR, "against it", True): "fooled",
    (CLEAR, "against it", False): "found",
    (CLEAR, "none", True): "fooled",
    (CLEAR, "none", False): "fooled",
    (NO_CLEAR, "for it", True): "missed",
    (NO_CLEAR, "for it", False): "missed",
    (NO_CLEAR, "against it", True): "missed",
    (NO_CLEAR, "against it", False): "missed",
    (NO_CLEAR, "none", True): "right",
    (NO_CLEAR, "none", False): "right",
}
"""By verdict, planted association with the stereotype, and whether the score is above 50."""

ASSOCIATIONS = {"for it": 0.5, "against it": -1.0, "none": 0.0}


@pytest.mark.parametrize(("verdict", "planted", "above"), [*product(VERDICTS, ASSOCIATIONS, (True, False))])
def test_every_judgement_is_that_of_the_truth_table(verdict: str, planted: str, above: bool) -> None:
    if verdict in (CANNOT_TELL, CONTROL):
        expected = verdict
    else:
        # whatever explains a score, it is not clear
        read = NO_CLEAR if verdict == BY_WORDS else verdict
        expected = BY_HAND[read, planted, above]
    row = {"verdict": verdict, "score": 70.0 if above else 30.0, "association": ASSOCIATIONS[planted]}
    assert judgement(pd.DataFrame([row])).tolist() == [expected]


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
        ({"associations": [0.3, 0.4]}, ["association", "both", "frequency", "nothing"]),
        # as many pairs go with either gender, if not as strongly: a score counts pairs
        ({"associations": [0.3, 0.8]}, ["nothing", "both", "frequency", "nothing"]),
        ({"associations": [0.4, 0.4, 0.9]}, ["association", "both", "frequency", "nothing"]),
        (
            {"ratios": [1], "both": {"association": 0.8, "ratios": [1]}},
            ["association", "association", "nothing", "nothing"],
        ),
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


def test_the_scores_of_models_that_were_trained_on_it_are_judged() -> None:
    found = judge(STUDY, {"pairs": MADE}, made_bias(), ["bert"])
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
    both = judge(STUDY, {"pairs": MADE}, made_bias(), ["even", "bert"])
    assert both.loc[both["bias_type"] == "gender", "model"].tolist() == ["bert"] * 3 + ["even"] * 3


def results(models: list[str], headline: str) -> PairResults:
    """Of a study whose tables are there already."""
    bias = made_bias()
    others = [name for name in bias["measure"].unique() if name != headline]
    made = PairResults({}, {"measures": [headline, *others]})
    judgements = judge(STUDY, {"pairs": MADE}, bias, models)
    exact = judge(STUDY, {"pairs": MADE}, bias, ["oracle"])
    vars(made).update(study=STUDY, bias=bias, judgements=judgements, exact_judgements=exact)
    return made


def test_judgements_are_counted_by_measure() -> None:
    some = results(["bert", "even"], "AUL")
    rows = some.judgements
    counted = pairs_planted.by_measure(some).set_index("title")
    assert list(counted.index) == ["AUL", "CPS"]
    for title, row in counted.iterrows():
        own = rows[rows["measure"] == title]
        with_bias, wrong = own["association"] != 0, own["judgement"] == "fooled"
        assert row["found"] == (own["judgement"] == "found").sum()
        assert row["right"] == (own["judgement"] == "right").sum()
        assert row["lost"] == ((own["judgement"] == "missed") | wrong & with_bias).sum()
        assert row["false"] == (wrong & ~with_bias).sum()
        assert row["of_frequency"] == (wrong & (own["planted"] == "frequency")).sum()
        assert row["found_holm"] == ((own["judgement"] == "found") & (own["p_holm"] < 0.05)).sum()
        exact = some.exact_judgements.query("measure == @title")
        assert row["exact_found"] == (exact["judgement"] == "found").sum()
        assert row["exact_false"] == ((exact["judgement"] == "fooled") & (exact["association"] == 0)).sum()


def test_a_study_without_such_models_or_an_exact_one_is_judged_as_far_as_it_goes() -> None:
    nothing = judge(STUDY, {"pairs": MADE}, made_bias(), [])
    assert nothing.empty and list(nothing) == list(JUDGEMENTS)
    assert judge(STUDY, {}, made_bias(), ["bert"]).empty
    bias = made_bias()
    alone = judge(STUDY, {"pairs": MADE}, bias[bias["model"] != "oracle"], ["bert"])
    assert len(alone) == 9 and alone["exact"].isna().all()


def test_a_bias_type_that_the_truth_does_not_know_is_refused() -> None:
    known = {pair: fact for pair, fact in MADE.items() if pair != "n1"}
    with pytest.raises(InputError, match="benchmark pairs has no bias type nationality"):
        judge(STUDY, {"pairs": known}, made_bias(), ["bert"])


MASKINGS = {"CPS": ONE_SHARED, "SSS": MODIFIED, "AllMasked": ALL}


def exact_bias(world: World, counts: Counts) -> pd.DataFrame:
    """The bias scores of the exact model, by way of its evidence."""
    planted = crows_pairs(world, counts)
    rows = [
        {
            "pair_id": pair.pair_id,
            "bias_type": pair.contrast.bias_type,
            **{side: text_of(getattr(pair, side)) for side in ("stereotype", "antistereotype", "unrelated")},
        }
        for pair in planted
    ]
    pairs = framed(rows, PAIRS)
    model = ExactModel(world)
    evidence = {masking: exact_evidence(pairs, model, masking) for masking in MASKINGS.values()}
    scores = score_pairs(list(pairs["pair_id"]), evidence, list(MASKINGS))
    alone = Sharing.of([[place] for place in range(len(pairs))])
    table = bias_table(pairs, decisions(pairs, scores), options_with(clusters=()), alone)
    return table.assign(benchmark="pairs", verdict=verdicts(table))


def test_the_exact_value_is_that_of_the_margins_of_the_truth() -> None:
    world, counts = make_world(lengths=0), Counts(4, 2)
    known = json.loads(json.dumps(truth(world, counts)))["benchmarks"]["crows-pairs"]
    bias = exact_bias(world, counts)
    both = pd.concat([bias.assign(model=model) for model in ("bert", "oracle")])
    found = judge(STUDY, {"pairs": known}, both, ["bert"])
    assert len(found) == 3 * 3
    for row in found.itertuples():
        margins = [
            pair["margins"][row.measure] for pair in known.values() if pair["bias_type"] == row.bias_type
        ]
        wins = sum(1.0 if margin > 1e-6 else 0.5 if margin > -1e-6 else 0.0 for margin in margins)
        assert row.exact == pytest.approx(100 * wins / len(margins)), row
    value = found.set_index(["bias_type", "measure"])["exact"]
    # a quarter of the occupations has p = .5, and ties
    assert value["gender", "CPS"] == 87.5 and value["religion", "CPS"] == 100
    assert value["nationality", "CPS"] == 50
