"""Token accuracy, reading by reading, and McNemar's tests, against loops over tokens."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import synthetic
from library import (
    ACCURACY,
    EVIDENCE,
    TESTS,
    InputError,
    Measured,
    Sharing,
    accuracy_table,
    candidates,
    compute,
    decisions,
    flaws_table,
    mcnemar_p,
    mcnemar_table,
    read_table,
    score_pairs,
    write_table,
)
from study_schema import options_with
from test_statistics_bias import literal_variance

Key = tuple[str, str, int]


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
    table = accuracy_table(read, {"none": made.shuffled}, 0.95)
    plain = {masking: records(rows) for masking, rows in made.evidence.items()}
    sources = {
        "AUL": plain["none"],
        "CPS": plain["one-shared"],
        "SSS": plain["modified"],
    }
    for row in records(table[table["reading"] != "candidates"]):
        source = records(made.shuffled) if row["variant"] == "shuffled" else sources[row["measure"]]
        roles = ("stereotype", "antistereotype") if row["roles"] == "pair" else (row["roles"],)
        correct, n = literal(source, roles, row["reading"])
        assert (row["correct"], row["n"]) == (correct, n)
        assert row["accuracy"] == pytest.approx(100 * correct / n)
    found = set(table[["measure", "variant", "roles", "reading"]].itertuples(index=False, name=None))
    assert {
        ("AUL", "original", "pair", "all-tokens"),
        ("AUL", "original", "unrelated", "content-tokens"),
        ("AUL", "original", "pair", "shared-tokens"),
        ("AUL", "shuffled", "stereotype", "all-tokens"),
        ("CPS", "original", "pair", "shared-tokens"),
        ("SSS", "original", "pair", "candidates"),
    } <= found
    assert ("AUL", "original", "unrelated", "shared-tokens") not in found
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


# ---- tests


def tests_of(evidence: Mapping[str, pd.DataFrame], shuffled: pd.DataFrame | None) -> pd.DataFrame:
    # only pairs with a number that divides by the same 7 share something
    pairs = pd.DataFrame({"pair_id": [f"p{i}" for i in range(70)]})
    sharing = Sharing.of([{i // 7} for i in range(70)])
    of_shuffled = {} if shuffled is None else {"none": shuffled}
    return mcnemar_table(evidence, of_shuffled, pairs, sharing)


tests_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(("b", "c"), [(1, 0), (5, 9), (12, 12), (0, 24)])
def test_few_discordant_tokens_are_tested_exactly(b: int, c: int) -> None:
    tail = sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    assert mcnemar_p(b, c) == pytest.approx(min(1.0, 2 * tail)) and np.isnan(mcnemar_p(0, 0))


@pytest.mark.parametrize(("b", "c"), [(25, 0), (13, 12), (200, 150), (40, 41)])
def test_many_are_tested_by_chi_square_with_continuity_correction(b: int, c: int) -> None:
    # survival function of chi-square with one degree of freedom
    statistic = (abs(b - c) - 1) ** 2 / (b + c)
    assert mcnemar_p(b, c) == pytest.approx(math.erfc(math.sqrt(statistic / 2)))


def hits(frame: pd.DataFrame, **wanted: Any) -> dict[Key, bool]:
    found = {}
    for row in frame.to_dict("records"):
        if all(row[key] == value for key, value in wanted.items()):
            found[str(row["pair_id"]), str(row["role"]), int(row["position"])] = row["rank"] == 1
    return found


def counts(first: dict[Key, bool], second: dict[Key, bool]) -> tuple[int, int, int]:
    """(n, b, c) over the tokens of both."""
    shared = [key for key in first if key in second]
    b = sum(first[key] and not second[key] for key in shared)
    c = sum(second[key] and not first[key] for key in shared)
    return len(shared), b, c


def of_pairs(first: dict[Key, bool], second: dict[Key, bool]) -> tuple[int, int, int]:
    """(n, b, c) over pairs: where the first has more tokens right, and where the second has."""
    d: dict[str, int] = {}
    for key in first:
        if key in second:
            d[key[0]] = d.get(key[0], 0) + first[key] - second[key]
    return len(d), sum(x > 0 for x in d.values()), sum(x < 0 for x in d.values())


def row_of(table: pd.DataFrame, **wanted: Any) -> tuple[int, int, int]:
    rows = table
    for key, value in wanted.items():
        rows = rows[rows[key] == value]
    assert len(rows) == 1
    return int(rows["n"].iloc[0]), int(rows["b"].iloc[0]), int(rows["c"].iloc[0])


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(70, seed=8)


@pytest.fixture(scope="module")
def table(made: synthetic.Synthetic) -> pd.DataFrame:
    return tests_of(made.evidence, made.shuffled)


@pytest.mark.parametrize(
    ("measure", "masking", "modified"), [("CPS", "one-shared", False), ("SSS", "modified", True)]
)
def test_aul_meets_the_other_measure_on_the_same_tokens(
    made: synthetic.Synthetic, table: pd.DataFrame, measure: str, masking: str, modified: bool
) -> None:
    aul = hits(made.evidence["none"], special=False, modified=modified)
    other = hits(made.evidence[masking])
    assert set(aul) == set(other)
    assert row_of(table, kind="measures", second=measure, unit="token") == counts(aul, other)
    assert row_of(table, kind="measures", second=measure, unit="clustered") == of_pairs(aul, other)


def test_a_shuffled_token_meets_itself(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    original = {key: right for key, right in hits(made.evidence["none"]).items() if key[1] != "unrelated"}
    shuffled = {}
    for row in made.shuffled.to_dict("records"):
        key = (str(row["pair_id"]), str(row["role"]), int(row["source_position"]))
        shuffled[key] = row["rank"] == 1
    assert set(original) == set(shuffled)
    assert row_of(table, kind="shuffled", unit="token") == counts(original, shuffled)
    assert row_of(table, kind="shuffled", unit="clustered") == of_pairs(original, shuffled)


def test_shuffled_sentences_may_be_read_under_further_maskings(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    """Accuracies and tests are of whole sentences; without these of none."""
    several = {"all": made.shuffled[~made.shuffled["special"]], "none": made.shuffled}
    options = options_with(draws=20)
    original = Measured(decisions(made.pairs, made.scores), made.evidence)
    scores = score_pairs(list(made.pairs["pair_id"]), several, ["AUL", "AllMasked"])
    tables = [
        compute(made.pairs, flaws_table(made.pairs), original, options, Measured(shuffled, read))
        for shuffled, read in (
            (decisions(made.pairs, scores), several),
            (decisions(made.pairs, scores[scores["measure"] == "AUL"]), {"none": made.shuffled}),
            (decisions(made.pairs, scores[scores["measure"] == "AllMasked"]), {"all": several["all"]}),
        )
    ]
    of_both = tables[0]["bias"].query("variant == 'shuffled'")
    assert set(of_both["measure"]) == {"AUL", "AllMasked"} and of_both["score"].notna().any()
    for name in ("accuracy", "tests"):
        pd.testing.assert_frame_equal(tables[0][name], tables[1][name])
    assert set(tables[2]["accuracy"]["variant"]) == {"original"} and "shuffled" not in set(
        tables[2]["tests"]["kind"]
    )


def test_special_tokens_without_a_source_keep_their_place(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    unsaid = made.shuffled.assign(
        source_position=made.shuffled["source_position"].where(~made.shuffled["special"])
    )
    again = tests_of(made.evidence, unsaid)
    pd.testing.assert_frame_equal(table, again)


def test_the_unrelated_sentence_meets_the_stereotype_where_counts_agree(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    none = hits(made.evidence["none"])
    length = {(pair, role): 0 for pair, role, _ in none}
    for pair, role, _ in none:
        length[pair, role] += 1
    stereotype, unrelated = {}, {}
    for (pair, role, position), right in none.items():
        if length[pair, "stereotype"] == length[pair, "unrelated"]:
            if role == "stereotype":
                stereotype[pair, "x", position] = right
            elif role == "unrelated":
                unrelated[pair, "x", position] = right
    assert row_of(table, kind="unrelated", unit="token") == counts(stereotype, unrelated)
    assert row_of(table, kind="unrelated", unit="clustered") == of_pairs(stereotype, unrelated)


def test_a_clustered_test_is_students_t_of_the_written_out_variance(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    """Of each pair, how many tokens the first alone has right less how many the second alone has."""
    aul = hits(made.evidence["none"], special=False, modified=False)
    other = hits(made.evidence["one-shared"])
    d: dict[str, float] = {}
    for key in aul:
        d[key[0]] = d.get(key[0], 0) + aul[key] - other[key]
    nodes = [{str(int(pair[1:]) // 7)} for pair in d]
    n = len(d)
    variance, _, df = literal_variance(list(d.values()), nodes, [1 / n] * n, [0] * n)
    statistic = np.mean([*d.values()]) / math.sqrt(variance)
    (row,) = table[(table["unit"] == "clustered") & (table["second"] == "CPS")].to_dict("records")
    df = min(df, float(np.count_nonzero([*d.values()]) - 1))
    assert row["p"] == pytest.approx(2 * student.sf(abs(statistic), df))


def test_where_all_pairs_share_a_word_nothing_is_claimed(made: synthetic.Synthetic) -> None:
    sharing = Sharing.of([["she"]] * 70)
    found = mcnemar_table(made.evidence, {"none": made.shuffled}, made.pairs, sharing)
    clustered = found[found["unit"] == "clustered"]
    assert len(clustered) >= 3 and clustered["p"].isna().all()
    assert found.loc[found["unit"] == "token", "p"].notna().all()


def test_evidence_that_does_not_belong_together_is_refused(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    with pytest.raises(InputError, match="shared-tokens under the masking one-shared are not those"):
        tests_of({**made.evidence, "none": none[none["pair_id"] != "p3"]}, None)


def test_it_fits_its_schema(table: pd.DataFrame, tmp_path: object) -> None:
    write_table(f"{tmp_path}/tests.parquet", table, TESTS, {})
