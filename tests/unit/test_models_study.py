"""What a study may ask of its models and of pairs of sentences: else one line that names the key."""

from typing import Any

import pytest

from library import InputError, Models, PairsStudy, complete

M: dict[str, Any] = {"source": "hub", "repo": "org/masked"}
C = {"source": "hub", "repo": "org/causal", "kind": "causal-lm"}
T = {"source": "hub", "repo": "org/classifier", "kind": "text-classification"}
OWN_CODE = M | {"trust_remote_code": True, "revision": "0" * 40}
PAIRS = {"pairs": {"format": "crows-pairs", "url": "https://example.org/pairs.csv"}}

TABLE = {
    "format": "table",
    "url": "https://example.org/pairs.csv",
    "columns": {"stereotype": "more", "antistereotype": "less", "bias_type": {"value": "gender"}},
}


def debiased(base: str) -> dict[str, Any]:
    return {"source": "debiased", "from": base, "method": "cda"}


def check(models: dict[str, Any], **more: Any) -> None:
    """What the rules check of these models, and of pairs of sentences."""
    study = complete({"study": "s", "models": models, "benchmarks": PAIRS, **more})
    entries = Models(study["models"])
    entries.check_starts()
    entries.check_bases("debiased")
    PairsStudy(study, entries).check()


@pytest.mark.parametrize(
    ("models", "more"),
    [
        # without measures of its own a study has those of the kinds of its models
        ({"c": C | {"start": "none"}, "m": M}, {}),
        # a classifier is not scored on pairs, and needs no measure; without others nothing is measured
        ({"m": M, "t": T}, {"measures": ["AUL"]}),
        ({"t": T}, {"measures": ["AUL", "LL"]}),
        ({"m": M, "a": debiased("m")}, {"series": {"s": {"one": "m", "other": "a"}}}),
    ],
)
def test_what_is_right_is_let_be(models: dict[str, Any], more: dict[str, Any]) -> None:
    check(models, **more)


NO_START = "only a causal-lm model has a start token, and this one is a {} model (key kind)"
NO_MODEL = "measures: {} is for {} models, of which the study scores none"


@pytest.mark.parametrize(
    ("models", "more", "line"),
    [
        ({"c": C, "m": M | {"start": "bos"}}, {}, "models.m.start: " + NO_START.format("masked-lm")),
        ({"t": T | {"start": "none"}}, {}, "models.t.start: " + NO_START.format("text-classification")),
        ({"m": M}, {"measures": ["AUL", "LL"]}, NO_MODEL.format("LL", "causal-lm")),
        ({"c": C}, {"measures": ["LL", "AULA"]}, NO_MODEL.format("AULA", "masked-lm")),
        # the first model of the kind that has none
        ({"m": M, "c": C, "d": C}, {"measures": ["AUL"]}, "measures: none is for causal-lm models, as c is"),
        ({"c": C, "a": debiased("c")}, {}, "models.a.from: c is not a masked-lm model with files"),
        (
            {"o": OWN_CODE, "a": debiased("o")},
            {},
            "models.a.from: o runs code of its own (trust_remote_code), and no model is made from such a one",
        ),
        (
            {"m": M},
            {"benchmarks": {"p": TABLE | {"version_of": "p"}}},
            "benchmarks.p.version_of: p is no version of itself",
        ),
        (
            {"m": M, "t": T},
            {"explorer": {"models": ["t"]}},
            "explorer.models: t is not scored on pairs of sentences",
        ),
        (
            {"m": M, "t": T},
            {"series": {"s": {"one": "m", "other": "t"}}},
            "series.s: t is not scored on pairs of sentences",
        ),
    ],
)
def test_what_cannot_be_is_one_line(models: dict[str, Any], more: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        check(models, **more)
    assert str(caught.value) == f"config key {line}"


def test_models_are_scored_where_worlds_agree_on_what_they_have_evidence_of() -> None:
    world = {"lengths": 2, "pairs": {"per_occupation": 1}}
    trained = {"source": "train", "architecture": "bert"}
    study = complete(
        {
            "study": "s",
            "worlds": {"one": world, "other": world},
            "models": {
                "m": M,
                "c": C,
                "in": trained | {"world": "one"},
                "out": trained | {"world": "other"},
            },
            "benchmarks": {**PAIRS, "one": {"format": "crows-pairs", "world": "one"}},
            "measures": ["CPS", "AUL", "LL"],
            "controls": {"shuffled": {"seed": 3}, "untrained": {"seeds": 2}},
            "explorer": {"models": ["in"], "top": 2},
        }
    )
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
