"""Near-ties: which decisions float error could turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import CORRECTED, PUBLISHED, TOKEN_ERROR, measure, score_pairs


def tokens(sides: Mapping[str, tuple[list[float], list[float]]]) -> pd.DataFrame:
    """Evidence of pairs from the log-probabilities of their two sides; each token is another one."""
    rows = [
        (pair_id, role, position, log_prob)
        for pair_id, of_sides in sides.items()
        for role, log_probs in zip(("stereotype", "antistereotype"), of_sides, strict=True)
        for position, log_prob in enumerate(log_probs, 1)
    ]
    frame = pd.DataFrame(rows, columns=["pair_id", "role", "position", "log_prob"])
    return frame.assign(
        token_id=np.arange(len(frame)),
        special=False,
        modified=frame["position"] % 2 == 0,
        cross_log_prob=frame["log_prob"],
        attention=0.1,
        attention_content=0.1,
    )


def scores_of(name: str, sides: Mapping[str, tuple[list[float], list[float]]]) -> Any:
    evidence = dict.fromkeys(measure(name).maskings, tokens(sides))
    return score_pairs(list(sides), evidence, [name]).set_index(["protocol", "pair_id"])


STEREO, ANTI, TIE = "stereotype", "antistereotype", "tie"
ENDS = ["lowest", "outcome", "highest"]


@pytest.mark.parametrize(("name", "count"), [("AllMasked", 1), ("AllMaskedSum", 4)])
@pytest.mark.parametrize(("factor", "near"), [(0.98, True), (1.02, False)])
def test_a_mean_is_as_unsure_as_one_token_and_a_sum_as_all_of_them(
    name: str, count: int, factor: float, near: bool
) -> None:
    """Two sides of four tokens of log-probability -1: each token may be off by 2 · TOKEN_ERROR."""
    error = 2 * count * 2 * TOKEN_ERROR
    apart = factor * error / count
    # half of the difference on each side, so that both stay about -1
    sides = {"a": ([-1 + apart / 2] * 4, [-1 - apart / 2] * 4)}
    row = scores_of(name, sides).loc[(PUBLISHED, "a")]
    assert row["margin"] == pytest.approx(factor * error)
    assert row["error"] == pytest.approx(error, rel=1e-3)
    assert tuple(row[ENDS]) == (ANTI if near else STEREO, STEREO, STEREO)


@pytest.mark.parametrize(
    ("name", "protocol", "sides", "ends"),
    [
        # equal by chance, of different tokens
        ("SSS", PUBLISHED, ([-1.0], [-1.0]), (ANTI, TIE, STEREO)),
        ("SSS", CORRECTED, ([-1.0], [-1.0]), (ANTI, TIE, STEREO)),
        ("SSS", PUBLISHED, ([-1.0], [-1.0003]), (STEREO, STEREO, STEREO)),
        ("SSS", CORRECTED, ([-1.0], [-1.0003]), (STEREO, STEREO, STEREO)),
        # nothing to score
        ("SSS", CORRECTED, ([-1.0], []), ("undefined",) * 3),
        ("SSS", CORRECTED, ([], []), (TIE, TIE, TIE)),
        # rounded to three decimals: in the middle of a step, a step apart, neither can cross
        ("CPS", PUBLISHED, ([-1.001], [-1.002]), (STEREO, STEREO, STEREO)),
        # the same step's middle: a tie on every machine
        ("CPS", PUBLISHED, ([-1.00101], [-1.00099]), (TIE, TIE, TIE)),
        # different steps, but the first may round to the other's
        ("CPS", PUBLISHED, ([-1.00151], [-1.003]), (STEREO, STEREO, STEREO)),
        ("CPS", PUBLISHED, ([-1.00149], [-1.001]), (ANTI, TIE, TIE)),
        ("CPS", PUBLISHED, ([-1.00151], [-1.002]), (TIE, TIE, STEREO)),
        # unrounded, the same scores leave no doubt but where they are close
        ("CPS", CORRECTED, ([-1.00151], [-1.003]), (STEREO, STEREO, STEREO)),
        ("CPS", CORRECTED, ([-1.00101], [-1.00099]), (ANTI, ANTI, STEREO)),
    ],
)
def test_a_decision_that_float_error_could_turn_is_a_near_tie(
    name: str, protocol: str, sides: tuple[list[float], list[float]], ends: tuple[str, str, str]
) -> None:
    assert tuple(scores_of(name, {"a": sides, "b": ([-1.0], [-9.0])}).loc[(protocol, "a"), ENDS]) == ends


def test_sentences_of_the_same_tokens_are_no_near_ties() -> None:
    same = tokens({"a": ([-1.0, -2.0], [-1.0, -2.0]), "b": ([-1.0, -2.0], [-1.0, -2.0])})
    same.loc[same["pair_id"] == "a", "token_id"] = same["position"]
    scores: Any = score_pairs(["a", "b"], {"all": same}, ["AllMasked"]).set_index("pair_id")
    # under both protocols
    assert scores.loc["a", [*ENDS, "error"]].to_numpy().tolist() == [[TIE, TIE, TIE, 0]] * 2
    assert scores.loc["b", ENDS].to_numpy().tolist() == [[ANTI, TIE, STEREO]] * 2
