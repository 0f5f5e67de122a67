"""Token accuracy, reading by reading, against loops over tokens."""

import math
from typing import Any

import pandas as pd
import pytest

import synthetic
from study_schema import MEASURES
from unmask.evidence.schema import EVIDENCE
from unmask.statistics.accuracy import accuracy_counts, accuracy_table, candidates
from unmask.statistics.schema import ACCURACY
from unmask.tables import read_table, write_table


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dict("records")  # type: ignore[return-value]


def literal(rows: list[dict[str, Any]], roles: tuple[str, ...], reading: str) -> tuple[int, int]:
    """(correct, n) by looking at each token."""
    correct = n = 0
    for row in rows:
        if row["role"] not in roles:
            continue
        if reading != "all-tokens" and row["special"]:
            continue
        if reading == "shared-tokens" and row["modified"] is not False:
            continue
        if reading == "modified-tokens" and row["modified"] is not True:
            continue
        n += 1
        correct += row["rank"] == 1
    return correct, n


def test_every_reading_counts_its_tokens(tmp_path: Any) -> None:
    made = synthetic.make(60, seed=1)
    read = {}
    for masking, rows in made.evidence.items():
        # as the workflow reads it, with nulls in `modified`
        write_table(tmp_path / "e.parquet", rows, EVIDENCE, {})
        read[masking] = read_table(tmp_path / "e.parquet", EVIDENCE)
    table = accuracy_table([accuracy_counts(MEASURES, read, made.shuffled)], 0.95)
    plain = {masking: records(rows) for masking, rows in made.evidence.items()}
    sources = {
        "AUL": plain["none"],
        "CPS": plain["one-shared"],
        "SSS": plain["modified"],
        "AllMasked": plain["all"],
        "PLL": plain["one-shared"] + plain["one-modified"],
    }
    seen = set()
    for row in records(table):
        seen.add((row["measure"], row["variant"], row["roles"], row["reading"]))
        if row["reading"] == "candidates":
            continue
        source = records(made.shuffled) if row["variant"] == "shuffled" else sources[row["measure"]]
        roles = ("stereotype", "antistereotype") if row["roles"] == "pair" else (row["roles"],)
        correct, n = literal(source, roles, row["reading"])
        assert (row["correct"], row["n"]) == (correct, n)
        assert row["accuracy"] == pytest.approx(100 * correct / n)
        assert row["low"] < row["accuracy"] < row["high"]
    for wanted in [
        ("AUL", "original", "pair", "all-tokens"),
        ("AUL", "original", "unrelated", "content-tokens"),
        ("AUL", "original", "pair", "shared-tokens"),
        ("AUL", "shuffled", "stereotype", "all-tokens"),
        ("CPS", "original", "pair", "shared-tokens"),
        ("SSS", "original", "pair", "candidates"),
        ("AllMasked", "original", "pair", "content-tokens"),
        ("PLL", "original", "pair", "modified-tokens"),
    ]:
        assert wanted in seen
    assert ("AUL", "original", "unrelated", "shared-tokens") not in seen
    write_table(tmp_path / "a.parquet", table, ACCURACY, {})


def test_candidates_as_the_paper_describes_them() -> None:
    made = synthetic.make(120, seed=2)
    rows = records(made.evidence["modified"])
    # a model that is often right, so that whole candidates are matched
    rows = [row | {"rank": 1 if index % 4 else 2} for index, row in enumerate(rows)]
    # in some pairs the antistereotype's modified tokens stand elsewhere
    for row in rows:
        if row["role"] == "antistereotype" and row["pair_id"].endswith("7"):
            row["position"] += 1
    correct = n = equal = elsewhere = lonely = 0
    for pair in made.pairs["pair_id"]:
        sides = {
            role: {
                row["position"]: row["rank"] == 1
                for row in rows
                if row["pair_id"] == pair and row["role"] == role
            }
            for role in ("stereotype", "antistereotype")
        }
        if set(sides["stereotype"]) == set(sides["antistereotype"]):
            equal += 1
            n += 1
            correct += all(sides["stereotype"].values()) or all(sides["antistereotype"].values())
        else:
            elsewhere += len(sides["stereotype"]) == len(sides["antistereotype"])
            for right in sides.values():
                if right:
                    n += 1
                    correct += all(right.values())
                else:
                    lonely += 1
    found = candidates(pd.DataFrame(rows))
    assert equal > 0
    assert elsewhere > 0
    assert lonely > 0
    assert 0 < correct < n
    assert (int(found["right"].sum()), len(found)) == (correct, n)
    assert int(found["role"].isna().sum()) == equal


def test_equally_many_modified_tokens_at_other_places_are_two_candidates() -> None:
    """Two inputs differ in what they hide: hiding 2 and 5 is not hiding 2 and 4."""
    hidden = [("stereotype", 2, 1), ("stereotype", 5, 1), ("antistereotype", 2, 1), ("antistereotype", 4, 3)]
    made = [
        {"pair_id": pair, "role": role, "position": place, "rank": rank, "special": False}
        for pair in ("a", "b")
        for role, place, rank in hidden
        if not (pair == "b" and place > 2)
    ]
    found = candidates(pd.DataFrame(made))
    rows = {
        (row["pair_id"], None if pd.isna(row["role"]) else row["role"]): row["right"]
        for row in records(found)
    }
    assert rows == {("a", "stereotype"): True, ("a", "antistereotype"): False, ("b", None): True}


def test_absent_evidence_leaves_its_measures_out() -> None:
    made = synthetic.make(10, seed=0)
    table = accuracy_table(
        [accuracy_counts(MEASURES, {"one-shared": made.evidence["one-shared"]}, None)], 0.95
    )
    assert set(table["measure"]) == {"CPS"}
    assert accuracy_table([accuracy_counts(MEASURES, {}, None)], 0.95).empty


def test_the_measures_of_a_study_and_no_others_are_counted() -> None:
    made = synthetic.make(10, seed=0)
    assert set(accuracy_table([accuracy_counts(["PLL", "AUL"], made.evidence, None)], 0.95)["measure"]) == {
        "PLL",
        "AUL",
    }


def test_measures_of_the_same_predictions_have_one_accuracy() -> None:
    made = synthetic.make(10, seed=0)
    for both, name in ((["AUL", "AULA"], "AUL"), (["AllMasked", "AllMaskedSum"], "AllMasked")):
        one, two, other = (
            accuracy_table([accuracy_counts(measures, made.evidence, None)], 0.95)
            for measures in (both[:1], both, both[1:])
        )
        assert set(one["measure"]) == {name}
        pd.testing.assert_frame_equal(one, two)
        pd.testing.assert_frame_equal(one, other)


def test_wilson_interval_of_an_accuracy() -> None:
    made = synthetic.make(10, seed=0)
    row = accuracy_table([accuracy_counts(MEASURES, {"all": made.evidence["all"]}, None)], 0.9).iloc[0]
    p, n, z = row["correct"] / row["n"], row["n"], 1.6448536269514722
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert row["low"] == pytest.approx(100 * (centre - reach))
    assert row["high"] == pytest.approx(100 * (centre + reach))
