"""One model in many states: differences from the first, with their intervals."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import synthetic
from study_schema import MEASURES
from unmask.statistics.comparisons import models_compared
from unmask.statistics.decisions import Decisions, code, decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.schema import STATES
from unmask.statistics.states import states_compared
from unmask.tables import write_table
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNDEFINED

N = 90
TOGETHER = Dependence.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(N)])
Floats = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def states() -> dict[str, Decisions]:
    """The decisions of four states: each differs from the first in some pairs."""
    rng, made = np.random.default_rng(5), synthetic.make(N, seed=11)
    scores = {"first": made.scores}
    for state, share in (("near", 0.3), ("far", 0.5), ("other", 1.0)):
        others = synthetic.make_scores(made.pairs, rng)
        moved = set(rng.choice(made.pairs["pair_id"], round(share * N), replace=False))
        keep = made.scores[~made.scores["pair_id"].isin(moved)]
        scores[state] = pd.concat([keep, others[others["pair_id"].isin(moved)]], ignore_index=True)
    return {state: decisions(made.pairs, own) for state, own in scores.items()}


def of_outcomes(outcome: npt.NDArray[np.int8]) -> Decisions:
    """The decisions of one measure that float error turns nowhere."""
    column = outcome[:, None]
    return Decisions([("AUL", "corrected")], column, np.zeros(column.shape), column, column)


def test_states_are_compared_as_models_are_on_the_pairs_of_all(states: dict[str, Decisions]) -> None:
    rows = states_compared(states, TOGETHER, 0.95)
    assert list(rows.columns) == STATES.names and len(rows) == 2 * 3 * len(MEASURES)
    assert set(rows["first"]) == {"first"} and rows["state"].unique().tolist() == ["near", "far", "other"]
    for measure, protocol in states["first"].series:
        part = rows[(rows["measure"] == measure) & (rows["protocol"] == protocol)]
        place = states["first"].series.index((measure, protocol))
        members = np.logical_and.reduce([of.trials()[:, place] > 0 for of in states.values()]).nonzero()[0]
        assert (part["n"] == len(members)).all()
        some = {name: among(of, members) for name, of in states.items()}
        compared = models_compared(some, TOGETHER.among(members), 0.95)
        compared = compared[(compared["measure"] == measure) & (compared["protocol"] == protocol)]
        by_state = compared[compared["first"] == "first"].set_index("second")
        for row in part.to_dict("records"):
            other = by_state.loc[row["state"]]
            assert row["difference"] == pytest.approx(-other["difference"])
            assert row["score"] == pytest.approx(other["second_score"])
            for column in ("first_score", "error", "df", "p"):
                assert row[column] == pytest.approx(other[column], nan_ok=True), column
            assert (row["low"], row["high"]) == pytest.approx((-other["high"], -other["low"]))
            # p and interval say the same
            assert (row["p"] < 0.05) == (row["low"] > 0 or row["high"] < 0)


def among(of: Decisions, members: npt.NDArray[np.int64]) -> Decisions:
    some = (of.outcome[members], of.margin[members], of.lowest[members], of.highest[members])
    return Decisions(of.series, *some)


def test_changes_beyond_float_error_are_counted_pair_by_pair(states: dict[str, Decisions]) -> None:
    rows = states_compared(states, TOGETHER, 0.95)
    first, far = states["first"], states["far"]
    ends = [
        (100 * of.credit(of.lowest), 100 * of.credit(of.highest), 100 * of.credit(), of.trials())
        for of in (first, far)
    ]
    everyone = np.logical_and.reduce([of.trials() > 0 for of in states.values()])
    for row in rows[rows["state"] == "far"].to_dict("records"):
        place = first.series.index((row["measure"], row["protocol"]))
        changed = beyond = 0
        for i in np.flatnonzero(everyone[:, place]):
            (low, high, credit, _), (other_low, other_high, other, _) = (
                tuple(float(array[i, place]) for array in of) for of in ends
            )
            changed += credit != other
            ranges = sorted([sorted([low, high]), sorted([other_low, other_high])])
            beyond += ranges[1][0] > ranges[0][1]
        assert (row["changed"], row["beyond"]) == (changed, beyond)
        assert row["changed"] > 0 and row["beyond"] <= row["changed"]


def test_a_state_that_decides_alike_has_no_interval(states: dict[str, Decisions]) -> None:
    with_same = {"first": states["first"], "same": states["first"], "far": states["far"]}
    rows = states_compared(with_same, TOGETHER, 0.95)
    same = rows[rows["state"] == "same"]
    assert (same["difference"] == 0).all() and (same["changed"] == 0).all()
    assert same[["error", "low", "high", "p"]].isna().all(axis=None)


def test_a_state_without_a_score_is_left_out() -> None:
    rng = np.random.default_rng(2)
    outcomes = rng.choice([code(STEREOTYPE), code(ANTISTEREOTYPE)], (3, N)).astype(np.int8)
    undefined = np.full(N, code(UNDEFINED), np.int8)
    of_states = {"a": of_outcomes(outcomes[0]), "b": of_outcomes(undefined), "c": of_outcomes(outcomes[1])}
    assert states_compared(of_states, TOGETHER, 0.95)["state"].tolist() == ["c"]
    assert states_compared({"b": of_states["b"], "a": of_states["a"]}, TOGETHER, 0.95).empty


def test_the_order_of_states_changes_no_row(states: dict[str, Decisions]) -> None:
    keys = ["state", "measure", "protocol"]
    turned = {name: states[name] for name in ("first", "other", "near", "far")}
    rows, others = (
        states_compared(each, TOGETHER, 0.95).sort_values(keys).reset_index(drop=True)
        for each in (states, turned)
    )
    numbers = ["difference", "error", "df", "low", "high", "p", "changed", "beyond"]
    pd.testing.assert_frame_equal(rows[[*keys, *numbers]], others[[*keys, *numbers]])


def test_the_table_is_written(states: dict[str, Decisions], tmp_path: Path) -> None:
    path = tmp_path / "states.parquet"
    write_table(path, states_compared(states, TOGETHER, 0.95), STATES, {"series": "x"})
    assert pd.read_parquet(path)["low"].notna().all()
