"""Unknown tokens of a benchmark: pairs that have some."""

import pandas as pd

from library import token_flags


def test_pairs_with_unknown_tokens_are_a_flaw_of_the_model() -> None:
    rows = pd.DataFrame(
        {
            "pair_id": ["a", "a", "b", "c", "d"],
            "role": ["stereotype", "antistereotype", "unrelated", "stereotype", "antistereotype"],
            "token_id": [5, 1, 1, 1, 1],
            "special": [False, False, False, True, False],
            "modified": [None] * 5,
        }
    )
    pairs = pd.DataFrame({"pair_id": list("abcde")})
    expected = [True, False, False, True, False]
    assert token_flags(pairs, {"none": rows}, 1)["unknown_tokens"].tolist() == expected
    halves = {"one-shared": rows.iloc[:2], "one-modified": rows.iloc[2:]}
    assert token_flags(pairs, halves, 1)["unknown_tokens"].tolist() == expected
