"""Near-ties: which decisions float error could turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    CORRECTED,
    PUBLISHED,
    TOKEN_ERROR,
    measure,
    score_pairs,
)


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


def scores_of(name: str, sides: Mapping[str, tuple[list[float], list[float]]]) -> pd.DataFrame:
    evidence = dict.fromkeys(measure(name).maskings, tokens(sides))
    return score_pairs(list(sides), evidence, [name]).set_index(["protocol", "pair_id"])


def row_of(scores: pd.DataFrame, protocol: str, pair_id: str) -> Any:
    return scores.loc[(protocol, pair_id)]


def ends(scores: pd.DataFrame, protocol: str, pair_id: str) -> tuple[str, str, str]:
    row = row_of(scores, protocol, pair_id)
    return str(row["lowest"]), str(row["outcome"]), str(row["highest"])


STEREO, ANTI, TIE = "stereotype", "antistereotype", "tie"


def test_a_mean_is_as_unsure_as_one_token_and_a_sum_as_all_of_them() -> None:
    """Two sides of four tokens of log-probability -1: each token may be off by 2 · TOKEN_ERROR."""
    for name, count in (("AllMasked", 1), ("AllMaskedSum", 4)):
        error = 2 * count * 2 * TOKEN_ERROR
        for factor, near in ((0.98, True), (1.02, False)):
            apart = factor * error / count
            # half of the difference on each side, so that both stay about -1
            sides = {"a": ([-1 + apart / 2] * 4, [-1 - apart / 2] * 4)}
            row = row_of(scores_of(name, sides), PUBLISHED, "a")
            assert row["margin"] == pytest.approx(factor * error)
            assert row["error"] == pytest.approx(error, rel=1e-3)
            assert (row["lowest"], row["outcome"], row["highest"]) == (
                ANTI if near else STEREO,
                STEREO,
                STEREO,
            )


def test_corrected_ties_are_near_where_float_error_is_larger_than_what_a_tie_is() -> None:
    scores = scores_of("SSS", {"a": ([-1.0], [-1.0]), "b": ([-1.0], [-1.0 - 3e-4])})
    for protocol in (PUBLISHED, CORRECTED):
        # equal by chance, of different tokens
        assert ends(scores, protocol, "a") == (ANTI, TIE, STEREO)
        assert ends(scores, protocol, "b") == (STEREO, STEREO, STEREO)


def test_a_rounded_score_is_near_where_a_boundary_of_rounding_is() -> None:
    """Published CPS is compared after rounding to three decimals."""
    sides = {
        # both in the middle of a step, a step apart: neither can cross
        "clear": ([-1.001], [-1.002]),
        # the same step's middle: a tie on every machine
        "tie": ([-1.00101], [-1.00099]),
        # different steps, but the first may round to the other's
        "to a tie": ([-1.00151], [-1.003]),
        "from a tie": ([-1.00149], [-1.001]),
    }
    scores = scores_of("CPS", sides)
    assert ends(scores, PUBLISHED, "clear") == (STEREO, STEREO, STEREO)
    assert ends(scores, PUBLISHED, "tie") == (TIE, TIE, TIE)
    assert ends(scores, PUBLISHED, "from a tie") == (ANTI, TIE, TIE)
    assert ends(scores, PUBLISHED, "to a tie") == (STEREO, STEREO, STEREO)
    two_apart = scores_of("CPS", {"a": ([-1.00151], [-1.002])})
    assert ends(two_apart, PUBLISHED, "a") == (TIE, TIE, STEREO)
    # unrounded, the same scores leave no doubt but where they are close
    assert ends(scores, CORRECTED, "to a tie") == (STEREO, STEREO, STEREO)
    assert ends(scores, CORRECTED, "tie") == (ANTI, ANTI, STEREO)


def test_sentences_of_the_same_tokens_are_no_near_ties() -> None:
    same = tokens({"a": ([-1.0, -2.0], [-1.0, -2.0]), "b": ([-1.0, -2.0], [-1.0, -2.0])})
    first = same["pair_id"] == "a"
    same.loc[first, "token_id"] = same.loc[first, "position"]
    evidence = {"all": same}
    scores = score_pairs(["a", "b"], evidence, ["AllMasked"]).set_index(["protocol", "pair_id"])
    for protocol in (PUBLISHED, CORRECTED):
        assert ends(scores, protocol, "a") == (TIE, TIE, TIE)
        assert scores.loc[(protocol, "a"), "error"] == 0
        assert ends(scores, protocol, "b") == (ANTI, TIE, STEREO)


def test_what_has_nothing_to_score_is_no_near_tie() -> None:
    scores = scores_of("SSS", {"one side": ([-1.0], []), "neither": ([], []), "both": ([-1.0], [-1.5])})
    assert ends(scores, CORRECTED, "one side") == ("undefined",) * 3
    assert ends(scores, CORRECTED, "neither") == (TIE, TIE, TIE)
    assert ends(scores, CORRECTED, "both") == (STEREO, STEREO, STEREO)
