"""What keys of a study are short for: debiased models, and models after fine-tuning."""

import re
from typing import Any

import pytest

from library import (
    DebiasingFamily,
    InputError,
    complete,
    fine_tuned_models,
    parse_yaml,
    settings_of,
    with_fine_tuned,
)
from library import downstream_check_study as check_study


def study(**changes: Any) -> dict[str, Any]:
    return {
        "study": "small",
        "models": {
            "a": {"source": "hub", "repo": "x/a"},
            "b": {"source": "hub", "repo": "x/b"},
            "c": {"source": "hub", "repo": "x/c", "kind": "text-classification"},
        },
        "worlds": {"w": {}},
        "corpora": {"news": {"format": "text", "world": "w"}},
        "debiasing": {
            "corpus": "news",
            "of": ["a"],
            "methods": {"cda": {}, "old": {"method": "cda", "protocol": "published"}},
        },
        "downstream": {"tasks": {"t": {"format": "planted", "kind": "similarity", "world": "w"}}},
        **changes,
    }


def pairs() -> dict[str, Any]:
    return {"benchmarks": {"cp": {"format": "crows-pairs", "world": "w"}}, "measures": ["AUL"]}


def test_every_model_is_debiased_by_every_method_and_fine_tuned_with_its_kin() -> None:
    given = study(**pairs())
    spelt_out = with_fine_tuned(DebiasingFamily.spelt_out(given))
    assert given == study(**pairs())
    models = spelt_out["models"]
    tuned = ["a", "b", "a-cda", "a-old"]
    assert list(models) == ["a", "b", "c", "a-cda", "a-old", *(f"{name}@t" for name in tuned)]
    assert models["a-cda"] == {"source": "debiased", "from": "a", "method": "cda"}
    assert models["a-old"] == {"source": "debiased", "from": "a", "method": "cda", "protocol": "published"}
    assert models["b@t"] == {"source": "fine-tuned", "from": "b", "task": "t"}
    given["downstream"]["models"] = ["b"]
    assert fine_tuned_models(given) == ["b"]
    texts = study(**pairs())
    # as `--config` has numbers
    texts["debiasing"]["methods"]["at"] = {"options": {"alpha": "2"}}
    again = complete(texts)
    assert complete(again) == again and again["models"]["a-at"]["options"] == {"alpha": 2}
    completed = complete(study(**pairs()))
    check_study(completed)
    assert list(completed["models"]) == list(models) and complete(completed) == completed
    assert completed["models"]["a-cda"]["protocol"] == "corrected"


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        # the measures are then those by default
        ({"benchmarks": pairs()["benchmarks"]}, ["a@t", "b@t"]),
        ({}, []),
        ({**pairs(), "measures": []}, []),
    ],
)
def test_models_are_scored_after_fine_tuning_where_any_are(changes: dict[str, Any], after: list[str]) -> None:
    given = study(**changes)
    del given["debiasing"]
    assert list(with_fine_tuned(given)["models"])[3:] == after


# keys, and the value that is put there => how the one line begins
REFUSED = """
models/a-cda {source: hub, repo: x/a} => debiasing.of: a-cda is among the models already
debiasing/of [nobody] => debiasing.of: 'nobody' is none of the study's models (known: a, b, c)
debiasing/of a => debiasing.of: 'a' is not a list
debiasing/methods {cda: null} => debiasing.methods.cda: None is not a mapping
debiasing/methods {magic: {}} => models.a-magic.method: 'magic' is not one of
debiasing/methods {cda: {protocol: odd}} => models.a-cda.protocol: 'odd' is not one of
debiasing/methods {cda: {options: {alpha: 1}}} => models.a-cda.options: unknown key alpha
debiasing/methods {at: {options: {alpha: -1}}} => models.a-at.options.alpha: -1 should be greater than
debiasing/corpus books => debiasing.corpus: 'books' is none of the study's corpora
debiasing [] => debiasing: a list is not a mapping
downstream => downstream: None is not a mapping
downstream/tasks [] => downstream.tasks: a list is not a mapping
downstream/tasks {} => downstream.tasks: a dict should have at least 1 item
downstream/models 3 => downstream.models: 3 is not a list
downstream/models [c] => downstream.models: c is not a masked-lm model of the study with files
downstream/models [d] => downstream.models: d is not a masked-lm model of the study with files
models/odd {source: fine-tuned, from: a, task: t} => models.odd: models after fine-tuning
downstream/fine_tuning {how: search, steps: 5} => downstream.tasks.t.fine_tuning: a search chooses among
downstream {tasks: {t: {format: stsb}}, fine_tuning: {how: search}, seeds: [0, 1]}
=> downstream.tasks.t.fine_tuning: a search takes one seed
"""


@pytest.mark.parametrize(
    ("place", "value", "line"), re.findall(r"^([\w/-]+) ?(.*?)\s=> (.*)$", REFUSED, re.MULTILINE)
)
def test_what_cannot_be_is_one_line(place: str, value: str, line: str) -> None:
    given: Any = study()
    *before, last = place.split("/")
    found = given
    for key in before:
        found = found[key]
    found[last] = parse_yaml(value)
    with pytest.raises(InputError) as caught:
        check_study(complete(given))
    assert str(caught.value).startswith(f"config key {line}")


def test_a_task_states_what_differs_and_no_more() -> None:
    given = study()
    given["downstream"]["tasks"]["t"]["fine_tuning"] = {"how": "search", "search": {"batch": [8]}}
    downstream = complete(given)["downstream"]
    settings = settings_of(downstream, "t")
    assert settings["search"] == {"batch": [8], "learning_rate": [1e-5, 3e-5, 5e-5], "epochs": [1, 3, 5]}
    assert settings["learning_rate"] == 3e-5
    assert downstream["fine_tuning"]["how"] == "fixed"
