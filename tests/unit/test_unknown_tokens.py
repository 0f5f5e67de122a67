"""Unknown tokens of a benchmark: pairs that have some, and what the report says of their share."""

from pathlib import Path

import pandas as pd

from library import QUALITY, pairs_quality, token_flags, write_table
from synthetic import pair_results


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


def test_the_report_has_the_share_of_each_model_and_benchmark(tmp_path: Path) -> None:
    said = {("m", "c"): (9, 2000), ("m", "b"): (300, 2000), ("o", "b"): None}
    paths = []
    for (model, benchmark), counts in said.items():
        paths.append(tmp_path / f"{model}-{benchmark}.parquet")
        unknown = counts and {"id": 1, "unknown": counts[0], "tokens": counts[1]}
        facts = {"model": model, "benchmark": benchmark, "unknown_tokens": unknown}
        write_table(paths[-1], pd.DataFrame(columns=QUALITY.names), QUALITY, facts)
    results = pair_results([{"name": "m"}, {"name": "o"}], [{"name": "b"}, {"name": "c"}], {"quality": paths})
    found = results.unknown
    assert found[["model", "benchmark"]].to_numpy().tolist() == [["m", "b"], ["m", "c"]]
    assert found["share"].tolist() == [15.0, 0.45]
    assert pairs_quality.UNKNOWN.sheet(found).rows == (
        ("m", "b", "2000", "300", "15.00"),
        ("m", "c", "2000", "9", "0.45"),
    )
