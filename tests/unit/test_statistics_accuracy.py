"""Token accuracy, reading by reading, and McNemar's tests, against loops over tokens."""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
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
    Sharing,
    accuracy_table,
    candidates,
    mcnemar_p,
    mcnemar_table,
    read_table,
    write_table,
)
from test_statistics_scores import literal_variance

Hits = dict[tuple[str, str, int], bool]
"""Whether each token is right, by pair, role and position."""


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dict("records")  # type: ignore[return-value]


def literal(rows: list[dict[str, Any]], roles: tuple[str, ...], reading: str) -> tuple[int, int]:
    """(correct, n) by looking at each token."""
    correct = n = 0
    modified = {"shared-tokens": False, "modified-tokens": True}
    for row in rows:
        if row["role"] not in roles or (reading != "all-tokens" and row["special"]):
            continue
        if reading in modified and row["modified"] is not modified[reading]:
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
    sources = {"AUL": plain["none"], "CPS": plain["one-shared"], "SSS": plain["modified"]}
    for row in records(table[table["reading"] != "candidates"]):
        source = records(made.shuffled) if row["variant"] == "shuffled" else sources[row["measure"]]
        roles = ("stereotype", "antistereotype") if row["roles"] == "pair" else (row["roles"],)
        correct, n = literal(source, roles, row["reading"])
        assert (row["correct"], row["n"]) == (correct, n)
        assert row["accuracy"] == pytest.approx(100 * correct / n)
        # Wilson 1927: the ends are the shares of which |correct/n - share| is z standard errors
        for end in (row["low"] / 100, row["high"] / 100):
            assert abs(correct / n - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / n))
    found = set(table[["measure", "variant", "roles", "reading"]].agg(" ".join, axis=1))
    assert {
        "AUL original pair all-tokens",
        "AUL original unrelated content-tokens",
        "AUL original pair shared-tokens",
        "AUL shuffled stereotype all-tokens",
        "CPS original pair shared-tokens",
        "SSS original pair candidates",
    } <= found
    assert "AUL original unrelated shared-tokens" not in found
    write_table(tmp_path / "a.parquet", table, ACCURACY, {})


def test_candidates_as_the_paper_describes_them() -> None:
    made = synthetic.make(120, seed=2)
    # a model that is often right, so that whole candidates are matched
    rows = made.evidence["modified"].assign(rank=lambda all_: np.where(np.arange(len(all_)) % 4, 1, 2))
    # in some pairs the antistereotype's modified tokens stand elsewhere
    elsewhere = (rows["role"] == "antistereotype") & rows["pair_id"].str.endswith("7")
    rows["position"] += elsewhere
    correct = n = at_once = 0
    for pair in made.pairs["pair_id"]:
        first, second = (
            {at: right for (_, _, at), right in hits(rows, pair_id=pair, role=role).items()}
            for role in ("stereotype", "antistereotype")
        )
        if first.keys() == second.keys():
            at_once += 1
            n += 1
            correct += all(first.values()) or all(second.values())
        else:
            # a side without modified tokens has no candidate
            candidates_of = [list(side.values()) for side in (first, second) if side]
            n += len(candidates_of)
            correct += sum(map(all, candidates_of))
    # an unrelated sentence is no candidate
    unrelated = rows[rows["role"] == "stereotype"].assign(role="unrelated", rank=1)
    found = candidates(pd.concat([rows, unrelated]))
    assert 0 < at_once < 120 and 0 < correct < n
    assert (int(found["right"].sum()), len(found)) == (correct, n)
    assert int(found["role"].isna().sum()) == at_once


# ---- tests


@pytest.mark.parametrize(
    ("b", "c"), [(1, 0), (5, 9), (12, 12), (0, 24), (25, 0), (13, 12), (13, 13), (200, 150), (40, 41)]
)
def test_few_are_tested_exactly_and_many_by_chi_square_with_continuity_correction(b: int, c: int) -> None:
    if b + c < 25:
        expected = min(1.0, 2 * sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c))
    else:
        # survival function of chi-square with one degree of freedom; the correction ends at 0
        expected = math.erfc(math.sqrt(max(abs(b - c) - 1, 0) ** 2 / (b + c) / 2))
    assert mcnemar_p(b, c) == pytest.approx(expected) and np.isnan(mcnemar_p(0, 0))


def mcnemar_of(evidence: Mapping[str, pd.DataFrame], shuffled: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    # only pairs with a number that divides by the same 7 share something
    pairs = pd.DataFrame({"pair_id": [f"p{i}" for i in range(70)]})
    return mcnemar_table(evidence, shuffled, pairs, Sharing.of([{i // 7} for i in range(70)]))


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    """Some unrelated sentences are shorter than the stereotypical ones."""
    made = synthetic.make(70, seed=8)
    none = made.evidence["none"]
    lost = (none["role"] == "unrelated") & (none["position"] == 2) & none["pair_id"].str.endswith("3")
    made.evidence["none"] = none[~lost]
    return made


@pytest.fixture(scope="module")
def table(made: synthetic.Synthetic) -> pd.DataFrame:
    return mcnemar_of(made.evidence, {"none": made.shuffled})


def hits(frame: pd.DataFrame, place: str = "position", **wanted: Any) -> Hits:
    return {
        (row["pair_id"], row["role"], int(row[place])): row["rank"] == 1
        for row in records(frame)
        if all(row[key] == value for key, value in wanted.items())
    }


def literal_sides(made: synthetic.Synthetic) -> dict[tuple[str, str], tuple[Hits, Hits]]:
    """By kind and second the tokens of both sides of each test."""
    none = made.evidence["none"]
    length = none.groupby(["pair_id", "role"]).size()
    equal = {
        pair for pair in made.pairs["pair_id"] if length[pair, "stereotype"] == length[pair, "unrelated"]
    }
    stereotype, unrelated = (
        {(pair, "", at): right for (pair, _, at), right in hits(none, role=role).items() if pair in equal}
        for role in ("stereotype", "unrelated")
    )
    sides = {
        ("measures", "CPS"): (
            hits(none, special=False, modified=False),
            hits(made.evidence["one-shared"]),
        ),
        ("measures", "SSS"): (hits(none, special=False, modified=True), hits(made.evidence["modified"])),
        # a shuffled token meets itself where it stood
        ("shuffled", "AUL shuffled"): (
            hits(none[none["role"] != "unrelated"]),
            hits(made.shuffled, "source_position"),
        ),
    }
    assert all(first.keys() == second.keys() for first, second in sides.values())
    return {**sides, ("unrelated", "AUL unrelated"): (stereotype, unrelated)}


def test_the_same_tokens_are_compared_by_token_and_by_pair(
    made: synthetic.Synthetic, table: pd.DataFrame, tmp_path: Path
) -> None:
    """Clustered: Student's t of how many tokens of a pair the first alone has right less how many the second
    alone has, with the variance written out."""
    write_table(tmp_path / "tests.parquet", table, TESTS, {})
    rows = {(row["kind"], row["second"], row["unit"]): row for row in records(table)}
    sides = literal_sides(made)
    assert {key[:2] for key in rows} == set(sides)
    for key, (first, second) in sides.items():
        both = [(token[0], right, second[token]) for token, right in first.items() if token in second]
        b, c = sum(one > other for _, one, other in both), sum(one < other for _, one, other in both)
        row = rows[*key, "token"]
        assert (row["n"], row["b"], row["c"]) == (len(both), b, c) and row["p"] == mcnemar_p(b, c)
        d: dict[str, float] = {}
        for pair, one, other in both:
            d[pair] = d.get(pair, 0) + one - other
        values, n = list(d.values()), len(d)
        row = rows[*key, "clustered"]
        counts = (n, sum(x > 0 for x in values), sum(x < 0 for x in values))
        assert (row["n"], row["b"], row["c"]) == counts
        nodes = [{str(int(pair[1:]) // 7)} for pair in d]
        variance, _, df = literal_variance(values, nodes, [1 / n] * n, [0] * n)
        df = min(df, float(np.count_nonzero(values) - 1))
        assert row["p"] == pytest.approx(2 * student.sf(abs(np.mean(values)) / math.sqrt(variance), df))


def test_accuracies_and_tests_are_of_whole_shuffled_sentences(made: synthetic.Synthetic) -> None:
    """Whatever further maskings they are read under; without whole ones of none."""
    masked = {"all": made.shuffled[~made.shuffled["special"]]}
    whole, both = {"none": made.shuffled}, {**masked, "none": made.shuffled}
    for of in (partial(accuracy_table, made.evidence, confidence=0.95), partial(mcnemar_of, made.evidence)):
        pd.testing.assert_frame_equal(of(both), of(whole))
        assert not of(masked).isin(["shuffled"]).any(axis=None)
        assert of(whole).isin(["shuffled"]).any(axis=None)


def test_special_tokens_without_a_source_keep_their_place(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    source = made.shuffled["source_position"].where(~made.shuffled["special"])
    again = mcnemar_of(made.evidence, {"none": made.shuffled.assign(source_position=source)})
    pd.testing.assert_frame_equal(table, again)


def test_where_all_pairs_share_a_word_nothing_is_claimed(made: synthetic.Synthetic) -> None:
    sharing = Sharing.of([["she"]] * 70)
    found = mcnemar_table(made.evidence, {"none": made.shuffled}, made.pairs, sharing)
    clustered = found[found["unit"] == "clustered"]
    assert len(clustered) >= 3 and clustered["p"].isna().all()
    assert found.loc[found["unit"] == "token", "p"].notna().all()


def test_evidence_that_does_not_belong_together_is_refused(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    with pytest.raises(InputError, match="shared-tokens under the masking one-shared are not those"):
        mcnemar_of({**made.evidence, "none": none[none["pair_id"] != "p3"]}, {})
