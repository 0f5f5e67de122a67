"""What rules of models and pairs refuse when a study is planned: a fault is one line that names its key."""

import functools
from typing import Any

import pytest

from library import CAUSAL_LM, MASKED_LM
from rule_functions import functions_of

MASKED = {"source": "hub", "repo": "org/masked"}
CAUSAL = {"source": "hub", "repo": "org/causal", "kind": "causal-lm"}
CLASSIFIER = {"source": "hub", "repo": "org/classifier", "kind": "text-classification"}
PAIRS = {"pairs": {"format": "crows-pairs", "url": "https://example.org/pairs.csv"}}


def study(models: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"study": "s", "models": models, "benchmarks": PAIRS, **more}


def refused(check: Any) -> str:
    """The one line with which a check stops."""
    with pytest.raises(SystemExit) as caught:
        check()
    line = str(caught.value.code)
    assert line.startswith("error: config key ") and "\n" not in line
    return line.removeprefix("error: config key ")


def debiased(base: str) -> dict[str, Any]:
    return {"source": "debiased", "from": base, "method": "cda"}


@pytest.mark.parametrize(
    "models",
    [
        {"m": MASKED},
        {"c": CAUSAL},
        {"c": CAUSAL | {"start": "none"}, "m": MASKED},
    ],
)
def test_a_causal_language_model_may_have_a_start_token_and_any_may_have_none(models: dict[str, Any]) -> None:
    functions_of(study(models), "models")["check_starts"]()


@pytest.mark.parametrize(
    ("models", "key", "kind"),
    [
        ({"c": CAUSAL, "m": MASKED | {"start": "bos"}}, "m", MASKED_LM),
        ({"t": CLASSIFIER | {"start": "none"}}, "t", "text-classification"),
    ],
)
def test_another_model_has_no_start_token(models: dict[str, Any], key: str, kind: str) -> None:
    line = refused(functions_of(study(models), "models")["check_starts"])
    why = f"only a causal-lm model has a start token, and this one is a {kind} model (key kind)"
    assert line == f"models.{key}.start: {why}"


@pytest.mark.parametrize(
    ("models", "measures"),
    [
        ({"m": MASKED}, ["AUL", "CPS"]),
        ({"c": CAUSAL}, ["LL"]),
        ({"m": MASKED, "c": CAUSAL}, ["AUL", "LL"]),
        # it is not scored on pairs, and needs no measure
        ({"m": MASKED, "t": CLASSIFIER}, ["AUL"]),
        # without models to score nothing is measured
        ({"t": CLASSIFIER}, ["AUL", "LL"]),
    ],
)
def test_measures_of_every_kind_that_is_scored_are_accepted(
    models: dict[str, Any], measures: list[str]
) -> None:
    functions_of(study(models, measures=measures), "models", "pairs")["check_measures"]()


def test_without_measures_of_its_own_a_study_has_those_of_its_kinds() -> None:
    for models in ({"m": MASKED}, {"c": CAUSAL}, {"m": MASKED, "c": CAUSAL}):
        functions_of(study(models), "models", "pairs")["check_measures"]()


@pytest.mark.parametrize(
    ("models", "measures", "said"),
    [
        ({"m": MASKED}, ["AUL", "LL"], "LL is for causal-lm models, of which the study scores none"),
        ({"c": CAUSAL}, ["LL", "AULA"], "AULA is for masked-lm models, of which the study scores none"),
        # the first measure that is for none
        ({"c": CAUSAL}, ["SSS", "CPS"], "SSS is for masked-lm models, of which the study scores none"),
        (
            {"m": MASKED, "t": CLASSIFIER},
            ["LL"],
            "LL is for causal-lm models, of which the study scores none",
        ),
        # the first model of the kind that has none
        ({"m": MASKED, "c": CAUSAL, "d": CAUSAL}, ["AUL"], "none is for causal-lm models, as c is"),
        ({"c": CAUSAL, "n": MASKED, "m": MASKED}, ["LL"], "none is for masked-lm models, as n is"),
    ],
)
def test_a_measure_without_a_model_and_a_kind_without_a_measure_are_refused(
    models: dict[str, Any], measures: list[str], said: str
) -> None:
    check = functions_of(study(models, measures=measures), "models", "pairs")["check_measures"]
    assert refused(check).startswith(f"measures: {said}")


def test_a_model_is_made_from_one_of_a_kind_that_has_files_and_no_code() -> None:
    commit = "0" * 40
    own_code = MASKED | {"trust_remote_code": True, "revision": commit}
    models = {"m": MASKED, "c": CAUSAL, "t": CLASSIFIER, "o": own_code}
    none_from_it = "no model is made from such a one"
    for base, kinds, said in (
        ("m", (MASKED_LM,), None),
        ("c", (MASKED_LM, CAUSAL_LM), None),
        ("c", (MASKED_LM,), "c is not a masked-lm model with files"),
        ("t", (MASKED_LM, CAUSAL_LM), "t is not a masked-lm or causal-lm model with files"),
        ("o", (MASKED_LM,), f"o runs code of its own (trust_remote_code), and {none_from_it}"),
    ):
        functions = functions_of(study({**models, "a": debiased(base)}), "models")
        check = functools.partial(functions["check_bases"], "debiased", *kinds)
        if said is None:
            check()
        else:
            assert refused(check) == f"models.a.from: {said}"
