"""What keys of a study are short for: debiased models, and models after fine-tuning."""

from typing import Any

import pytest

from library import DebiasingFamily, InputError, complete, fine_tuned_models, settings_of, with_fine_tuned
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


def test_every_model_is_debiased_by_every_method() -> None:
    models = DebiasingFamily.spelt_out(study())["models"]
    assert list(models) == ["a", "b", "c", "a-cda", "a-old"]
    assert models["a-cda"] == {"source": "debiased", "from": "a", "method": "cda"}
    assert models["a-old"] == {"source": "debiased", "from": "a", "method": "cda", "protocol": "published"}


def test_a_name_that_is_taken_is_refused() -> None:
    given = study()
    given["models"]["a-cda"] = {"source": "hub", "repo": "x/a"}
    with pytest.raises(InputError, match=r"config key debiasing\.of: a-cda is among the models already"):
        DebiasingFamily.spelt_out(given)


def test_what_is_given_stays_as_it_is() -> None:
    given = study(**pairs())
    with_fine_tuned(DebiasingFamily.spelt_out(given))
    assert given == study(**pairs())


def test_masked_language_models_are_fine_tuned_with_their_kin() -> None:
    given = DebiasingFamily.spelt_out(study())
    assert fine_tuned_models(given) == ["a", "b", "a-cda", "a-old"]
    given["downstream"]["models"] = ["b"]
    assert fine_tuned_models(given) == ["b"]


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        (pairs(), ["a@t", "b@t"]),
        # the measures are then those by default
        ({"benchmarks": pairs()["benchmarks"]}, ["a@t", "b@t"]),
        ({}, []),
        ({**pairs(), "measures": []}, []),
    ],
)
def test_models_are_scored_after_fine_tuning_where_any_are(changes: dict[str, Any], after: list[str]) -> None:
    given = study(**changes)
    del given["debiasing"]
    models = with_fine_tuned(given)["models"]
    assert list(models)[3:] == after
    for name in after:
        assert models[name] == {"source": "fine-tuned", "from": name[0], "task": "t"}


def test_a_study_is_completed_with_all_of_them() -> None:
    completed = complete(study(**pairs()))
    assert list(completed["models"])[3:] == [
        *("a-cda", "a-old", "a@t", "b@t"),
        *("a-cda@t", "a-old@t"),
    ]
    check_study(completed)
    assert complete(completed) == completed
    assert completed["debiasing"]["training"]["learning_rate"] == 5e-5
    assert completed["models"]["a-old"]["protocol"] == "published"
    assert completed["models"]["a-cda"]["protocol"] == "corrected"


def changed(place: str, value: Any) -> dict[str, Any]:
    given: Any = study(**pairs())
    *before, last = place.split("/")
    found = given
    for key in before:
        found = found[key]
    found[last] = value
    return dict(given)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "debiasing/of",
            ["nobody"],
            r"debiasing.of: 'nobody' is none of the study's models \(known: a, b, c\)",
        ),
        ("debiasing/of", "a", r"debiasing.of: 'a' is not a list"),
        ("debiasing/methods", {"cda": None}, r"debiasing.methods.cda: None is not a mapping"),
        ("debiasing/methods", {"magic": {}}, r"models.a-magic.method: 'magic' is not one of"),
        ("debiasing/methods", {"cda": {"protocol": "odd"}}, r"models.a-cda.protocol: 'odd' is not one of"),
        ("debiasing/methods", {"cda": {"options": {"alpha": 1}}}, r"models.a-cda.options"),
        ("debiasing/corpus", "books", r"debiasing.corpus: 'books' is none of the study's corpora"),
        ("downstream/tasks", [], r"downstream.tasks: \[\] is not a mapping"),
        ("downstream/tasks", {}, r"downstream.tasks"),
        ("downstream/models", 3, r"downstream.models: 3 is not"),
        ("downstream", None, r"downstream: None is not a mapping"),
        ("debiasing", [], r"debiasing: \[\] is not a mapping"),
    ],
)
def test_what_does_not_fit_is_one_line(place: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^config key {message}"):
        complete(changed(place, value))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("downstream/models", ["c"], "downstream.models: c is not a masked-lm model of the study with files"),
        ("downstream/models", ["d"], "downstream.models: d is not a masked-lm model of the study with files"),
        (
            "models/odd",
            {"source": "fine-tuned", "from": "a", "task": "t"},
            "models.odd: models after fine-tuning",
        ),
    ],
)
def test_what_one_key_cannot_see_is_one_line(place: str, value: Any, message: str) -> None:
    given = changed(place, value)
    del given["benchmarks"], given["measures"]
    with pytest.raises(InputError, match=f"^config key {message}"):
        check_study(complete(given))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fine_tuning": {"how": "search", "steps": 5}}, "a search chooses among numbers of epochs"),
        ({"fine_tuning": {"how": "search"}, "seeds": [0, 1]}, "a search takes one seed"),
    ],
)
def test_a_search_that_cannot_be_is_one_line(settings: dict[str, Any], message: str) -> None:
    given = study()
    given["downstream"] |= settings
    with pytest.raises(InputError, match=rf"^config key downstream\.tasks\.t\.fine_tuning: {message}"):
        check_study(complete(given))


def test_a_task_states_what_differs_and_no_more() -> None:
    given = study()
    given["downstream"]["tasks"]["t"]["fine_tuning"] = {"how": "search", "search": {"batch": [8]}}
    downstream = complete(given)["downstream"]
    settings = settings_of(downstream, "t")
    assert settings["search"] == {"batch": [8], "learning_rate": [1e-5, 3e-5, 5e-5], "epochs": [1, 3, 5]}
    assert settings["learning_rate"] == 3e-5
    assert downstream["fine_tuning"]["how"] == "fixed"
