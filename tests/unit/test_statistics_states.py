"""One model in many states: differences from the first, with simultaneous intervals."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm, t

import synthetic
from study_schema import MEASURES
from unmask.statistics import simultaneous
from unmask.statistics.comparisons import models_compared
from unmask.statistics.decisions import Decisions, code, decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.schema import STATES
from unmask.statistics.simultaneous import DRAWS, LargestOf, correlations
from unmask.statistics.states import states_compared
from unmask.tables import write_table
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNDEFINED

N = 90
TOGETHER = Dependence.of([(i // 3, "tenth" if i % 10 == 0 else -i) for i in range(N)])
Floats = npt.NDArray[np.float64]


def shares_node(i: int, j: int) -> bool:
    """As in TOGETHER."""
    return i == j or i // 3 == j // 3 or (i % 10 == 0 and j % 10 == 0)


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


def literal_covariance(residuals: Floats) -> Floats:
    """By the expectations of both moments where each estimate is a mean over N pairs: of the matrices that
    take residuals from a and b, and pair by pair."""
    shares = np.array([[shares_node(i, j) for j in range(N)] for i in range(N)], float)
    centre, weight = np.eye(N) - 1 / N, 1 / N
    plain, sandwich = np.zeros((2, residuals.shape[1], residuals.shape[1]))
    for i in range(N):
        for j in range(N):
            product = weight**2 * np.outer(residuals[i], residuals[j])
            sandwich += shares[i, j] * product
            plain += (i == j) * product
    equations = np.array(
        [
            [np.trace(moment @ centre @ of @ centre) * weight**2 for of in (np.eye(N), shares)]
            for moment in (np.eye(N), shares)
        ]
    )
    result = np.empty_like(plain)
    for i, j in np.ndindex(*plain.shape):
        a, b = np.linalg.solve(equations, [plain[i, j], sandwich[i, j]])
        result[i, j] = a / N + b * shares.sum() / N**2
    return result


def test_covariances_are_those_of_both_moments() -> None:
    rng = np.random.default_rng(1)
    of_group = rng.normal(size=(N // 3, 3)).repeat(3, axis=0)
    values = rng.normal(size=(N, 3)) + 2 * of_group @ [[1, 0.5, 0], [0, 1, 0.2], [0, 0, 1]]
    residuals = values - values.mean(axis=0)
    moments = TOGETHER.moments(np.full(N, 1 / N), np.zeros(N, np.int64))
    covariance = moments.covariance(residuals)
    assert covariance == pytest.approx(literal_covariance(residuals), rel=1e-9)
    assert np.diag(covariance) == pytest.approx(moments.variance(residuals).clustered)
    # of a sum, as variances of sums are
    total = moments.variance(residuals.sum(axis=1, keepdims=True)).clustered
    assert covariance.sum() == pytest.approx(total[0])


def test_nothing_is_known_where_all_pairs_share() -> None:
    everyone = Dependence.of([("same",)] * 5)
    residuals = np.array([[1.0], [-1], [0], [2], [-2]])
    assert np.isnan(everyone.moments(np.full(5, 0.2), np.zeros(5, np.int64)).covariance(residuals)).all()


def test_contradicting_covariances_become_correlations() -> None:
    covariance = np.array([[4.0, 3.9, -3.9], [3.9, 4.0, 3.9], [-3.9, 3.9, 4.0]])
    assert np.linalg.eigvalsh(covariance).min() < -1
    correlation = correlations(covariance)
    assert np.linalg.eigvalsh(correlation).min() > -1e-12
    assert np.diag(correlation) == pytest.approx(1) and (np.abs(correlation) <= 1 + 1e-12).all()
    possible = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert correlations(np.diag([2.0, 3.0]) @ possible @ np.diag([2.0, 3.0])) == pytest.approx(possible)


CORRELATIONS = {
    "unrelated": np.eye(3),
    "alike": np.full((3, 3), 0.5) + 0.5 * np.eye(3),
    "mixed": np.array([[1, 0.8, -0.3], [0.8, 1, 0.1], [-0.3, 0.1, 1]]),
}


@pytest.mark.parametrize("name", CORRELATIONS)
def test_the_largest_reaches_what_integration_says(name: str) -> None:
    correlation = CORRELATIONS[name]

    def beyond(z: float) -> float:
        corner = np.full(3, z)
        return 1 - float(multivariate_normal(cov=correlation, abseps=1e-5).cdf(corner, lower_limit=-corner))

    largest = LargestOf(correlation)
    for alpha in (0.05, 0.01):
        level = largest.level(alpha)
        # three standard errors of a share of the draws
        assert beyond(norm.isf(level / 2)) == pytest.approx(alpha, rel=3 / np.sqrt(alpha * DRAWS))
        assert alpha / 3 < level < alpha
        assert float(largest.corrected(np.array([level]))[0]) == pytest.approx(alpha, rel=2e-3)
    for p in (0.3, 0.02, 0.002):
        exact = beyond(norm.isf(p / 2))
        assert float(largest.corrected(np.array([p]))[0]) == pytest.approx(
            exact, rel=4 / np.sqrt(exact * DRAWS)
        )


def test_corrected_p_is_between_its_bounds() -> None:
    p = np.array([1e-12, 1e-6, 0.5, 1.0, np.nan])
    # one and the same estimate three times is one
    same = LargestOf(np.ones((3, 3))).corrected(p)
    assert same[2:4] == pytest.approx([0.5, 1], abs=0.01) and np.isnan(same[4])
    corrected = LargestOf(np.eye(3)).corrected(p)
    # where no draw reaches it is Šidák's, which is three times as large
    assert corrected[:2] == pytest.approx(3 * p[:2], rel=1e-3) and corrected[3] == 1
    assert (np.diff(corrected[:4]) > 0).all()
    alone = LargestOf(np.ones((1, 1)))
    assert alone.level(0.05) == 0.05 and alone.corrected(p)[:4].tolist() == p[:4].tolist()
    assert LargestOf(np.eye(2)).level(1e-5) == pytest.approx(0.5e-5, rel=1e-3)


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
            reach = t.isf(row["level"] / 2, row["df"]) * row["error"]
            assert row["high"] - row["difference"] == pytest.approx(reach)
            assert row["difference"] - row["low"] == pytest.approx(reach)
            # wider than alone, and less than by Šidák's
            assert 1 - 0.95 ** (1 / 3) <= row["level"] <= 0.05 and row["low"] <= -other["high"]
            assert row["p"] <= row["p_together"] <= min(1, 3 * row["p"])
            # p and interval say the same
            assert (row["p_together"] < 0.05) == (row["low"] > 0 or row["high"] < 0)


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


def test_a_state_that_decides_alike_has_no_interval_and_widens_none(states: dict[str, Decisions]) -> None:
    with_same = {"first": states["first"], "same": states["first"], "far": states["far"]}
    rows = states_compared(with_same, TOGETHER, 0.95)
    same = rows[rows["state"] == "same"]
    assert (same["difference"] == 0).all() and (same["changed"] == 0).all()
    assert same[["error", "low", "high", "p", "p_together", "level"]].isna().all(axis=None)
    far = rows[rows["state"] == "far"]
    assert far["level"].to_numpy() == pytest.approx(0.05) and (far["p_together"] == far["p"]).all()


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
    numbers = ["difference", "error", "df", "p", "changed", "beyond"]
    pd.testing.assert_frame_equal(rows[[*keys, *numbers]], others[[*keys, *numbers]])
    # these are drawn: the draws of a state go by its place
    assert rows["level"].to_numpy() == pytest.approx(others["level"].to_numpy(), rel=0.08)


def test_the_table_is_written(states: dict[str, Decisions], tmp_path: Path) -> None:
    path = tmp_path / "states.parquet"
    write_table(path, states_compared(states, TOGETHER, 0.95), STATES, {"series": "x"})
    assert pd.read_parquet(path)["level"].notna().all()


def test_intervals_hold_together_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 groups of three pairs that lean one way together, and six states that turn decisions of half of
    these groups for other reasons: nothing differs in truth."""
    monkeypatch.setattr(simultaneous, "DRAWS", 5000)
    rng, groups, k = np.random.default_rng(3), 60, 6
    dependence = Dependence.of([(i // 3,) for i in range(3 * groups)])
    missed, single_missed, rounds = 0, 0, 600
    for _ in range(rounds):
        leans = rng.normal(size=groups).repeat(3) + rng.normal(size=3 * groups)
        # what all the states have taken on, of which the first has nothing
        shared = rng.normal(size=groups).repeat(3)
        of_states = {"first": leans}
        for state in range(k):
            moves = 0.7 * shared + 0.5 * rng.normal(size=groups).repeat(3) + rng.normal(size=3 * groups)
            of_states[f"s{state}"] = leans + moves
        codes = {
            name: of_outcomes(np.where(values > 0, code(STEREOTYPE), code(ANTISTEREOTYPE)).astype(np.int8))
            for name, values in of_states.items()
        }
        rows = states_compared(codes, dependence, 0.95)
        missed += bool(((rows["low"] > 0) | (rows["high"] < 0)).any())
        single_missed += bool((rows["p"] < 0.05).any())
    # three standard errors of 600 rounds
    assert 0.95 - 0.027 <= 1 - missed / rounds <= 0.95 + 0.027
    # what single intervals would have missed
    assert single_missed / rounds > 0.1
