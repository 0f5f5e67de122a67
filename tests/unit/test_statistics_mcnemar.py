"""McNemar's tests against the textbook, and what is paired with what."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import synthetic
from profiles import examples
from study_schema import MEASURES
from unmask.errors import InputError
from unmask.statistics import mcnemar as of_tokens
from unmask.statistics import paired
from unmask.statistics.correction import holm, step_down
from unmask.statistics.dependence import Dependence
from unmask.statistics.schema import TESTS
from unmask.tables import write_table

Key = tuple[str, str, int]


def mcnemar(first: "pd.Series[bool]", second: "pd.Series[bool]") -> dict[str, object]:
    return paired.mcnemar(paired.four_counts(first, second))


def clustered_mcnemar(d: "pd.Series[int]") -> dict[str, object]:
    return paired.clustered_mcnemar(d.to_numpy().astype(np.int64))


def mcnemar_table(
    measures: Sequence[str], evidence: Mapping[str, pd.DataFrame], shuffled: pd.DataFrame | None
) -> pd.DataFrame:
    # only pairs with a number that divides by the same 7 share something
    ids = sorted(set(evidence["none"]["pair_id"]))
    dependence = Dependence.of([[f"w{int(pair[1:]) // 7}"] for pair in ids])
    return of_tokens.mcnemar_table([of_tokens.tallies(measures, evidence, shuffled)], ids, dependence)


def series(b: int, c: int, both: int = 3, neither: int = 2) -> tuple["pd.Series[bool]", "pd.Series[bool]"]:
    first = [True] * both + [True] * b + [False] * c + [False] * neither
    second = [True] * both + [False] * b + [True] * c + [False] * neither
    return pd.Series(first), pd.Series(second)


@pytest.mark.parametrize(("b", "c"), [(1, 0), (5, 9), (12, 12), (20, 4), (0, 24)])
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


def test_where_nothing_differs_there_is_nothing_to_test() -> None:
    nothing = pd.Series([True])[:0]
    for first, second in ((nothing, nothing), series(0, 0)):
        found = mcnemar(first, second)
        assert found["p"] is None and found["statistic"] is None
    for d in ([], [0, 0, 0]):
        found = clustered_mcnemar(pd.Series(d, dtype=int))
        assert found["p"] is None and found["statistic"] is None
        assert (found["n"], found["b"], found["c"]) == (len(d), 0, 0)


@pytest.mark.parametrize(
    "d", [[1], [2, -1, 0], [3, 3, -2, 0, 1], [1] * 7 + [-1] * 2, [5, -5], [-4, 1, 1, 2, 1]]
)
def test_few_pairs_that_differ_are_tested_by_every_choice_of_signs(d: list[int]) -> None:
    found = clustered_mcnemar(pd.Series(d))
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=len(d))
    ]
    assert found["exact"] is True
    assert found["p"] == pytest.approx(sum(x >= abs(sum(d)) for x in sums) / len(sums))
    assert found["statistic"] == pytest.approx(sum(d) ** 2 / sum(x * x for x in d))
    assert (found["n"], found["b"], found["c"]) == (len(d), sum(x > 0 for x in d), sum(x < 0 for x in d))


def test_one_token_a_pair_is_the_exact_test_of_independent_tokens() -> None:
    first, second = series(9, 3)
    assert clustered_mcnemar(first.astype(int) - second.astype(int))["p"] == pytest.approx(
        mcnemar(first, second)["p"]
    )


def test_many_pairs_that_differ_are_tested_by_chi_square() -> None:
    rng = np.random.default_rng(4)
    d = [int(x) for x in rng.integers(-2, 4, 60)]
    found = clustered_mcnemar(pd.Series(d))
    statistic = sum(d) ** 2 / sum(x * x for x in d)
    assert found["exact"] is False
    assert found["statistic"] == pytest.approx(statistic)
    assert found["p"] == pytest.approx(math.erfc(math.sqrt(statistic / 2)))
    turned = clustered_mcnemar(pd.Series([-x for x in d]))
    assert (turned["p"], turned["b"], turned["c"]) == (found["p"], found["c"], found["b"])


def test_tokens_that_repeat_each_other_add_nothing_by_pair() -> None:
    """Each token five times over: McNemar by token becomes surer, by pair it stays."""
    rng = np.random.default_rng(9)
    first, second = pd.Series(rng.random(200) < 0.5), pd.Series(rng.random(200) < 0.4)
    d = first.astype(int) - second.astype(int)
    assert clustered_mcnemar(5 * d)["p"] == pytest.approx(clustered_mcnemar(d)["p"])
    many = mcnemar(pd.concat([first] * 5), pd.concat([second] * 5))
    assert float(str(many["p"])) < float(str(mcnemar(first, second)["p"]))


def test_clustering_by_pair_keeps_its_level() -> None:
    """Where nothing differs but tokens go together, the test by pair rejects as often as it says."""
    rng = np.random.default_rng(0)
    rejected = {"token": 0, "pair": 0}
    for _ in range(400):
        # ten tokens of a pair are right together, under either measure
        right = rng.random((2, 80, 1)) < rng.choice([0.1, 0.9], (2, 80, 1))
        tokens = right ^ (rng.random((2, 80, 10)) < 0.1)
        first, second = (pd.Series(side.ravel()) for side in tokens)
        rejected["token"] += float(str(mcnemar(first, second)["p"])) < 0.05
        d = pd.Series(tokens[0].sum(axis=1) - tokens[1].sum(axis=1))
        rejected["pair"] += float(str(clustered_mcnemar(d)["p"])) < 0.05
    assert rejected["pair"] / 400 < 0.08
    assert rejected["token"] / 400 > 0.3


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
    return mcnemar_table(MEASURES, made.evidence, made.shuffled)


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


def test_special_tokens_without_a_source_keep_their_place(
    made: synthetic.Synthetic, table: pd.DataFrame
) -> None:
    unsaid = made.shuffled.assign(
        source_position=made.shuffled["source_position"].where(~made.shuffled["special"])
    )
    again = mcnemar_table(MEASURES, made.evidence, unsaid)
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


def test_unrelated_sentences_of_other_lengths_stay_out(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    cut = none[~((none["role"] == "unrelated") & (none["pair_id"] == "p0") & (none["position"] == 1))]
    whole, fewer = (
        row_of(mcnemar_table(MEASURES, {"none": rows}, None), kind="unrelated", unit="clustered")[0]
        for rows in (none, cut)
    )
    assert fewer == whole - 1


def test_pairs_that_share_something_are_one_cluster(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    """Each pair's difference goes to its own cluster, in whatever order and parts the evidence comes."""
    aul = hits(made.evidence["none"], special=False, modified=False)
    other = hits(made.evidence["one-shared"])
    sums: dict[int, int] = {}
    for key in aul:
        cluster = int(key[0][1:]) // 7
        sums[cluster] = sums.get(cluster, 0) + aul[key] - other[key]
    expected = clustered_mcnemar(pd.Series(sums))
    rows = table[(table["unit"] == "clustered") & (table["second"] == "CPS")]
    assert len(rows) == 1
    assert rows["p"].item() == pytest.approx(expected["p"])
    assert rows["statistic"].item() == pytest.approx(expected["statistic"])


def test_where_all_pairs_share_a_word_nothing_is_claimed(made: synthetic.Synthetic) -> None:
    ids = sorted(set(made.evidence["none"]["pair_id"]))
    tallies = [of_tokens.tallies(MEASURES, made.evidence, made.shuffled)]
    found = of_tokens.mcnemar_table(tallies, ids, Dependence.of([["she"]] * len(ids)))
    clustered = found[found["unit"] == "clustered"]
    assert len(clustered) >= 3
    assert clustered["p"].isna().all() and clustered["untestable"].all()
    assert not found.loc[found["unit"] != "clustered", "untestable"].any()


def test_the_order_of_rows_changes_nothing(made: synthetic.Synthetic, table: pd.DataFrame) -> None:
    mixed = {masking: rows.sample(frac=1, random_state=1) for masking, rows in made.evidence.items()}
    again = mcnemar_table(MEASURES, mixed, made.shuffled.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(table, again)


def test_evidence_that_does_not_belong_together_is_refused(made: synthetic.Synthetic) -> None:
    none = made.evidence["none"]
    with pytest.raises(InputError, match="shared-tokens under the other masking are not those"):
        mcnemar_table(MEASURES, {**made.evidence, "none": none[none["pair_id"] != "p3"]}, None)


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


def test_holm_by_hand() -> None:
    np.testing.assert_allclose(
        step_down(np.array([0.04, np.nan, 0.01, 0.02, 0.9])), [0.08, np.nan, 0.04, 0.06, 0.9]
    )
    np.testing.assert_allclose(step_down(np.array([0.5, 0.6, np.nan])), [1, 1, np.nan])
    assert np.isnan(step_down(np.array([np.nan]))).all()


@settings(max_examples=examples(5), derandomize=True)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_step_down_is_that_of_statsmodels(p: list[float]) -> None:
    np.testing.assert_allclose(step_down(np.array(p)), multipletests(p, method="holm")[1], rtol=1e-12)
