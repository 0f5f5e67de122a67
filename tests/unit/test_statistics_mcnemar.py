"""McNemar's tests against the textbook, and what is paired with what."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from study_schema import MEASURES
from unmask.errors import InputError
from unmask.statistics.correction import holm
from unmask.statistics.mcnemar import mcnemar, mcnemar_table
from unmask.statistics.schema import TESTS
from unmask.tables import write_table

Key = tuple[str, str, int]


def series(b: int, c: int, both: int = 3, neither: int = 2) -> tuple["pd.Series[bool]", "pd.Series[bool]"]:
    first = [True] * both + [True] * b + [False] * c + [False] * neither
    second = [True] * both + [False] * b + [True] * c + [False] * neither
    return pd.Series(first), pd.Series(second)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 9), (12, 12), (20, 4), (0, 24)])
def test_few_discordant_units_are_tested_exactly(b: int, c: int) -> None:
    found = mcnemar(*series(b, c))
    tail = sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    assert found["exact"] is True
    assert found["p"] == pytest.approx(min(1.0, 2 * tail))
    assert (found["both"], found["b"], found["c"], found["neither"]) == (3, b, c, 2)
    assert found["n"] == 5 + b + c


@pytest.mark.parametrize(("b", "c"), [(25, 0), (13, 12), (200, 150), (40, 41)])
def test_many_are_tested_by_chi_square_with_continuity_correction(b: int, c: int) -> None:
    found = mcnemar(*series(b, c))
    statistic = (abs(b - c) - 1) ** 2 / (b + c)
    assert found["exact"] is False
    assert found["statistic"] == pytest.approx(statistic)
    # survival function of chi-square with one degree of freedom
    assert found["p"] == pytest.approx(math.erfc(math.sqrt(statistic / 2)))


def test_no_units_have_no_p() -> None:
    nothing = pd.Series([True])[:0]
    assert mcnemar(nothing, nothing)["p"] is None


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


def by_sentence(found: dict[Key, bool]) -> dict[Key, bool]:
    whole: dict[Key, bool] = {}
    for (pair, role, _), right in found.items():
        whole[pair, role, 0] = whole.get((pair, role, 0), True) and right
    return whole


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
    return mcnemar_table(made.scores, made.evidence, made.shuffled, "token")


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
    assert row_of(table, kind="measures", second=measure, unit="sentence") == counts(
        by_sentence(aul), by_sentence(other)
    )


def test_a_shuffled_token_meets_itself(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    original = {key: right for key, right in hits(made.evidence["none"]).items() if key[1] != "unrelated"}
    shuffled = {}
    for row in made.shuffled.to_dict("records"):
        shuffled[str(row["pair_id"]), str(row["role"]), int(row["source_position"])] = row["rank"] == 1
    assert set(original) == set(shuffled)
    assert row_of(table, kind="shuffled", unit="token") == counts(original, shuffled)
    assert row_of(table, kind="shuffled", unit="sentence") == counts(
        by_sentence(original), by_sentence(shuffled)
    )


def test_special_tokens_without_a_source_keep_their_place(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    unsaid = made.shuffled.assign(
        source_position=made.shuffled["source_position"].where(~made.shuffled["special"])
    )
    again = mcnemar_table(made.scores, made.evidence, unsaid, "token")
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
    assert row_of(table, kind="unrelated", unit="sentence") == counts(
        by_sentence(stereotype), by_sentence(unrelated)
    )


def test_unrelated_sentences_of_other_lengths_stay_out(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    cut = none[~((none["role"] == "unrelated") & (none["pair_id"] == "p0") & (none["position"] == 1))]
    whole, fewer = (
        row_of(mcnemar_table(made.scores, {"none": rows}, None, "token"), kind="unrelated", unit="sentence")[
            0
        ]
        for rows in (none, cut)
    )
    assert fewer == whole - 1


def test_decisions_of_every_two_measures(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    outcome = {
        (row["measure"], row["protocol"], row["pair_id"]): row["outcome"]
        for row in made.scores.to_dict("records")
    }
    decided = {key: said == "stereotype" for key, said in outcome.items()}
    fewer = 0
    for protocol in ("published", "corrected"):
        for first, second in combinations(MEASURES, 2):
            # corrected: only pairs of which both measures say something
            pairs = [
                p
                for p in made.pairs["pair_id"]
                if protocol == "published"
                or "undefined" not in (outcome[first, protocol, p], outcome[second, protocol, p])
            ]
            fewer += len(pairs) < len(made.pairs)
            b = sum(decided[first, protocol, p] and not decided[second, protocol, p] for p in pairs)
            c = sum(decided[second, protocol, p] and not decided[first, protocol, p] for p in pairs)
            assert row_of(table, kind="decisions", protocol=protocol, first=first, second=second) == (
                len(pairs),
                b,
                c,
            )
    assert fewer > 0


def test_a_measure_without_any_decision_is_compared_with_none(made: synthetic.Synthetic) -> None:
    silent = made.scores["measure"] == "AULA"
    scores = made.scores.assign(
        outcome=made.scores["outcome"].mask(silent, "undefined"), margin=made.scores["margin"].mask(silent)
    )
    decisions = mcnemar_table(scores, {}, None, "token")
    assert set(decisions["protocol"]) == {"published", "corrected"}
    assert {*decisions["first"], *decisions["second"]} == set(MEASURES) - {"AULA"}


def test_measures_that_share_no_defined_pair_are_not_compared_corrected(made: synthetic.Synthetic) -> None:
    two = made.scores[made.scores["measure"].isin(["AUL", "SSS"])]
    early = two["pair_id"].isin(made.pairs["pair_id"][:30])
    scores = two.assign(outcome=two["outcome"].mask(early == (two["measure"] == "AUL"), "undefined"))
    decisions = mcnemar_table(scores, {}, None, "token")
    assert list(decisions["protocol"]) == ["published"]
    assert list(decisions["n"]) == [len(made.pairs)]


def test_the_chosen_pairing_unit_is_marked(made: synthetic.Synthetic) -> None:
    table = mcnemar_table(made.scores, made.evidence, made.shuffled, pairing="sentence")
    accuracies = table[table["kind"] != "decisions"]
    assert set(accuracies.loc[accuracies["chosen"], "unit"]) == {"sentence"}
    assert set(accuracies.loc[~accuracies["chosen"], "unit"]) == {"token"}
    assert table.loc[table["kind"] == "decisions", "chosen"].all()


def test_the_order_of_rows_changes_nothing(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    mixed = {masking: rows.sample(frac=1, random_state=1) for masking, rows in made.evidence.items()}
    again = mcnemar_table(made.scores, mixed, made.shuffled.sample(frac=1, random_state=2), "token")
    pd.testing.assert_frame_equal(table, again)


def test_evidence_that_does_not_belong_together_is_refused(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    with pytest.raises(InputError, match="shared-tokens under the other masking are not those"):
        mcnemar_table(made.scores, {**made.evidence, "none": none[none["pair_id"] != "p3"]}, None, "token")


def test_it_fits_its_schema(table: pd.DataFrame, tmp_path: object) -> None:
    write_table(f"{tmp_path}/tests.parquet", table, TESTS, {})


def literal_holm(p: list[float]) -> list[float]:
    """Holm 1979: the k-th smallest of m is multiplied by m - k + 1; never below an earlier one, at most 1."""
    corrected, largest = [0.0] * len(p), 0.0
    for k, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, (len(p) - k) * p[index]))
        corrected[index] = largest
    return corrected


def test_holm_within_families() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(40) ** 4
    kind = rng.choice(["a", "b"], 40)
    protocol = [None if i % 3 else "published" for i in range(40)]
    frame = pd.DataFrame({"p": p, "kind": kind, "protocol": protocol}, index=range(100, 140))
    found = holm(frame, by=["kind", "protocol"])
    assert list(found["p"]) == list(p)
    for of in {(k, s) for k, s in zip(kind, protocol, strict=True)}:
        members = [i for i in range(40) if (kind[i], protocol[i]) == of]
        assert list(found["p_holm"].iloc[members]) == pytest.approx(literal_holm([p[i] for i in members]))


def test_a_test_without_p_is_in_no_family() -> None:
    frame = pd.DataFrame({"p": [0.01, None, 0.04], "kind": "a"})
    found = holm(frame, by=["kind"])["p_holm"]
    assert list(found[[0, 2]]) == pytest.approx([0.02, 0.04])
    assert math.isnan(found[1])
    assert holm(frame[:0], by=["kind"]).empty
