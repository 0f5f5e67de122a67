"""One model in many states: what `states` and `series` are short for, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from library import InputError, complete, with_states


def study(states: Any, source: str = "hub", **entry: Any) -> dict[str, Any]:
    repo = {"repo": "owner/a"} if source == "hub" else {}
    return {
        "study": "small",
        "models": {
            "first": {"source": "hub", "repo": "owner/first"},
            "a": {"source": source, **repo, **entry, "states": states},
            "last": {"source": "hub", "repo": "owner/last"},
        },
    }


def test_each_state_is_a_model_in_the_place_of_its_entry() -> None:
    short = study({"revision": ["step1", "step20"]}, published="theirs-{state}")
    spelt_out = with_states(short)
    assert list(spelt_out["models"]) == ["first", "a-step1", "a-step20", "last"]
    stated = {"source": "hub", "repo": "owner/a", "published": "theirs-step20", "revision": "step20"}
    assert spelt_out["models"]["a-step20"] == stated
    assert spelt_out["series"] == {"a": {"step1": "a-step1", "step20": "a-step20"}}
    # what is short is left as it was, and what is spelt out stays so
    assert "states" in short["models"]["a"]
    assert with_states(spelt_out) == spelt_out
    completed = complete(spelt_out)
    assert completed["series"] == spelt_out["series"] and complete(completed) == completed


def test_checkpoints_of_a_folder_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for step in (1000, 500, 20):
        (tmp_path / "runs" / f"checkpoint-{step}").mkdir(parents=True)
    short = study({"path": "{data}/runs/checkpoint-*"}, "path") | {"data": f"{tmp_path}/"}
    spelt_out = with_states(short)
    steps = ["checkpoint-20", "checkpoint-500", "checkpoint-1000"]
    assert list(spelt_out["series"]["a"]) == steps
    assert spelt_out["models"]["a-checkpoint-500"]["path"] == f"{tmp_path}/runs/checkpoint-500"


def test_models_of_the_study_are_a_series_by_name() -> None:
    named = {"b": "a-y", "f": "first"}
    short = study({"revision": ["x", "y"]}) | {"series": {"both": ["last", "first"], "named": named}}
    both, of_states = {"last": "last", "first": "first"}, {"x": "a-x", "y": "a-y"}
    assert complete(short)["series"] == {"both": both, "named": named, "a": of_states}


@pytest.mark.parametrize(
    ("states", "line"),
    [
        ({"repo": ["o/x", "o/y"]}, ": the model has repo already"),
        ({"source": ["hub", "path"]}, ": the model has source already"),
        ({"revision": ["x", "y"], "kind": ["a", "b"]}, ": give one key of the model"),
        (["x", "y"], ": give one key of the model"),
        ({"revision": ["x"]}, ".revision: a series needs at least 2 states, and there is only x"),
        ({"revision": []}, ".revision: a series needs at least 2 states, and there is none"),
        ({"revision": "nowhere/x-*"}, ".revision: no path matches nowhere/x-*"),
        ({"revision": "x"}, ".revision: give a list of states, or a mapping"),
        ({"revision": ["p/x", "q/x"]}, ".revision: x occurs twice; give a mapping"),
    ],
)
def test_states_that_a_model_cannot_have_are_refused(states: Any, line: str) -> None:
    with pytest.raises(InputError) as refused:
        complete(study(states))
    assert str(refused.value).startswith(f"config key models.a.states{line}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("states", "line"),
    [
        ({"revison": ["x", "y"]}, ".a-x: unknown key revison (did you mean revision"),
        ({"path": ["x", "y"]}, ".a-x: unknown key path"),
        ({"revision": [{"x": 1}, "x"]}, ": \"a-{'x': 1}\" should match pattern"),
    ],
)
def test_states_are_checked_as_models(states: Any, line: str) -> None:
    with pytest.raises(InputError) as refused:
        complete(study(states))
    assert str(refused.value).startswith(f"config key models{line}")


def test_names_that_are_taken_are_refused() -> None:
    short = study({"revision": ["x", "y"]})
    short["models"]["a-y"] = {"source": "hub", "repo": "owner/b"}
    with pytest.raises(InputError, match=r"models\.a\.states: a-y is among the models already"):
        complete(short)
    two = study({"revision": ["b-x", "y"]})
    two["models"]["a-b"] = {"source": "hub", "repo": "owner/b", "states": {"revision": ["x", "z"]}}
    with pytest.raises(InputError, match=r"models\.a-b\.states: a-b-x is among the models already"):
        complete(two)
    with pytest.raises(InputError, match=r"models\.a\.states: there is a series a already"):
        complete(study({"revision": ["x", "y"]}) | {"series": {"a": ["first", "last"]}})


@pytest.mark.parametrize(
    ("series", "line"),
    [
        ({"s": ["first", "lst"]}, r"\.s\.lst: 'lst' is none of the study's models \(did you mean last"),
        ({"s": ["first"]}, r"\.s: a series needs at least 2 states, and there is only first"),
        ({"s": ["first", "first"]}, r"\.s: first occurs twice"),
        ({"s": {"x": "first"}}, r"\.s: "),
        (["first", "last"], r": "),
        ({"a b": ["first", "last"]}, r": 'a b' should match pattern"),
    ],
)
def test_a_series_has_models_of_the_study(series: Any, line: str) -> None:
    with pytest.raises(InputError, match=rf"config key series{line}"):
        complete(study({"revision": ["x", "y"]}) | {"series": series})
