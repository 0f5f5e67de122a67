"""What a study may ask of its models, their states and pairs of sentences: else a line with the key."""

from pathlib import Path
from typing import Any

import pytest

from library import InputError, Models, PairsStudy, complete, with_states

M: dict[str, Any] = {"source": "hub", "repo": "org/masked"}
C = {"source": "hub", "repo": "org/causal", "kind": "causal-lm"}
T = {"source": "hub", "repo": "org/classifier", "kind": "text-classification"}
OWN_CODE = M | {"trust_remote_code": True, "revision": "0" * 40}
PAIRS = {"pairs": {"format": "crows-pairs", "url": "https://example.org/pairs.csv"}}
VERSION = {
    "format": "table",
    "url": "https://example.org/pairs.csv",
    "columns": {"stereotype": "more", "antistereotype": "less", "bias_type": {"value": "gender"}},
    "version_of": "p",
}
DEBIASED = {"source": "debiased", "method": "cda"}
STATES = {"revision": ["x", "y"]}


def scored(models: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A study that scores these models on pairs."""
    return {"study": "s", "models": models, "benchmarks": PAIRS, **more}


def in_states(states: Any, entry: dict[str, Any] = M, **others: Any) -> dict[str, Any]:
    """A study of a model `a` in these states, among others."""
    return {"study": "s", "models": {"first": M, "a": entry | {"states": states}, "last": M, **others}}


def check(study: dict[str, Any]) -> None:
    """What the rules check of models, and of pairs of sentences."""
    completed = complete(study)
    entries = Models(completed["models"])
    entries.check_bases("debiased")
    PairsStudy(completed, entries).check()


@pytest.mark.parametrize(
    "study",
    [
        # without measures of its own a study has those of the kinds of its models
        scored({"c": C | {"start": "none"}, "m": M}),
        # a classifier is not scored on pairs, and needs no measure; without others nothing is measured
        scored({"m": M, "t": T}, measures=["AUL"]),
        scored({"t": T}, measures=["AUL", "LL"]),
        scored({"m": M, "a": DEBIASED | {"from": "m"}}, series={"s": {"one": "m", "other": "a"}}),
    ],
)
def test_what_is_right_is_let_be(study: dict[str, Any]) -> None:
    check(study)


NO_START = "only a causal-lm model has a start token (key start), not a {} one"
NO_MODEL = "measures: {} is for {} models, of which the study scores none"
NOT_PINNED = "code of a repository is run of one commit: give its 40 digits"
NOT_SCORED = "t is not scored on pairs of sentences"
OF_OWN_CODE = (
    "models.a.from: o runs code of its own (trust_remote_code), and no model is made from such a one"
)
REFUSED: list[tuple[dict[str, Any], str]] = [
    (scored({"c": C, "m": M | {"start": "bos"}}), "models.m: " + NO_START.format("masked-lm")),
    (scored({"t": T | {"start": "none"}}), "models.t: " + NO_START.format("text-classification")),
    (scored({"m": M}, measures=["AUL", "LL"]), NO_MODEL.format("LL", "causal-lm")),
    (scored({"c": C}, measures=["LL", "AULA"]), NO_MODEL.format("AULA", "masked-lm")),
    # the first model of the kind that has none
    (scored({"m": M, "c": C, "d": C}, measures=["AUL"]), "measures: none is for causal-lm models, as c is"),
    (scored({"c": C, "a": DEBIASED | {"from": "c"}}), "models.a.from: c is not a masked-lm model with files"),
    (scored({"o": OWN_CODE, "a": DEBIASED | {"from": "o"}}), OF_OWN_CODE),
    (scored({"m": OWN_CODE | {"revision": "0" * 12}}), f"models.m.trust_remote_code: {NOT_PINNED}"),
    (scored({"m": M}, benchmarks={"p": VERSION}), "benchmarks.p.version_of: p is no version of itself"),
    (scored({"m": M, "t": T}, explorer={"models": ["t"]}), f"explorer.models: {NOT_SCORED}"),
    (scored({"m": M, "t": T}, series={"s": {"one": "m", "other": "t"}}), f"series.s: {NOT_SCORED}"),
    *(
        (in_states(states), f"models{line}")
        for states, line in [
            ({"repo": ["o/x", "o/y"]}, ".a.states: the model has repo already"),
            ({"source": ["hub", "path"]}, ".a.states: the model has source already"),
            (STATES | {"kind": ["a", "b"]}, ".a.states: give one key of the model"),
            (["x", "y"], ".a.states: give one key of the model"),
            ({"revision": ["x"]}, ".a.states.revision: a series needs at least 2 states, and there is only"),
            ({"revision": []}, ".a.states.revision: a series needs at least 2 states, and there is none"),
            ({"revision": "nowhere/x-*"}, ".a.states.revision: no path matches nowhere/x-*"),
            ({"revision": "x"}, ".a.states.revision: give a list of states, or a mapping"),
            ({"revision": ["p/x", "q/x"]}, ".a.states.revision: x occurs twice; give a mapping"),
            # each is checked as a model
            ({"revison": ["x", "y"]}, ".a-x: unknown key revison (did you mean revision"),
            ({"revision": [{"x": 1}, "x"]}, ": \"a-{'x': 1}\" is not a name"),
        ]
    ),
    # names that are taken
    (in_states(STATES, **{"a-y": M}), "models.a.states: a-y is among the models already"),
    (
        in_states({"revision": ["b-x", "y"]}, **{"a-b": M | {"states": STATES}}),
        "models.a-b.states: a-b-x is among the models already",
    ),
    *(
        (in_states(STATES) | {"series": series}, line)
        for series, line in [
            ({"a": ["first", "last"]}, "models.a.states: there is a series a already"),
            ({"s": ["first", "lst"]}, "series.s.lst: 'lst' is none of the study's models (did you mean last"),
            ({"s": ["first"]}, "series.s: a series needs at least 2 states, and there is only first"),
            ({"s": ["first", "first"]}, "series.s: first occurs twice"),
            ({"s": {"x": "first"}}, "series.s: "),
            (["first", "last"], "series: "),
            ({"a b": ["first", "last"]}, "series: 'a b' is not a name"),
        ]
    ),
]


@pytest.mark.parametrize(("study", "line"), REFUSED)
def test_what_cannot_be_is_one_line(study: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        check(study)
    assert str(caught.value).startswith(f"config key {line}") and "\n" not in str(caught.value)


def test_models_are_scored_where_worlds_agree_on_what_they_have_evidence_of() -> None:
    world = {"lengths": 2, "pairs": {"per_occupation": 1}}
    trained = {"source": "train", "architecture": "bert"}
    study = scored(
        {"m": M, "c": C, "in": trained | {"world": "one"}, "out": trained | {"world": "other"}},
        worlds={"one": world, "other": world},
        benchmarks={**PAIRS, "one": {"format": "crows-pairs", "world": "one"}},
        measures=["CPS", "AUL", "LL"],
        controls={"shuffled": {"seed": 3}, "untrained": {"seeds": 2}},
        explorer={"models": ["in"], "top": 2},
    )
    study = complete(study)
    pairs = PairsStudy(study, Models(study["models"]))
    assert pairs.on("one") == ["m", "c", "in"] and pairs.on("pairs") == ["m", "c", "in", "out"]
    assert pairs.places(["out", "c"]) == {"model": ["out", "c", "c"], "benchmark": ["pairs", "pairs", "one"]}
    assert (pairs.measures_for("m"), pairs.measures_for("c")) == (["CPS", "AUL"], ["LL"])
    # not in the study's order, which makes no scores anew
    assert pairs.measures_of("m", "original") == ["AUL", "CPS"]
    assert pairs.evidence_of("in") == [
        {"variant": "original", "masking": "none", "top": 2},
        {"variant": "original", "masking": "one-shared", "top": 2},
        {"variant": "shuffled", "masking": "none", "seed": 3},
    ]
    assert pairs.evidence_of("c")[0] == {"variant": "original", "masking": "left", "top": 0}
    assert pairs.seeds == [1, 2] and pairs.has_untrained("in") and pairs.dtype("m") == "float32"


def test_each_state_is_a_model_in_the_place_of_its_entry() -> None:
    short = in_states({"revision": ["step1", "step20"]}, M | {"published": "theirs-{state}"})
    spelt_out = with_states(short)
    assert list(spelt_out["models"]) == ["first", "a-step1", "a-step20", "last"]
    assert spelt_out["models"]["a-step20"] == M | {"published": "theirs-step20", "revision": "step20"}
    assert spelt_out["series"] == {"a": {"step1": "a-step1", "step20": "a-step20"}}
    # what is short is left as it was, and what is spelt out stays so
    assert "states" in short["models"]["a"]
    assert with_states(spelt_out) == spelt_out
    completed = complete(spelt_out)
    assert completed["series"] == spelt_out["series"] and complete(completed) == completed


def test_checkpoints_of_a_folder_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for step in (1000, 500, 20):
        (tmp_path / "runs" / f"checkpoint-{step}").mkdir(parents=True)
    short = in_states({"path": "{data}/runs/checkpoint-*"}, {"source": "path"}) | {"data": f"{tmp_path}/"}
    spelt_out = with_states(short)
    steps = ["checkpoint-20", "checkpoint-500", "checkpoint-1000"]
    assert list(spelt_out["series"]["a"]) == steps
    assert spelt_out["models"]["a-checkpoint-500"]["path"] == f"{tmp_path}/runs/checkpoint-500"


def test_models_of_the_study_are_a_series_by_name() -> None:
    named = {"b": "a-y", "f": "first"}
    short = in_states(STATES) | {"series": {"both": ["last", "first"], "named": named}}
    both, of_states = {"last": "last", "first": "first"}, {"x": "a-x", "y": "a-y"}
    assert complete(short)["series"] == {"both": both, "named": named, "a": of_states}
