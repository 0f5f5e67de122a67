"""What the report says of a model in many states, and the picture of them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from library import STATES, PairResults, chart, framed, sentences, series, write_table

NAN = float("nan")
ROW = {
    "series": "run",
    "benchmark": "crows",
    "first": "step0",
    "measure": "LL",
    "protocol": "corrected",
    "n": 1508,
    "error": 1.0,
    "df": 50.0,
    "confidence": 0.95,
    "first_score": 50.0,
}


def state(name: str, difference: float, **other: Any) -> dict[str, Any]:
    known = {"low": difference - 2, "high": difference + 2, "p": 0.5, "p_holm": 1.0}
    row = (
        ROW
        | known
        | {"state": name, "difference": difference, "score": 50 + difference, "changed": 90, "beyond": 80}
    )
    return row | other


def results(*rows: dict[str, Any]) -> Any:
    states = pd.DataFrame(rows)
    assert set(STATES.names) <= set(states)
    names = {"step0": "run-step0"} | {row["state"]: f"run-{row['state']}" for row in rows}
    return SimpleNamespace(
        states=states,
        series={"run": names},
        trained_series=["run"],
        alpha=0.01,
        headline_of=lambda model: "LL",
    )


def said(*rows: dict[str, Any]) -> tuple[str, ...]:
    texts = sentences([series.MOVES, series.FURTHEST], results(*rows))
    for text in texts:
        for sentence in text.replace(". ", ".\n").splitlines():
            assert len(sentence.split()) <= 25, sentence
    return texts


def test_differences_are_counted_and_the_furthest_state_named() -> None:
    clear = {"p": 1e-5, "p_holm": 4e-5}
    other = state("step9", -9.0, measure="LLMean")
    published = state("step9", -9.0, protocol="published", p_holm=0.0)
    counted, furthest = said(state("step1", 1.0), state("step9", -4.0, **clear), other, published)
    assert counted == (
        "1 of 3 differences between a state and the first of its series is clear "
        "(p < 0.01 after Holm's correction)."
    )
    # at the start of a sentence
    assert said(state("step1", 1.0))[0].startswith("None of 1 difference ")
    assert furthest == (
        "On crows, LL of run moves by −4.0 points (−6.0 to −2.0) from step0 to step9, its furthest state. "
        "There 90 of 1,508 pairs are decided otherwise, 80 of them beyond float error."
    )


def test_states_that_decide_alike_are_said_to() -> None:
    unknown = {"low": NAN, "high": NAN, "p": NAN, "p_holm": NAN}
    alike = state("step1", 0.0, **unknown, changed=0, beyond=0)
    counted, furthest = said(alike)
    assert counted == (
        "No state decides any pair otherwise than the first of its series does, under any measure."
    )
    assert furthest == "On crows, LL decides no pair otherwise in any state of run."
    # one pair alone has no interval, and float error may have turned it
    counted, one = said(state("step1", 0.1, **unknown) | {"changed": 1, "beyond": 0})
    assert counted == "No difference between a state and the first of its series can be tested."
    assert one == (
        "On crows, LL of run moves by +0.1 points from step0 to step1. "
        "There 1 of 1,508 pairs is decided otherwise, none of them beyond float error."
    )


def bias(model: str, measure: str, score: float, null_low: float = 47.0) -> dict[str, Any]:
    shown = {
        "benchmark": "crows",
        "protocol": "corrected",
        "grouping": "overall",
        "low": score - 3,
        "high": score + 3,
    }
    return {
        "model": model,
        "measure": measure,
        "score": score,
        "null_low": null_low,
        "null_high": 53.0,
    } | shown


def test_the_picture_has_the_states_in_order_with_what_is_reported() -> None:
    printed = {"model": "theirs", "benchmark": "c", "measure": "LL", "group": "all", "quantity": "bias score"}
    theirs = {"run-b": "theirs", "run-a": None, "other": None}
    study = SimpleNamespace(
        models=[SimpleNamespace(name=name, published=published) for name, published in theirs.items()],
        benchmarks=[SimpleNamespace(name="crows", published="c")],
    )
    rows = [
        bias("other", "LL", 60),
        bias("run-a", "LL", 51),
        bias("run-b", "LL", 52),
        bias("run-b", "AUL", 40),
    ]
    made: Any = SimpleNamespace(
        study=study,
        original=pd.DataFrame(rows),
        published=pd.DataFrame([printed | {"percent": 52.5, "source": "they"}]),
        series={"run": {"b": "run-b", "a": "run-a"}},
        of_headline=lambda rows: rows[rows["measure"] == "LL"],
    )
    drawn = series.picture(made)
    assert drawn is not None
    spec = chart("c", "a", drawn).spec
    assert [(row["state"], row["score"], row["reported"]) for row in spec["data"]["values"]] == [
        ("b", 52, 52.5),
        ("a", 51, None),
    ]
    assert spec["title"]["text"] == "LL: stereotype preferred, of 100 pairs"
    # a measure that one state alone has is no line
    made.of_headline = lambda rows: rows[rows["measure"] == "AUL"]
    assert series.picture(made) is None


@pytest.mark.parametrize("column", ["low", "p"])
def test_an_unknown_interval_or_p_is_a_dash(column: str) -> None:
    row = state("step1", 0.1, **{column: NAN}) | {"title": "LL", "mark": ""}
    (cells,) = series.SERIES.sheet(pd.DataFrame([row])).rows
    assert cells[:5] == ("run", "crows", "LL", "step1", "50.1")
    assert cells[5] == ("+0.1" if column == "low" else "+0.1 (−1.9 to +2.1)")
    assert (cells[6] == "–") == (column == "p")


def test_series_of_random_networks_are_a_family_of_their_own(tmp_path: Path) -> None:
    paths = []
    for name, p in (("run", 0.008), ("noise", 0.5)):
        row = state("step1", 1.0, p=p)
        row = {key: value for key, value in row.items() if key in STATES.names}
        paths.append(tmp_path / f"{name}.parquet")
        write_table(paths[-1], framed([row], STATES), STATES, {"series": name, "benchmark": "crows"})
    models = [{"name": name, "source": source} for name, source in (("a", "path"), ("b", "random"))]
    settings = {
        "models": models,
        "benchmarks": [{"name": "crows"}],
        "series": {"run": {"step0": "a", "step1": "a"}, "noise": {"step0": "b", "step1": "b"}},
    }
    read = PairResults({"states": paths}, settings)
    assert read.trained_series == ["run"]
    # over both it would be twice as large
    assert read.states.set_index("series")["p_holm"].to_dict() == {"run": pytest.approx(0.008), "noise": 0.5}
